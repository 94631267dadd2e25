// Handsets that a person linked to the own account, and the drafts that they are shown.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261123140103_own_devices extends Migration {
  override up(): void {
    this.addSql(
      "create table own_device (id uuid not null, user_id text not null, device_id bigint null, code_hash bytea null, expires_at timestamptz(6) null, created_at timestamptz(6) not null default clock_timestamp(), draft_id uuid null, draft_version timestamptz(6) null, shown_as uuid null, shown_at timestamptz(6) null, primary key (id))",
    );
    this.addSql("create index own_device_person on own_device (user_id)");
    this.addSql("create index own_device_end on own_device (expires_at) where device_id is null");
    this.addSql("alter table own_device add constraint own_device_device unique (device_id)");
    this.addSql("alter table own_device add constraint own_device_code unique (code_hash)");
    this.addSql("alter table device add test_until timestamptz(6) null");
    this.addSql(
      "alter table own_device add constraint own_device_device_id_foreign foreign key (device_id) references device (id) on update no action on delete cascade",
    );
  }
}
