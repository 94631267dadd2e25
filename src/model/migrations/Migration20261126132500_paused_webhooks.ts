// A webhook endpoint can be paused, which is stored as the time since when it is.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261126132500_paused_webhooks extends Migration {
  override up(): void {
    this.addSql("alter table webhook_endpoint add column paused_at timestamptz(6)");
  }
}
