// Where handsets are woken while their app is closed, and the key that signs the wake-ups.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122080500_push extends Migration {
  override up(): void {
    this.addSql(
      "create table push_endpoint (device_id bigint not null, kind text not null, endpoint bytea not null, failures int not null default 0, failing_since timestamptz(6) null, created_at timestamptz(6) not null default clock_timestamp(), primary key (device_id))",
    );
    this.addSql("alter table server_secret add push_key bytea null");
    this.addSql(
      "create index subscription_wakes on subscription (pusher_id, device_id) where not muted and permissions && '{notify,sound,vibrate,tts,full}'::text[]",
    );
    this.addSql("create index channel_state_next on channel_state (next_at) where next_at is not null");
    this.addSql(
      "alter table push_endpoint add constraint push_endpoint_device_id_foreign foreign key (device_id) references device (id) on update no action on delete cascade",
    );
    this.addSql(
      "alter table push_endpoint add constraint push_endpoint_kind_check check (kind in ('web_push', 'unified_push'))",
    );
  }
}
