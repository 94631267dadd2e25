// One row that tells whether the server secret is the one that this database was used with.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261121000082_secret extends Migration {
  override up(): void {
    this.addSql(`create table server_secret (
      one_row boolean not null default true check (one_row),
      check_value bytea not null,
      created_at timestamptz(6) not null default clock_timestamp(),
      primary key (one_row)
    )`);
  }
}
