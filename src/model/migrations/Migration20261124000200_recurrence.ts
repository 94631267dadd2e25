// An alert may repeat: a rule on its draft, a status of its own, and occurrences that are alerts of their own.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261124000200_recurrence extends Migration {
  override up(): void {
    this.addSql("drop trigger alert_loosened on alert");
    this.addSql(
      "create table alert_series (alert_id uuid not null, filled_to timestamptz(6) not null, fill_at timestamptz(6) not null, primary key (alert_id))",
    );
    this.addSql("create index alert_series_due on alert_series (fill_at)");
    this.addSql("alter table alert drop constraint alert_status_check");
    this.addSql(
      "alter table alert add recurrence text null, add series_id uuid null, add occurs_at timestamptz(6) null, add apart boolean not null default false",
    );
    this.addSql(
      "create index alert_repeating on alert (pusher_id, created_at DESC) where status = 'repeating'",
    );
    this.addSql(
      "create unique index alert_occurrence on alert (series_id, occurs_at) where series_id is not null",
    );
    this.addSql(
      "alter table alert add constraint alert_status_check check (status in ('draft', 'repeating', 'scheduled', 'sent', 'cancelled'))",
    );
    this.addSql(
      "alter table alert_series add constraint alert_series_alert_id_foreign foreign key (alert_id) references alert (id) on update cascade on delete cascade",
    );
    this.addSql(`create trigger alert_loosened after update on alert for each row
  when ((old.title, old.body) is distinct from (new.title, new.body)
    or old.visible_at is distinct from new.visible_at or old.status = 'repeating' or new.status = 'repeating')
  execute function alert_loosened()`);
  }
}
