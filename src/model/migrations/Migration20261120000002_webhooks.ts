// Webhook endpoints, and the index behind the list of muted subscribers.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261120000002_webhooks extends Migration {
  override up(): void {
    this.addSql(`create table webhook_endpoint (
      id uuid not null,
      workspace_id uuid not null,
      member_id uuid not null,
      pusher_id uuid null,
      url text not null,
      events text[] not null,
      secret bytea not null,
      failure_count int not null default 0,
      disabled_at timestamptz(6) null,
      last_delivery_at timestamptz(6) null,
      last_status int null,
      created_at timestamptz(6) not null default clock_timestamp(),
      primary key (id)
    )`);
    this.addSql("create index webhook_list on webhook_endpoint (workspace_id, created_at)");
    this.addSql(`alter table webhook_endpoint add constraint webhook_endpoint_workspace_id_foreign
      foreign key (workspace_id) references workspace (id) on delete cascade`);
    this.addSql(`alter table webhook_endpoint add constraint webhook_endpoint_member_id_foreign
      foreign key (member_id) references member (id) on delete cascade`);
    this.addSql(
      "create index subscription_muted_list on subscription (pusher_id, subscribed_at desc) where muted",
    );
  }
}
