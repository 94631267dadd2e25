// Long lists: with 300 channels, 20,000 alerts, 1,000 subscribers and as many rows of every other list. Each list is a
// page of limited length on a phone, has further pages, and can be searched. Covers rules#console-lists.

import { beforeAll, expect, test } from "vitest";
import { formatId } from "../../src/model/domain/type_ids.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { MAX_PAGE_BYTES, measurePageBytes } from "../support/page_checks.ts";

const CHANNELS = 300;
/** Fourteen screens of a phone. */
const LONGEST = 14 * 844;

describeInBrowser("lists of many rows", () => {
  const here = openSiteAsOwner();
  let channel: string;
  let member: string;
  beforeAll(async () => {
    const { world } = here.site;
    const { id } = await world.pusher({ handle: "many", name: "Many" });
    channel = id;
    const [{ pusher, workspace, owner }] = await world.sql(
      "select p.id as pusher, p.workspace_id as workspace, m.id as owner from pusher p join member m on " +
        "m.workspace_id = p.workspace_id",
    );
    const one = [pusher];
    for (const [sql, values = []] of [
      [
        `insert into pusher select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'handle',
          'channel-' || n,
           'name', 'Channel number ' || n, 'created_at', now() - n * interval '1 day'))).* from pusher p,
             generate_series(2, ${CHANNELS}) n`,
      ],
      // Those that come first were made first, before 1,999 that come later.
      [
        `insert into alert (id, pusher_id, status, title, sent_at, send_at, created_at)
         select gen_random_uuid(), p.id, s, s || ' ' || n, case when s = 'sent' then now() - n * interval '1 minute'
           end,
           case when s = 'scheduled' then now() + n * interval '1 hour' end,
           now() - (20000 - n) * interval '1 minute'
         from generate_series(1, 20000) n,
           lateral (select case when n <= 2000 then 'scheduled' when n <= 4000 then 'draft' when n <= 5000 then
             'cancelled' else 'sent' end) k (s),
           lateral (select (array_agg(id order by created_at desc))[1 + n % ${CHANNELS}] from pusher) p (id)`,
      ],
      [
        `insert into alert (id, pusher_id, status, title, sent_at, created_at)
         select gen_random_uuid(), ?, 'sent', 'lately ' || n, now() - n * interval '1 minute', now() - interval
           '90 days' - n * interval '1 second'
         from generate_series(1, 500) n`,
        one,
      ],
      [
        `insert into device (id, token_hash, platform, app_version, locale, timezone)
         select n, decode(lpad(to_hex(n), 64, '0'), 'hex'), 'ios', '1.' || n % 40, 'en', 'Europe/Lisbon' from
           generate_series(1, 1000) n`,
      ],
      [
        `insert into subscription (device_id, pusher_id, permissions, muted, subscribed_at)
         select n, ?, '{}', n % 7 = 0, now() - n * interval '1 hour' from generate_series(1, 1000) n`,
        one,
      ],
      [
        `insert into member (id, workspace_id, email, role, pusher_ids)
         select gen_random_uuid(), ?, 'm' || n || '@example.org', 'editor', (select array_agg(id) from (select id from
           pusher limit 100) p)
         from generate_series(1, 300) n`,
        [workspace],
      ],
      [
        `insert into api_key (id, member_id, name, hash, scopes, last_used_at)
         select gen_random_uuid(), ?, 'key ' || n, decode(lpad(to_hex(n), 64, '0'), 'hex'), '{alerts:read}', now() from
           generate_series(1, 300) n`,
        [owner],
      ],
      [
        `insert into invite (id, pusher_id, code, label) select gen_random_uuid(), ?, 'code' || n, 'invite ' || n from
          generate_series(1, 300) n`,
        one,
      ],
      [
        `insert into audit_event (id, workspace_id, actor_type, transport, operation, created_at)
         select gen_random_uuid(), ?, 'operator', 'operator', 'create_alert', now() - n * interval '1 minute' from
           generate_series(1, 2000) n`,
        [workspace],
      ],
      ["analyze"],
    ] as [string, unknown[]?][])
      await world.sql(sql, values);
    const [found] = await world.sql("select id from member where email = 'm7@example.org'");
    member = found.id;
  });

  const LISTS = [
    ...["", "channels", "channels?status=active", "drafts", "scheduled", "sent", "stats", "audit", "members", "keys"],
    ...[
      "channels/:channel",
      "channels/:channel?status=sent",
      "channels/:channel/subscribers",
      "channels/:channel/invites",
    ],
    ...["channels/:channel/stats?days=364", "members/:member", "files", "webhooks", "assistants"],
  ];

  let phone: Awaited<ReturnType<typeof here.visit>>;
  beforeAll(async () => {
    phone = await here.visit({ viewport: { width: 390, height: 844 } });
  });

  test.each(LISTS)("%s is as long as a page", async (path) => {
    const { page, faults } = phone;
    const address = path.replace(":channel", channel).replace(":member", formatId("mem", member));
    const seen: number[] = [];
    for (let at: string | null = here.base + address; at && seen.length < 2; ) {
      expect((await page.goto(at))!.status()).toBe(200);
      const [width, height] = await page.evaluate<[number, number]>(
        "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]",
      );
      expect([at, width, height < LONGEST, (await measurePageBytes(page)) < MAX_PAGE_BYTES]).toEqual([
        at,
        390,
        true,
        true,
      ]);
      seen.push(height);
      const on = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: /Older|Next|Later/ });
      at = (await on.count()) > 0 ? await on.first().evaluate((link: any) => link.href as string) : null;
    }
    expect(faults.splice(0)).toEqual([]);
  });

  const read = async (path: string) => (await here.owner.get(new URL(here.base).pathname + path)).text;
  const titles = (text: string) => [...text.matchAll(/alerts\/alr_\w+">([^<]+)</g)].map(([, title]) => title);
  /** "sent 1", "sent 2", … */
  const named = (status: string, length: number, from = 1) => Array.from({ length }, (_, i) => `${status} ${from + i}`);

  test("upcoming alerts are the soonest, and recent ones the newest sent, for any time of writing", async () => {
    const overview = await read("");
    const [next, sent] = [overview.indexOf('id="next"'), overview.indexOf('id="sent"')];
    expect(titles(overview.slice(next, sent))).toEqual(named("scheduled", 5));
    expect(titles(overview.slice(sent))).toEqual(named("lately", 5));
    const pages = [await read("scheduled"), await read("sent")];
    expect(pages.map(titles)).toEqual([named("scheduled", 25), named("lately", 25)]);
    const on = pages.map((text) => /href="[^"]*\/((?:scheduled|sent)\?before=[^"]+)"/.exec(text)![1]!);
    const further = await Promise.all(on.map(read));
    expect(further.map(titles)).toEqual([named("scheduled", 25, 26), named("lately", 25, 26)]);
  });

  test("a list is searched, and a search without results has a message", async () => {
    for (const [path, words, found] of [
      ["channels", "number 77", /Channel number 77</],
      ["stats", "channel-77", /Channel number 77</],
      ["members", "M77@", /m77@example.org/],
      ["keys", "key 77", /<strong>key 77</],
    ] as const) {
      const q = `?${new URLSearchParams({ q: words })}`;
      expect([path, found.test(await read(path)), found.test(await read(path + q))]).toEqual([path, false, true]);
      expect(await read(`${path}?q=zzz`)).toMatch(/No matches|No matching channels/);
    }
  });

  test("a member's channels are looked for among many; what is ticked stays, and looking saves nothing", async () => {
    const { owner } = here;
    const from = `${new URL(here.base).pathname}members`;
    const boxes = (text: string) => [...text.matchAll(/ name="pusher" value="(\w+)"( checked)?/g)];
    const first = boxes(await read("members"));
    expect(first).toHaveLength(12);
    const ticked = [first[3]![1]!, first[5]![1]!];
    const typed = { email: "new@example.org", role: "viewer", sees: "some", pusher: ticked };
    const members = () => here.site.world.sql("select count(*)::int as n from member");
    const before = await members();
    const found = await owner.post(from, { ...typed, find: "number 77", look: "0" });
    expect([found.status, found.text.includes('value="new@example.org"')]).toEqual([200, true]);
    const offered = boxes(found.text);
    expect(offered.filter(([, , on]) => on).map(([, id]) => id)).toEqual(ticked);
    expect(offered).toHaveLength(3);
    const on = await owner.post(from, { ...typed, find: "", look: "12" });
    expect(
      boxes(on.text)
        .slice(0, 2)
        .map(([, id]) => id),
    ).toEqual(ticked);
    expect(boxes(on.text)).toHaveLength(14);
    expect(on.text).toContain("13 to 24 of 298");
    expect(await members()).toEqual(before);
    const added = await owner.post(from, { ...typed, pusher: [...ticked, offered[2]![1]!], find: "number 77" });
    expect(added.status).toBe(200);
    const [{ n }] = await here.site.world.sql(
      "select cardinality(pusher_ids) as n from member where email = 'new@example.org'",
    );
    expect(n).toBe(3);
  });
});
