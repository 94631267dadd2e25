// Phones may answer what an alert asks: the choice of each, and how often each was chosen.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261124000100_replies extends Migration {
  override up(): void {
    this.addSql("drop index alert_counter_untold");
    this.addSql(
      "alter table alert_counter add replies bigint[] not null default '{0,0,0,0}', add replied boolean not null default false, add replied_told_at timestamptz(6) null",
    );
    this.addSql(
      "create index alert_counter_untold on alert_counter (alert_id) where appeared or untold or replied",
    );
    this.addSql("alter table report add choice smallint null, add was smallint null");
  }
}
