// A search of the directory reads an index: every run of one to three letters of a channel's name and tags.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122082000_search_grams extends Migration {
  override up(): void {
    this.addSql("alter table pusher add grams text[] not null default '{}'");
    this.addSql(`create or replace function pusher_to_grams() returns trigger language plpgsql as $$
  begin
    new.grams := array(select distinct substr(new.search, i, n)
      from generate_series(1, 3) n, generate_series(1, char_length(new.search) - n + 1) i);
    return new;
  end $$`);
    this.addSql(`create trigger pusher_searched before insert or update of search on pusher for each row
  execute function pusher_to_grams()`);
    // The channels that are there already; the index then is made at once.
    this.addSql("update pusher set search = search");
    this.addSql(
      "create index pusher_search on pusher using gin (grams) where is_public and status = 'active'",
    );
    // Those with a circle, for what is near.
    this.addSql(
      "create index pusher_placed on pusher (created_at) where is_public and status = 'active' and radius_km is not null",
    );
  }
}
