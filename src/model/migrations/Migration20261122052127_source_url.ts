// Where an alert says that more is to be read.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122052127_source_url extends Migration {
  override up(): void {
    this.addSql("alter table alert add source_url text null");
  }
}
