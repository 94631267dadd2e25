// The existing table that a replica's call uses.

import { Migration } from "@mikro-orm/migrations";

export class Migration20260101000001_before extends Migration {
  override up(): void {
    for (const table of ["channel", "file"]) this.addSql(`create table ${table} (id int not null, primary key (id))`);
  }
}
