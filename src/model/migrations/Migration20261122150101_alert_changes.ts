// What the sanitiser took out of an alert stays with it, and what edits replaced is kept for a while.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122150101_alert_changes extends Migration {
  override up(): void {
    this.addSql(
      "create table alert_change (alert_id uuid not null, updated_at timestamptz(6) not null, former jsonb not null, primary key (alert_id, updated_at))",
    );
    this.addSql("create index alert_change_age on alert_change (updated_at)");
    this.addSql("alter table alert add blocked jsonb not null default '{}'");
    this.addSql(
      "alter table alert_change add constraint alert_change_alert_id_foreign foreign key (alert_id) references alert (id) on delete cascade",
    );
  }
}
