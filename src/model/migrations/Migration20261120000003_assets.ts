// Uploaded files: their rows, the alerts' references to them, and the trigger that counts these in the transaction of
// the alert. Alerts without files pay nothing: the indexes are partial, the triggers conditional.

import { Migration } from "@mikro-orm/migrations";

const REFERENCES = ["image_asset", "audio_asset", "html_asset"];

const all = (row: string, condition: string) =>
  REFERENCES.map((name) => `${row}.${name}_id ${condition}`).join(" or ");

const ids = (row: string) => `array[${REFERENCES.map((name) => `${row}.${name}_id`).join(", ")}]`;

export class Migration20261120000003_assets extends Migration {
  override up(): void {
    this.addSql(`create table asset (
      id uuid not null,
      workspace_id uuid not null,
      member_id uuid null,
      kind text not null,
      content_type text not null,
      bytes int not null,
      sha256 bytea not null,
      name text not null,
      text text null,
      stored boolean not null default false,
      refs int not null default 0,
      attached_at timestamptz(6) null,
      expires_at timestamptz(6) null,
      created_at timestamptz(6) not null default clock_timestamp(),
      primary key (id)
    )`);
    this.addSql("create index asset_list on asset (workspace_id, created_at DESC)");
    this.addSql(
      "create index asset_unattached on asset (member_id, expires_at) where expires_at is not null",
    );
    this.addSql("create index asset_expiry on asset (expires_at) where expires_at is not null");
    this.addSql(`alter table asset add constraint asset_text check ((kind = 'html') = (text is not null))`);
    this.addSql(`alter table asset add constraint asset_attached check
      (refs >= 0 and (refs > 0) = (attached_at is not null) and (refs > 0) = (expires_at is null))`);
    this.addSql(
      `alter table asset add constraint asset_kind_check check (kind in ('image', 'audio', 'html'))`,
    );
    this.addSql(`alter table asset add constraint asset_workspace_id_foreign
      foreign key (workspace_id) references workspace (id) on delete cascade`);
    this.addSql(`alter table asset add constraint asset_member_id_foreign
      foreign key (member_id) references member (id) on delete set null`);

    this.addSql("alter table alert add column asset_html text null");
    for (const name of REFERENCES) {
      this.addSql(`create index alert_${name} on alert (${name}_id) where ${name}_id is not null`);
      this.addSql(`alter table alert add constraint alert_${name}_id_foreign
        foreign key (${name}_id) references asset (id) on delete no action`);
    }

    // In order of the ids, so that two alerts that share files wait for one another in one order.
    this.addSql(`create function alert_to_assets() returns trigger language plpgsql as $$
    declare
      gone uuid[] := '{}';
      come uuid[] := '{}';
      moved record;
    begin
      if tg_op <> 'INSERT' then gone := ${ids("old")}; end if;
      if tg_op <> 'DELETE' then come := ${ids("new")}; end if;
      for moved in
        select id, sum(n)::int as n from (
          select unnest(gone) as id, -1 as n union all select unnest(come), 1) r
        where id is not null group by id having sum(n) <> 0 order by id
      loop
        update asset set refs = refs + moved.n,
          attached_at = case when refs + moved.n > 0 then coalesce(attached_at, clock_timestamp()) end,
          expires_at = case when refs + moved.n = 0 then clock_timestamp() + interval '24 hours' end
        where id = moved.id;
      end loop;
      return null;
    end $$`);
    this.addSql(`create trigger alert_assets_inserted after insert on alert for each row
      when (${all("new", "is not null")}) execute function alert_to_assets()`);
    this.addSql(`create trigger alert_assets_updated after update on alert for each row
      when (${REFERENCES.map((name) => `old.${name}_id is distinct from new.${name}_id`).join(" or ")})
      execute function alert_to_assets()`);
    this.addSql(`create trigger alert_assets_deleted after delete on alert for each row
      when (${all("old", "is not null")}) execute function alert_to_assets()`);
  }
}
