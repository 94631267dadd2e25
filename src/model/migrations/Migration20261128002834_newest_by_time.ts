// Alerts written in the same microsecond are rare, so their index needs no id: PostgreSQL sorts them on reading.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261128002834_newest_by_time extends Migration {
  override up(): void {
    this.addSql("drop index alert_newest");
    this.addSql("create index alert_newest on alert (created_at)");
  }
}
