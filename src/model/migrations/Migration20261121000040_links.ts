// One-time links are kept after their end, so that who follows one late is told what became of it, and say who asked for
// them: a link that only travelled to an address by mail proves more than one that somebody handed out.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261121000040_links extends Migration {
  override up(): void {
    this.addSql(`alter table member_link
      add column made_by text not null default 'operator',
      add column used_at timestamptz(6) null,
      add column replaced_at timestamptz(6) null`);
    this.addSql("alter table member_link alter column made_by drop default");
    this.addSql(`alter table member_link add constraint member_link_made_by_check
      check (made_by in ('operator', 'manager', 'person'))`);
    this.addSql("create index member_link_member on member_link (member_id)");
  }
}
