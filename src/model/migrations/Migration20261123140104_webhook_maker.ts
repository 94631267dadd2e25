// Which key, assistant or member registered a webhook; nobody knows of those that are there.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261123140104_webhook_maker extends Migration {
  override up(): void {
    this.addSql("alter table webhook_endpoint add maker_id text null, add maker_name text null");
  }
}
