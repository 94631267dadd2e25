// Values that no operation writes are refused when they are written; existing rows stay as they are.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261126012353_value_triggers extends Migration {
  override up(): void {
    this.addSql(`create or replace function alert_values() returns trigger language plpgsql as $$
  declare
    broken text;
  begin
    if not ((char_length(new.title) between 1 and 120 and new.title !~ '[\\u0001-\\u001f\\u007f-\\u009f]')
      and ((new.source_url like 'https://%' or new.source_url ~* '^https://'))
      and ((new.image_url like 'https://%' or new.image_url ~* '^https://'))
      and ((new.audio_url like 'https://%' or new.audio_url ~* '^https://'))
      and (not jsonb_path_exists(new.actions,
          '$[*].url ? (!(@ starts with "https://") && !(@ like_regex "^(https?://|$)" flag "i"))'))) then
      broken := case when not (char_length(new.title) between 1 and 120
          and new.title !~ '[\\u0001-\\u001f\\u007f-\\u009f]')
          and (tg_op = 'INSERT' or new.title is distinct from old.title) then 'title'
        when not ((new.source_url like 'https://%' or new.source_url ~* '^https://'))
            and (tg_op = 'INSERT' or new.source_url is distinct from old.source_url) then 'source_url'
        when not ((new.image_url like 'https://%' or new.image_url ~* '^https://'))
            and (tg_op = 'INSERT' or new.image_url is distinct from old.image_url) then 'image_url'
        when not ((new.audio_url like 'https://%' or new.audio_url ~* '^https://'))
            and (tg_op = 'INSERT' or new.audio_url is distinct from old.audio_url) then 'audio_url'
        when not (not jsonb_path_exists(new.actions,
            '$[*].url ? (!(@ starts with "https://") && !(@ like_regex "^(https?://|$)" flag "i"))'))
            and (tg_op = 'INSERT' or new.actions is distinct from old.actions) then 'actions' end;
      if broken is not null then
        raise exception '% of % is not valid', broken, tg_table_name
          using errcode = 'check_violation', table = tg_table_name, column = broken, constraint = tg_name;
      end if;
    end if;
    return new;
  end $$`);
    this.addSql(`create or replace function device_values() returns trigger language plpgsql as $$
  declare
    broken text;
  begin
    if not ((new.app_version ~ '^[0-9A-Za-z.+_-]{1,40}$')
      and (new.locale ~ '^[0-9A-Za-z-]{1,64}$')
      and (new.timezone ~ '^[0-9A-Za-z_+/-]{2,64}$')) then
      broken := case when not (new.app_version ~ '^[0-9A-Za-z.+_-]{1,40}$')
          and (tg_op = 'INSERT' or new.app_version is distinct from old.app_version) then 'app_version'
        when not (new.locale ~ '^[0-9A-Za-z-]{1,64}$')
            and (tg_op = 'INSERT' or new.locale is distinct from old.locale) then 'locale'
        when not (new.timezone ~ '^[0-9A-Za-z_+/-]{2,64}$')
            and (tg_op = 'INSERT' or new.timezone is distinct from old.timezone) then 'timezone' end;
      if broken is not null then
        raise exception '% of % is not valid', broken, tg_table_name
          using errcode = 'check_violation', table = tg_table_name, column = broken, constraint = tg_name;
      end if;
    end if;
    return new;
  end $$`);
    this.addSql(`create or replace function pusher_values() returns trigger language plpgsql as $$
  declare
    broken text;
  begin
    if not ((new.handle ~ '^[a-z0-9][a-z0-9_-]{1,28}[a-z0-9]$')
      and ((new.site like 'https://%' or new.site ~* '^https://'))
      and ((new.image_asset_id is not null or (new.image_url like 'https://%' or new.image_url ~* '^https://')))
      and (new.gradient_from ~ '^#[0-9a-f]{6}$')
      and (new.gradient_to ~ '^#[0-9a-f]{6}$')) then
      broken := case when not (new.handle ~ '^[a-z0-9][a-z0-9_-]{1,28}[a-z0-9]$')
          and (tg_op = 'INSERT' or new.handle is distinct from old.handle) then 'handle'
        when not ((new.site like 'https://%' or new.site ~* '^https://'))
            and (tg_op = 'INSERT' or new.site is distinct from old.site) then 'site'
        when not ((new.image_asset_id is not null or (new.image_url like 'https://%' or new.image_url ~* '^https://')))
            and (tg_op = 'INSERT' or new.image_url is distinct from old.image_url) then 'image_url'
        when not (new.gradient_from ~ '^#[0-9a-f]{6}$')
            and (tg_op = 'INSERT' or new.gradient_from is distinct from old.gradient_from) then 'gradient_from'
        when not (new.gradient_to ~ '^#[0-9a-f]{6}$')
            and (tg_op = 'INSERT' or new.gradient_to is distinct from old.gradient_to) then 'gradient_to' end;
      if broken is not null then
        raise exception '% of % is not valid', broken, tg_table_name
          using errcode = 'check_violation', table = tg_table_name, column = broken, constraint = tg_name;
      end if;
    end if;
    return new;
  end $$`);
    this.addSql(`create or replace function webhook_endpoint_values() returns trigger language plpgsql as $$
  declare
    broken text;
  begin
    if not ((new.url ~* '^https?://')) then
      broken := case when not (new.url ~* '^https?://')
          and (tg_op = 'INSERT' or new.url is distinct from old.url) then 'url' end;
      if broken is not null then
        raise exception '% of % is not valid', broken, tg_table_name
          using errcode = 'check_violation', table = tg_table_name, column = broken, constraint = tg_name;
      end if;
    end if;
    return new;
  end $$`);
    this.addSql(`create trigger alert_values before insert or update of title, source_url, image_url, audio_url, actions
  on alert for each row
  execute function alert_values()`);
    this.addSql(`create trigger device_values before insert or update of app_version, locale, timezone
  on device for each row
  execute function device_values()`);
    this.addSql(`create trigger pusher_values before insert
  or update of handle, site, image_url, gradient_from, gradient_to
  on pusher for each row
  execute function pusher_values()`);
    this.addSql(`create trigger webhook_endpoint_values before insert or update of url on webhook_endpoint for each row
  execute function webhook_endpoint_values()`);
  }
}
