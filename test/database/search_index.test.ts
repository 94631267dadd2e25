// The results of a search, compared with a scan of every row, in both plans: scanning alerts, and the index of terms.
// Also its cost in blocks of the database, with a hundred times as many rows.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getSearchWords, matchesSearchWord, parseQueryWords } from "../../src/model/domain/search_terms.ts";
import { formatId } from "../../src/model/domain/type_ids.ts";
import { searchAlertsByOrder } from "../../src/store/queries/alert_search.ts";
import { parseUuid } from "../support/handsets.ts";
import { listPlanNodes, type PlanNode } from "../support/query_plans.ts";
import { World } from "../support/world.ts";

type Row = { id: string; pusher_id: string; status: string; title: string };

/** More than a search looks at one by one. */
const ALERTS = 12_000;
const RARE = [
  "olden",
  "harb olden",
  "harbour high 17",
  "high 17",
  "low 17",
  "ti 4 low",
  "olden 17",
  "submarine",
  "hi ol",
];
const FREQUENT = ["tide", "ti high", "harbour", "harb low"];

describe("more alerts than are looked at one by one", () => {
  let world: World;
  const channels: string[] = [];

  beforeAll(async () => {
    world = await World.open();
    for (const tags of [["Harbour"], [], []]) channels.push((await world.pusher({ tags })).id);
    await world.sql(
      `insert into alert (id, pusher_id, status, title, sent_at, send_at, created_at)
       select gen_random_uuid(), (array[${channels.map((id) => `'${parseUuid(id)}'`)}]::uuid[])[1 + n % 3],
         case when n % 7 = 0 then 'draft' when n % 11 = 0 then 'scheduled' when n % 13 = 0 then 'cancelled' else 'sent'
           end,
         'Tide ' || case when n % 5 = 0 then 'high' else 'low' end || ' ' || n % 50 || case when n < 200 then ' olden'
           else '' end,
         case when n % 7 > 0 and n % 11 > 0 then at + n % 4 * interval '1 day' end,
         case when n % 7 > 0 and n % 11 = 0 then now() + n * interval '1 hour' end, at
       from (select n, date_trunc('day', now()) - interval '60 days' + n / 50 * interval '1 hour' as at
         from generate_series(1, ${ALERTS}) n) n`,
    );
    while ((await world.service.housekeeping.round("unindexed_alerts")) > 0);
  });
  afterAll(() => world?.close());

  /** The ordered results of a scan of every row. */
  async function readAll(
    query: string,
    status: string | null,
    order: "newest" | "oldest",
    among: readonly string[] = channels,
  ) {
    const instant = status === "sent" || status === "scheduled" ? "visible_at" : "created_at";
    const rows = (await world.sql(
      `select a.id, a.title || ' ' || array_to_string(p.tags, ' ') as title from alert a join pusher p on p.id =
        a.pusher_id
       where ${status ? `a.status = '${status}'` : "true"} and p.id in (${among.map((id) => `'${parseUuid(id)}'`)})
       order by ${order === "newest" ? `a.${instant} desc, a.id desc` : `a.${instant}, a.id`}`,
    )) as Row[];
    const wanted = parseQueryWords(query);
    return rows
      .filter(({ title }) => {
        const words = getSearchWords(title);
        return wanted.every((word) => matchesSearchWord(words, word));
      })
      .map(({ id }) => formatId("alr", id));
  }

  /** The results on pages, up to this number. No page is empty or short while more follows. */
  async function walk(args: Record<string, unknown>, pages = Infinity): Promise<string[]> {
    const ids: string[] = [];
    const tool = args.pusher_id ? "list_alerts" : "list_account_alerts";
    for (let before: string | undefined; ; ) {
      const { status, body } = await world.rest(tool, { limit: 100, ...args, ...(before && { before }) } as never);
      expect(status).toBe(200);
      ids.push(...body.data.map(({ id }: Row) => id));
      before = body.meta.next_before ?? undefined;
      if (before === undefined || --pages === 0) return ids;
      expect(body.data).toHaveLength(Number(args.limit ?? 100));
    }
  }

  async function same(queries: readonly string[], pages?: number) {
    for (const status of [null, "draft", "scheduled", "sent", "cancelled"])
      for (const order of ["newest", "oldest"] as const)
        for (const query of queries) {
          const found = await walk({ query, order, ...(status && { status }) }, pages);
          const all = await readAll(query, status, order);
          expect(found, `${query} ${status} ${order}`).toEqual(pages ? all.slice(0, 100 * pages) : all);
        }
  }

  const verb = (tool: string, at: { id: string; pusher_id: string }, args = {}) =>
    world.rest(
      tool as "send_alert",
      { pusher_id: formatId("psh", at.pusher_id), alert_id: formatId("alr", at.id), ...args } as never,
    );

  // rules#find-words rules#find-is-indexed
  test("rare words, and words of old alerts alone", () => same(RARE));

  // rules#find-words rules#find-place
  test("frequent terms, page by page", () => same(FREQUENT, 3));

  // rules#find-in-sight
  test("in one channel, and in some", async () => {
    for (const channel of channels)
      for (const query of ["olden", "high 17", "harbour olden", "submarine"])
        expect(await walk({ pusher_id: channel, query })).toEqual(await readAll(query, null, "newest", [channel]));
    const key = await world.memberKey("viewer", channels.slice(1));
    const { body } = await world.rest("list_account_alerts", { query: "olden", limit: 100 }, key);
    const theirs = await readAll("olden", null, "newest", channels.slice(1));
    expect(theirs.length).toBeGreaterThan(100);
    expect(body.data.map(({ id }: Row) => id)).toEqual(theirs.slice(0, 100));
  });

  // rules#find-place rules#find-time
  test("small pages of a rare word, within a time", async () => {
    const all = await readAll("olden", null, "newest");
    expect(await walk({ query: "olden", limit: 7 })).toEqual(all);
    const { body } = await world.rest("list_account_alerts", { query: "olden", limit: 1 });
    const from = body.data[0].created_at;
    const since = await walk({ query: "olden", from });
    expect(since.length).toBeGreaterThan(0);
    expect(since).toEqual(all.slice(0, since.length));
    expect(await walk({ query: "olden", to: from })).toEqual(all.slice(since.length));
  });

  // rules#find-words
  test("a change is found in its new text, at once", async () => {
    const oldest = async (status: string) =>
      (await world.sql("select id, pusher_id, status, title from alert where status = ? order by created_at limit 2", [
        status,
      ])) as Row[];
    const [edited, sent] = await oldest("draft");
    const [moved] = await oldest("scheduled");
    const [cancelled] = await oldest("sent");
    expect((await verb("update_alert", edited!, { title: "Submarino" })).status).toBe(200);
    expect(await walk({ query: "submarine" })).toEqual([]);
    expect((await verb("update_alert", edited!, { title: "Submarine" })).status).toBe(200);
    expect((await verb("update_alert", edited!, { title: "SUBMARINE" })).status).toBe(200);
    expect((await verb("send_alert", sent!)).status).toBe(200);
    expect((await verb("update_alert", moved!, { send_at: "2199-01-01T00:00:00Z" })).status).toBe(200);
    expect((await verb("cancel_alert", cancelled!)).status).toBe(200);
    expect(await walk({ query: "submarine" })).toEqual([formatId("alr", edited!.id)]);
    const [removed] = await oldest("draft");
    expect((await verb("delete_alert", removed!)).status).toBe(204);
    await same(["olden", "olden 17"]);
  });

  // rules#find-earlier
  test("writes and edits of an earlier version are found by their text at the time of indexing", async () => {
    const [{ id }] = (await world.sql("select id from alert where status = 'draft' limit 1")) as [Row];
    await world.sql("update alert set title = 'Whale' where id = ?", [id]);
    expect(await walk({ query: "whale" })).toEqual([]);
    expect(await world.service.housekeeping.round("unindexed_alerts")).toBe(1);
    expect(await walk({ query: "whale" })).toEqual([formatId("alr", id)]);
    await same(["olden", "submarine"]);
  });

  // rules#inbox-validator
  test("indexing terms changes no validator and no count", async () => {
    const states = () => world.sql("select pusher_id, revision, published, changed_at from channel_state order by 1");
    const before = await states();
    await world.sql("update alert set search_vector = null where title like '% 17'");
    expect(await world.service.housekeeping.round("unindexed_alerts")).toBeGreaterThan(200);
    expect(await states()).toEqual(before);
  });
});

