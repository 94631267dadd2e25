// A code by which another device takes over the subscriptions of one.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122084001_device_transfers extends Migration {
  override up(): void {
    this.addSql(
      "create table device_transfer (device_id bigint not null, code_hash bytea not null, expires_at timestamptz(6) not null, primary key (device_id))",
    );
    this.addSql("create index device_transfer_end on device_transfer (expires_at)");
    this.addSql("alter table device_transfer add constraint device_transfer_code unique (code_hash)");
    this.addSql(
      "alter table device_transfer add constraint device_transfer_device_id_foreign foreign key (device_id) references device (id) on update no action on delete cascade",
    );
  }
}
