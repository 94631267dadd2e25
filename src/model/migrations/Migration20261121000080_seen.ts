// When a device was last seen, and the indexes by which the housekeeping finds what has ended.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261121000080_seen extends Migration {
  override up(): void {
    // A constant default first, so that no row is written: those that are there count as seen now.
    this.addSql("alter table device add column seen_at timestamptz(6) not null default now()");
    this.addSql("alter table device alter column seen_at set default clock_timestamp()");
    this.addSql("create index device_seen on device (seen_at)");
    this.addSql("create index member_link_end on member_link (expires_at)");
  }
}
