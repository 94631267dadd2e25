// A separate table, which needs no lock.

import { Migration } from "@mikro-orm/migrations";

export class Migration20260101000002_beside extends Migration {
  override up(): void {
    this.addSql("create table beside (id int not null, primary key (id))");
  }
}
