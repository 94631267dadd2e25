// What an account was told of its channels' subscribers, so that it is told at most once a second; and when a failure that
// strangers caused was last counted against an endpoint. What is there already was told.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261123140101_subscriber_events extends Migration {
  override up(): void {
    this.addSql("alter table webhook_endpoint add subscriber_failure_at timestamptz(6) null");
    this.addSql(
      "alter table channel_state add told_subscribers bigint not null default '0', add told_at timestamptz(6) null, add untold boolean not null default false",
    );
    this.addSql("update channel_state set told_subscribers = subscribers");
    this.addSql("create index channel_state_untold on channel_state (pusher_id) where untold");
  }
}
