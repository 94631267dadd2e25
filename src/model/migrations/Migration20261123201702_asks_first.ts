// Each key and connection says whether its person wants to be asked before it publishes; those that are there go on as they did.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261123201702_asks_first extends Migration {
  override up(): void {
    this.addSql("alter table connection add asks_first boolean not null default false");
    this.addSql("alter table api_key add asks_first boolean not null default false");
  }
}
