// The prefix of inbox validators is stored with the rows, so that validators are valid on every server with these rows.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261124200100_epoch extends Migration {
  override up(): void {
    this.addSql(`create table epoch (
      one_row boolean not null default true constraint epoch_one_row_check check (one_row),
      epoch uuid not null default gen_random_uuid(),
      home text not null,
      timeline text not null,
      primary key (one_row)
    )`);
  }
}
