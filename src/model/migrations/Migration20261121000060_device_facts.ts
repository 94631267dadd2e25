// What handsets say of themselves becomes what it claims to be. Rows of before that do not fit are mapped: a platform to
// `other`, a version to `unknown`, a locale to `und`, a time zone to `UTC`; the breakdown is counted again.
// History: the judgements are copies of the live ones, which move on.

import { Migration } from "@mikro-orm/migrations";

const PLATFORMS = ["ios", "android", "web", "desktop", "cli", "other"];
const BCP47 =
  /^(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wy-z\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?$|^x(?:-[a-z\d]{1,8})+$/i;

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return /^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/.test(name);
  } catch {
    return false;
  }
}

export class Migration20261121000060_device_facts extends Migration {
  override async up(): Promise<void> {
    // Nobody joins, leaves or mutes while the breakdown is counted again.
    await this.execute("lock table subscription, device in share row exclusive mode");
    await this.execute("update device set platform = lower(platform) where platform <> lower(platform)");
    await this.#map("platform", "other", (value) => PLATFORMS.includes(value));
    await this.#map("app_version", "unknown", (value) => /^[0-9A-Za-z.+_-]{1,40}$/.test(value));
    await this.#map("locale", "und", (value) => value.length <= 64 && BCP47.test(value));
    await this.#map("timezone", "UTC", isTimeZone);
    this.addSql("delete from subscriber_mix");
    this.addSql(`insert into subscriber_mix (pusher_id, platform, app_version, locale, timezone, n, muted)
      select s.pusher_id, d.platform, d.app_version, d.locale, d.timezone, count(*), count(*) filter (where s.muted)
      from subscription s join device d on d.id = s.device_id group by 1, 2, 3, 4, 5`);
    const platforms = PLATFORMS.map((name) => `'${name}'`).join(", ");
    this.addSql(`alter table device add constraint device_platform_check check (platform in (${platforms}))`);
  }

  /** Puts `safe` in the place of every value of a column that does not fit. */
  async #map(column: string, safe: string, fits: (value: string) => boolean): Promise<void> {
    const rows = await this.execute(`select distinct ${column} as value from device`);
    const wrong = rows.map((row) => (row as { value: string }).value).filter((value) => !fits(value));
    if (wrong.length === 0) return;
    await this.execute(
      `update device set ${column} = ? where ${column} in (select jsonb_array_elements_text(?::jsonb))`,
      [safe, JSON.stringify(wrong)],
    );
  }
}