/** Terms, and their distribution: everywhere, in few, in none, in old ones alone, two that are never in one alert. */
const ASKED = ["common", "rarely", "nowhere", "olden", "even odd"];
const FEW = 500;
const MANY = 100 * FEW;

describe("with a hundred times as many alerts", () => {
  let world: World;
  let one: string;
  beforeAll(async () => {
    world = await World.open();
  });
  afterAll(() => world?.close());

  /** A workspace's alerts, with their terms. */
  async function fill(from: number, to: number) {
    const em = world.service.orm.em.fork() as SqlEntityManager;
    await em.transactional(async (inside) => {
      await inside.execute("set local session_replication_role = replica");
      await inside.execute(
        `insert into alert (id, pusher_id, status, title, sent_at, created_at, search_vector)
         select gen_random_uuid(), p.id, 'sent', title, at, at,
           array_to_tsvector(string_to_array(title, ' ') || array['#' || right(p.id::text, 8), '%' ||
             right(p.workspace_id::text, 8)])
         from (select n, now() - interval '1000 days' + n * interval '1 minute' as at,
             'common' || case when n % ${FEW / 2} = 7 then ' rarely' else '' end
             || case when n <= ${FEW / 2} then ' olden' else '' end || case when n / 10 % 2 = 0 then ' even' else ' odd'
               end as title
           from generate_series(${from}, ${to}) n) n
         join (select id, workspace_id, row_number() over (order by id) as k from pusher) p on p.k = 1 + n % 10`,
      );
    });
    await world.sql("vacuum analyze alert");
  }

  /** The buffers that each word's first page reads, in all channels and in one; and the indexes. */
  async function cost() {
    const em = world.service.orm.em.fork() as SqlEntityManager;
    const buffers: Record<string, number> = {};
    const used: Record<string, Set<string | undefined>> = {};
    const { text, parameters } = searchAlertsByOrder.newest.sent;
    await em.transactional(async (inside) => {
      await inside.execute("set local plan_cache_mode = force_generic_plan");
      await inside.execute(`prepare search as ${text}`);
      for (const asked of ASKED)
        for (const [name, ids, scope] of [
          ["all", "null", `%${parseUuid(world.workspace.id).slice(-8)}`],
          ["one", `'{${one}}'`, `#${one.slice(-8)}`],
        ] as const) {
          const sought = asked.replace(" ", " & ");
          const values: Record<string, string> = {
            workspace_id: `'${parseUuid(world.workspace.id)}'`,
            pusher_ids: ids,
            sought: `'${sought}'`,
            tagged: "'[]'",
            recheck: "false",
            scans: `array['${sought} & ''${scope}''']`,
            limit: "51",
          };
          const list = parameters.map(([parameter]) => values[parameter] ?? "null").join(", ");
          const [row] = await inside.execute<any[]>(
            `explain (analyze, buffers, timing off, format json) execute search (${list})`,
          );
          const plan: PlanNode = row["QUERY PLAN"][0].Plan;
          buffers[`${asked} in ${name}`] = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
          used[`${asked} in ${name}`] = new Set(
            listPlanNodes(plan).flatMap((node) => (node["Actual Loops"] > 0 ? [node["Index Name"]] : [])),
          );
        }
      await inside.execute("deallocate search");
    });
    return { buffers, used };
  }

  // rules#find-is-indexed
  test("no word costs much more", async () => {
    for (let n = 0; n < 10; n++) one = parseUuid((await world.pusher()).id);
    await fill(1, FEW);
    const few = await cost();
    await fill(FEW + 1, MANY);
    const many = await cost();
    // A frequent term needs no index, and a rare one uses it.
    expect(many.used["common in all"]).toContain("alert_newest_sent");
    expect(many.used["common in all"]).not.toContain("alert_search_visible");
    expect(many.used["common in one"]).toContain("alert_inbox");
    for (const word of ["rarely", "nowhere", "olden", "even odd"])
      expect(many.used[`${word} in all`], word).toContain("alert_search_visible");
    // The nearest thousands are read in any case.
    const grown = Object.entries(many.buffers).filter(([name, n]) => n > few.buffers[name]! + 1_500);
    expect(grown, JSON.stringify([few.buffers, many.buffers])).toEqual([]);
  });
});
