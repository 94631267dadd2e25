// The feed of events, numbered by its readers, and the id of an event in the log of deliveries.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122110001_event_feed extends Migration {
  override up(): void {
    this.addSql(
      `create table workspace_event (serial bigserial primary key, id uuid not null, workspace_id uuid not null, pusher_id uuid not null, body text not null, "position" bigint null, created_at timestamptz(6) not null default clock_timestamp())`,
    );
    this.addSql(
      `create index event_feed on workspace_event (workspace_id, "position") where position is not null`,
    );
    this.addSql(
      "create index event_unnumbered on workspace_event (workspace_id, serial) where position is null",
    );
    this.addSql("create index event_age on workspace_event (created_at)");
    this.addSql("alter table workspace add events_numbered bigint not null default '0'");
    this.addSql("alter table webhook_delivery add event_id uuid null");
  }
}
