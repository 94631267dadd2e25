// A channel's uploaded picture is held by the channel, as an alert's files are by the alert.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122150201_channel_picture extends Migration {
  override up(): void {
    this.addSql("alter table pusher add image_asset_id uuid null");
    this.addSql(
      "alter table pusher add constraint pusher_image_asset_id_foreign foreign key (image_asset_id) references asset (id) on delete no action",
    );
    this.addSql(
      "create index pusher_image_asset on pusher (image_asset_id) where image_asset_id is not null",
    );
    this.addSql(`create or replace function pusher_to_assets() returns trigger language plpgsql as $$
  declare
    gone uuid;
    come uuid;
    moved record;
  begin
    if tg_op <> 'INSERT' then gone := old.image_asset_id; end if;
    if tg_op <> 'DELETE' then come := new.image_asset_id; end if;
    for moved in
      select id, n from (values (gone, -1), (come, 1)) r (id, n) where id is not null order by id
    loop
      update asset set refs = refs + moved.n,
        attached_at = case when refs + moved.n > 0 then coalesce(attached_at, clock_timestamp()) end,
        expires_at = case when refs + moved.n = 0 then clock_timestamp() + interval '24 hours' end
      where id = moved.id;
    end loop;
    return null;
  end $$`);
    this.addSql(`create trigger pusher_assets_deleted after delete on pusher for each row
  when (old.image_asset_id is not null) execute function pusher_to_assets()`);
    this.addSql(`create trigger pusher_assets_inserted after insert on pusher for each row
  when (new.image_asset_id is not null) execute function pusher_to_assets()`);
    this.addSql(`create trigger pusher_assets_updated after update on pusher for each row
  when (old.image_asset_id is distinct from new.image_asset_id) execute function pusher_to_assets()`);
  }
}
