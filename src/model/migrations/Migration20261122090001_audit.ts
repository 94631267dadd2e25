// The audit log, which is only added to.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122090001_audit extends Migration {
  override up(): void {
    this.addSql(
      "create table audit_event (id uuid not null, workspace_id uuid null, actor_type text not null, actor_id text null, actor_name text null, member_id uuid null, transport text not null, operation text not null, pusher_id uuid null, subject_id text null, status text null, created_at timestamptz(6) not null default clock_timestamp(), primary key (id))",
    );
    this.addSql("create index audit_by_workspace_id on audit_event (workspace_id, created_at DESC)");
    this.addSql(
      "create index audit_by_pusher_id on audit_event (pusher_id, created_at DESC) where pusher_id is not null",
    );
    this.addSql(
      "create index audit_by_actor_id on audit_event (actor_id, created_at DESC) where actor_id is not null",
    );
    this.addSql("create index audit_age on audit_event (created_at)");
    this.addSql(
      "alter table audit_event add constraint audit_event_actor_type_check check (actor_type in ('key', 'oauth', 'session', 'operator'))",
    );
    this.addSql(
      "alter table audit_event add constraint audit_event_transport_check check (transport in ('rest', 'mcp', 'cli', 'console', 'operator'))",
    );
    this.addSql(`create or replace function audit_event_kept() returns trigger language plpgsql as $$
  declare
    removed_before timestamptz := nullif(current_setting('belfry.audit_removed_before', true), '')::timestamptz;
  begin
    if tg_op = 'DELETE' and removed_before is not null then
      if old.created_at < least(removed_before, clock_timestamp() - interval '1 day') then return old; end if;
    end if;
    raise exception 'the audit log is only added to' using errcode = 'insufficient_privilege';
  end $$`);
    this.addSql(`create trigger audit_event_stays before update or delete on audit_event for each row
  execute function audit_event_kept()`);
    this.addSql(`create trigger audit_event_stays_whole before truncate on audit_event for each statement
  execute function audit_event_kept()`);
  }
}
