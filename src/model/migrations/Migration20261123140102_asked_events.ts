// What accounts ask to be told of alerts.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261123140102_asked_events extends Migration {
  override up(): void {
    this.addSql(
      "alter table alert_counter add appeared boolean not null default false, add untold boolean not null default false, add told_acks bigint not null default '0', add told_at timestamptz(6) null",
    );
    this.addSql("create index alert_counter_untold on alert_counter (alert_id) where appeared or untold");
  }
}
