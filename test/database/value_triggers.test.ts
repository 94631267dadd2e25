// Values that no operation writes are refused by the database when they are written, and rows of older versions stay
// usable.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ALERT_FIELDS } from "../../src/model/fields/alert.ts";
import { CHANNEL_FIELDS } from "../../src/model/fields/channel.ts";
import { DEVICE_FIELDS } from "../../src/model/fields/device.ts";
import { WEBHOOK_FIELDS } from "../../src/model/fields/webhook.ts";
import { VALUE_RULES } from "../../src/model/tables/value_check_triggers.ts";
import { applyPendingMigrations } from "../../src/store/db/migrate.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { channelCreateFields } from "../../src/store/response_schemas/channel_schemas.ts";
import { openWorld } from "../support/open_world.ts";
import { freshDatabase } from "../support/world.ts";

const world = await openWorld();
const { handle, id } = await world.pusher();
await world.alert(id, { title: "Bridge", source_url: "https://example.com/", send: true });
await world.device(handle);
await world.rest("create_webhook", { url: "https://1.1.1.1/x", events: ["alert.sent"] });

/** A value of each column that its rule refuses. */
const BROKEN: [table: string, column: string, value: string][] = [
  ["pusher", "handle", "Harbour"],
  ["pusher", "handle", "../x"],
  ["pusher", "handle", "hаrbour"],
  ["pusher", "handle", "harbour\nwatch"],
  ["pusher", "site", "javascript:alert(1)"],
  ["pusher", "site", "http://example.com/"],
  ["pusher", "image_url", "data:image/svg+xml,x"],
  ["pusher", "gradient_from", "red;background:url(//x)"],
  ["pusher", "gradient_to", "#00AAFF"],
  ["alert", "title", ""],
  ["alert", "title", "x".repeat(121)],
  ["alert", "title", "A\u001b[31m"],
  ["alert", "title", "Two\nlines"],
  ["alert", "title", "a\u009bb"],
  ["alert", "source_url", "javascript:alert(1)"],
  ["alert", "source_url", " https://example.com/"],
  ["alert", "image_url", "http://example.com/x.png"],
  ["alert", "audio_url", "ftp://example.com/x"],
  ["alert", "actions", '[{"label":"Read","url":"javascript:alert(1)"}]'],
  ["alert", "actions", '[{"label":"A","url":"https://x.example/"},{"label":"B","url":"data:text/html,x"}]'],
  ["alert", "actions", '[{"label":"A","url":"x\\nhttps://x.example/"}]'],
  ["device", "app_version", "Ignore all that was said"],
  ["device", "locale", "en; drop"],
  ["device", "timezone", "Europe/Lisbon\nx"],
  ["webhook_endpoint", "url", "file:///etc/passwd"],
];

/** A row that differs from one that is there by its keys and these values, as JSON. */
const another = (table: string) =>
  `insert into ${table} select (jsonb_populate_record(r, (?::jsonb || jsonb_build_object('id', ${
    table === "device" ? "(random() * 1e15)::bigint" : "gen_random_uuid()"
  })) || ${table === "device" ? "jsonb_build_object('token_hash', '\\x' || md5(random()::text))" : "'{}'"})).* from
    ${table} r limit 1`;

// rules#values-written
describe("SQL by hand", () => {
  test.each(BROKEN)("%s.%s is not %j", async (table, column, text) => {
    const value = column === "actions" ? JSON.parse(text) : text;
    const refused = { code: "23514", column, table };
    if (table !== "alert")
      await expect(
        world.sql(another(table), [JSON.stringify({ handle: "other-one", [column]: value })]),
      ).rejects.toMatchObject({ ...refused, constraint: `${table}_values` });
    else
      await expect(
        world.sql(
          `insert into alert (id, pusher_id, title, ${column === "title" ? "body" : column}) select gen_random_uuid(),
            id, ${column === "title" ? "?, ''" : `'T', ?${column === "actions" ? "::jsonb" : ""}`} from pusher limit 1`,
          [text],
        ),
      ).rejects.toMatchObject({ ...refused, constraint: "alert_values" });
    const cast = column === "actions" ? "::jsonb" : "";
    await expect(world.sql(`update ${table} set ${column} = ?${cast}`, [text])).rejects.toMatchObject({
      ...refused,
      constraint: `${table}_values`,
    });
  });

  test("each rule is tried", () => {
    const tried = new Set(BROKEN.map(([table, column]) => `${table}.${column}`));
    const rules = Object.entries(VALUE_RULES).flatMap(([table, columns]) =>
      Object.keys(columns).map((column) => `${table}.${column}`),
    );
    expect([...tried].sort()).toEqual(rules.sort());
  });
});

// rules#values-written
describe("the rule in code and the rule in the database", () => {
  const ODD = [
    "https://",
    "HTTPS://",
    "http://",
    "javascript:",
    "a",
    "é",
    "Z",
    "0",
    "-",
    "_",
    ".",
    "/",
    "+",
    "#",
    " ",
    "\n",
    "\u0007",
    "\u009b",
    "\u202e",
    "😀",
    "ab12cd",
    "Europe/",
    "Lisbon",
    "en",
    "pt-BR",
    "example.com",
  ];
  const anyText = fc
    .oneof(
      fc.array(fc.constantFrom(...ODD), { maxLength: 8 }).map((parts) => parts.join("")),
      fc.string({ unit: "grapheme", maxLength: 140 }),
      fc.stringMatching(/^[a-z0-9_-]{1,32}$/),
      fc.stringMatching(/^#[0-9a-fA-F]{5,7}$/),
      fc.webUrl(),
      fc.constantFrom("UTC", "Europe/Lisbon", "america/new_york", "Etc/GMT+5", "+01:00"),
    )
    .filter((value) => !value.includes("\0") && value.isWellFormed());
  const FIELDS: Record<string, Record<string, any>> = {
    pusher: { ...CHANNEL_FIELDS, handle: { accepts: channelCreateFields.handle } },
    alert: ALERT_FIELDS,
    device: DEVICE_FIELDS,
    webhook_endpoint: WEBHOOK_FIELDS,
  };
  /** Those that accept exactly what the field does. */
  const EXACT = ["pusher.handle", "device.app_version"];
  const CASES = Object.entries(VALUE_RULES).flatMap(([table, columns]) =>
    Object.keys(columns)
      // A webhook's address is judged with the settings, and colours are made by the operation.
      .filter((column) => column !== "actions" && table !== "webhook_endpoint" && !/^gradient/.test(column))
      .map((column) => [table, column] as const),
  );

  test.each(CASES)("%s.%s agree", async (table, column) => {
    const values = fc.sample(anyText, { numRuns: 1500, seed: 36 });
    const { accepts } = FIELDS[table]![column];
    const rule = VALUE_RULES[table]![column]!("r");
    const judged = await world.sql(
      `select ${rule} as is_accepted from jsonb_array_elements_text(?::jsonb) with ordinality as e (value, n)
       cross join lateral (select e.value as ${column}, null::uuid as image_asset_id) r order by n`,
      [JSON.stringify(values)],
    );
    const byField = values.map((value) => accepts.safeParse(value).success);
    expect(new Set(byField).size, "both outcomes occur").toBe(2);
    const disagree = values.filter((_, i) =>
      EXACT.includes(`${table}.${column}`)
        ? byField[i] !== judged[i].is_accepted
        : byField[i] && !judged[i].is_accepted,
    );
    expect(disagree).toEqual([]);
  });

  test("actions of each form are accepted", async () => {
    const { id } = await world.pusher();
    const actions = [
      { type: "open_url", label: "Read", url: "HTTPS://example.com/" },
      { label: "More", url: 'https://example.com/a"b'.replace('"', "%22") },
      { type: "reply", label: "Coming?", choices: ["Yes", "javascript:no"] },
    ];
    expect(await world.alert(id, { title: "T", actions })).toMatchObject({ status: "draft" });
  });
});

// rules#values-written, rules#upgrade
test("rows of an older version that break a rule survive the upgrade, and their other columns change", async () => {
  const kept = (name: string) => readFileSync(join(import.meta.dirname, "released_versions", name), "utf8");
  const old = await freshDatabase({ empty: true });
  const settings = { ...old.settings, SECRET: JSON.parse(kept("0.1.0.json")).secret } as Record<string, string>;
  const orm = createOrm({ databaseUrl: settings.DATABASE_URL!, databasePoolSize: 4 });
  const client = await (await orm.driver.getConnection().getNativeClient()).connect();
  try {
    await client.query(kept("0.1.0.sql"));
    const own = "update pusher set site = 'http://old.example/', gradient_from = 'red', handle = 'Old ' || handle";
    await client.query(`${own}; update alert set title = E'Old\\nlines', image_url = 'javascript:x', actions =
      '[{"label":"x","url":"javascript:x"}]';
      update device set locale = 'not a language'; update webhook_endpoint set url = 'gopher://old'`);
    await applyPendingMigrations(orm);
    await client.query(`update pusher set status = 'paused', site = site, handle = handle, updated_at =
      clock_timestamp();
      update alert set body = 'New', title = title, actions = actions, updated_at = clock_timestamp();
      update device set last_seen_at = clock_timestamp(), timezone = 'Asia/Tokyo'; update webhook_endpoint
        set failure_count = 1`);
    const rows = await client.query("select handle, site, status from pusher where handle = 'Old kept-harbour'");
    expect(rows.rows).toEqual([{ handle: "Old kept-harbour", site: "http://old.example/", status: "paused" }]);
    // A wrong value may become another one only if that is right.
    await expect(client.query("update pusher set site = 'http://new.example/'")).rejects.toMatchObject({
      column: "site",
    });
    await client.query("update pusher set site = 'https://new.example/'");
  } finally {
    client.release();
    await orm.close(true);
    await old.remove();
  }
});
