// What a search finds does not depend on whether alerts stand in blocks yet: held against a search that reads them all, while alerts
// become blocks, change, are sent, withdrawn and removed. And what it costs: in blocks of the database, by a hundred times as many rows.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeBlocks } from "../../src/effects/housekeeping/search.ts";
import { showId } from "../../src/model/domain/ids.ts";
import { wordsOf } from "../../src/model/domain/words.ts";
import { searchAlerts } from "../../src/store/queries/alert_lists.ts";
import { uuidOf } from "../support/handsets.ts";
import { ownerOf } from "../support/site.ts";
import { World } from "../support/world.ts";

type Row = { id: string; status: string; title: string; at: string };

describe("alerts in blocks and loose ones", () => {
  let world: World;
  const channels: string[] = [];

  beforeAll(async () => {
    world = await World.open();
    for (const tags of [["Harbour"], [], []]) channels.push((await world.pusher({ tags })).id);
    // Beside another workspace's, of the same channel's letters or not.
    await world.sql(
      `insert into alert (id, pusher_id, status, title, sent_at, send_at, created_at)
       select gen_random_uuid(), (array[${channels.map((id) => `'${uuidOf(id)}'`)}]::uuid[])[1 + n % 3],
         case when n % 7 = 0 then 'draft' when n % 11 = 0 then 'scheduled' else 'sent' end,
         'Tide ' || case when n % 3 = 0 then 'high' else 'low' end || ' ' || n % 50 || case when n < 100 then ' olden' else '' end,
         case when n % 7 > 0 and n % 11 > 0 then at + n % 4 * interval '1 day' end,
         case when n % 7 > 0 and n % 11 = 0 then now() + n * interval '1 hour' end, at
       from (select n, date_trunc('day', now()) - interval '60 days' + n / 5 * interval '1 hour' as at from generate_series(1, 1400) n) n`,
    );
    while ((await world.service.housekeeping.round("wanted_words")) > 0);
  });
  afterAll(() => world?.close());

  /** What a reader of every row finds, in order. */
  async function readAll(
    query: string,
    status: string | null,
    order: "newest" | "oldest",
  ): Promise<string[]> {
    const shown = status === "sent" || status === "scheduled";
    const rows = await world.sql<Row>(
      `select a.id, a.title || ' ' || array_to_string(p.tags, ' ') as title from alert a join pusher p on p.id = a.pusher_id
       where ${status ? `a.status = '${status}'` : "true"}
       order by ${shown ? "a.visible_at" : "a.created_at"} ${order === "newest" ? "desc, a.id desc" : ", a.id"}`,
    );
    const wanted = wordsOf(query);
    const begins = (one: string, word: string) => (/^\w$/.test(word) ? one === word : one.startsWith(word));
    return (rows as Row[])
      .filter(({ title }) => wanted.every((word) => wordsOf(title).some((one) => begins(one, word))))
      .map(({ id }) => showId("alr", id));
  }

  /** What pages find; a short one goes on. */
  async function walk(args: object): Promise<string[]> {
    const ids: string[] = [];
    for (let before: string | undefined; ; ) {
      const { status, body } = await world.rest("list_account_alerts", {
        ...args,
        limit: 100,
        ...(before && { before }),
      });
      expect(status).toBe(200);
      ids.push(...body.data.map(({ id }: Row) => id));
      expect(body.meta.next_before).not.toBe(before);
      if (body.meta.looked_to) expect(body.meta.next_before).toBeTruthy();
      before = body.meta.next_before ?? undefined;
      if (before === undefined) return ids;
    }
  }

  async function same() {
    for (const status of [null, "draft", "scheduled", "sent", "cancelled"])
      for (const order of ["newest", "oldest"] as const)
        for (const query of ["tide high", "olden", "harb ti", "harbour", "ti 4 low", "submarine"]) {
          const found = await walk({ query, order, ...(status && { status }) });
          expect(found, `${query} ${status} ${order}`).toEqual(await readAll(query, status, order));
        }
  }

  const loose = async () => (await world.sql("select count(*)::int as n from loose_alert"))[0].n;
  const verb = (tool: string, at: { id: string; pusher_id: string }, args = {}) =>
    world.rest(
      tool as "send_alert",
      {
        pusher_id: showId("psh", at.pusher_id),
        alert_id: showId("alr", at.id),
        ...args,
      } as never,
    );

  // docs/rules.md#find-words docs/rules.md#find-in-blocks
  test("a search finds the same before and after, and what changes then as it is then", async () => {
    expect(await loose()).toBe(1400);
    await same();
    while ((await world.service.housekeeping.round("loose_alerts")) > 0);
    expect(await loose()).toBeLessThan(400);
    const blocks = "select count(*)::int as n from alert_block";
    expect((await world.sql(blocks))[0].n).toBeGreaterThan(4);
    await same();

    const placed = async (status: string) =>
      world.sql<any>(
        `select a.id, a.pusher_id from alert a join alert_words w on w.alert_id = a.id and w.block_id is not null
         where a.status = ? order by a.created_at limit 2`,
        [status],
      );
    const [edited, sent] = await placed("draft");
    const [moved] = await placed("scheduled");
    const [cancelled] = await placed("sent");
    expect((await verb("update_alert", edited, { title: "Submarine" })).status).toBe(200);
    expect((await verb("send_alert", sent)).status).toBe(200);
    expect((await verb("update_alert", moved, { send_at: "2199-01-01T00:00:00Z" })).status).toBe(200);
    expect((await verb("cancel_alert", cancelled)).status).toBe(200);
    await same();
    expect(await walk({ query: "submarine" })).toEqual([showId("alr", edited.id)]);

    const [removed] = await placed("draft");
    expect((await verb("delete_alert", removed)).status).toBe(204);
    expect(await world.service.housekeeping.round("worn_blocks")).toBe(1);
    expect(await world.service.housekeeping.round("worn_blocks")).toBe(0);
    await same();
  });

  // docs/rules.md#find-earlier
  test("a version that knows of no words edits an alert: its former words find it no more", async () => {
    const [{ id }] = (await world.sql(
      `select a.id from alert a join alert_words w on w.alert_id = a.id and w.block_id is not null where status = 'draft' limit 1`,
    )) as any;
    await world.sql("update alert set title = 'Whale' where id = ?", [id]);
    expect(await walk({ query: "whale" })).toEqual([]);
    await world.service.housekeeping.round("wanted_words");
    expect(await walk({ query: "whale" })).toEqual([showId("alr", id)]);
    await same();
  });

  test("a block of which nothing is left goes", async () => {
    const [{ id, n }] = (await world.sql(
      "select block_id as id, count(*)::int as n from alert_words where block_id is not null group by 1 limit 1",
    )) as any;
    expect(n).toBeGreaterThan(0);
    await world.sql("delete from alert where id in (select alert_id from alert_words where block_id = ?)", [
      id,
    ]);
    expect(await world.service.housekeeping.round("worn_blocks")).toBe(1);
    expect(await world.sql("select from alert_block where id = ?", [id])).toEqual([]);
    await same();
  });
});

interface Node {
  "Index Name"?: string;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: Node[];
}
const nodes = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodes)];

/** Words, and how they are spread: everywhere, in few, in none, in old ones alone, two that are never in one alert. */
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

  /** A workspace's alerts, in blocks and analysed. */
  async function fill(from: number, to: number) {
    const em = world.service.orm.em.fork() as SqlEntityManager;
    await em.transactional(async (inside) => {
      await inside.execute("set local session_replication_role = replica");
      await inside.execute(
        `insert into alert (id, pusher_id, status, title, sent_at, created_at)
         select gen_random_uuid(), p.id, 'sent', 'common' || case when n % ${FEW / 2} = 7 then ' rarely' else '' end
           || case when n <= ${FEW / 2} then ' olden' else '' end || case when n / 10 % 2 = 0 then ' even' else ' odd' end, at, at
         from (select n, now() - interval '1000 days' + n * interval '1 minute' as at from generate_series(${from}, ${to}) n) n
         join (select id, row_number() over (order by id) as k from pusher) p on p.k = 1 + n % 10`,
      );
      await inside.execute(`insert into alert_words (alert_id, words)
        select id, array_to_tsvector(array(select right(pusher_id::text, 6) || w from unnest(string_to_array(title, ' ')) w)) from alert
        on conflict do nothing`);
      await inside.execute(`insert into loose_alert (alert_id, workspace_id, pusher_id, created_at)
        select a.id, p.workspace_id, a.pusher_id, a.created_at from alert a join pusher p on p.id = a.pusher_id
        join alert_words w on w.alert_id = a.id and w.block_id is null on conflict do nothing`);
    });
    while ((await makeBlocks(world.service.orm, 1000)) > 0);
    // So many at once leave empty pages behind, which would be counted.
    await world.sql("vacuum full loose_alert");
    for (const table of ["alert", "alert_words", "alert_block", "loose_alert"])
      await world.sql(`vacuum analyze ${table}`);
  }

  /** The buffers that each word's first page reads, in all channels and in one; and the indexes. */
  async function cost() {
    const em = world.service.orm.em.fork() as SqlEntityManager;
    const buffers: Record<string, number> = {};
    const used = new Set<string | undefined>();
    const { text, parameters } = searchAlerts.newest.sent;
    await em.transactional(async (inside) => {
      await inside.execute(`prepare search as ${text}`);
      for (const asked of ASKED)
        for (const [name, ids] of [
          ["all", "null"],
          ["one", `'{${one}}'`],
        ]) {
          const values: Record<string, string> = {
            workspace_id: `'${uuidOf(world.workspace.id)}'`,
            pusher_ids: ids!,
            words: `'{${asked.replace(" ", ",")}}'`,
            limit: "51",
          };
          const list = parameters.map(([parameter]) => values[parameter] ?? "null").join(", ");
          const [row] = await inside.execute<any[]>(
            `explain (analyze, buffers, timing off, format json) execute search (${list})`,
          );
          const plan: Node = row["QUERY PLAN"][0].Plan;
          buffers[`${asked} in ${name}`] = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
          for (const node of nodes(plan)) used.add(node["Index Name"]);
        }
      await inside.execute("deallocate search");
    });
    return { buffers, used };
  }

  // docs/rules.md#find-is-indexed
  test("no word costs much more", async () => {
    for (let n = 0; n < 10; n++) one = uuidOf((await world.pusher()).id);
    await fill(1, FEW);
    const few = await cost();
    await fill(FEW + 1, MANY);
    const many = await cost();
    expect(many.used).toContain("alert_block_found");
    expect(many.used).toContain("alert_words_in_block");
    const grown = Object.entries(many.buffers).filter(([name, n]) => n > 5 * few.buffers[name]! + 500);
    expect(grown, JSON.stringify([few.buffers, many.buffers])).toEqual([]);
  });

  // docs/rules.md#find-ends-early docs/rules.md#find-place
  test("a page that ends early says how far it looked, and the next one goes on there", async () => {
    const ask = { query: "even odd", status: "sent" };
    let before: string | undefined;
    const looked: string[] = [];
    for (;;) {
      const { body } = await world.rest("list_account_alerts", { ...ask, ...(before && { before }) });
      expect(body.data).toEqual([]);
      before = body.meta.next_before ?? undefined;
      if (before === undefined) break;
      looked.push(body.meta.looked_to);
    }
    // 250 blocks, 25 for each page.
    expect(looked.length).toBeGreaterThan(5);
    expect(looked.length).toBeLessThan(12);
    expect(looked).toEqual([...looked].sort().reverse());
    const { body: assistants } = await world.mcp("list_account_alerts", ask);
    expect(assistants.meta).toMatchObject({ looked_to: looked[0], next_before: expect.any(String) });
    const owner = await ownerOf(world);
    const channel = showId("psh", one);
    for (const path of ["sent?q=even+odd", `channels/${channel}?q=common+rarely+olden+even+odd`]) {
      const { text } = await owner.get(`/console/${world.workspace.id}/${path}`);
      if (path.startsWith("sent")) {
        expect(text).toContain("Looked as far as");
        expect(text).toMatch(/href="[^"]*before=[^"]*">Look further/);
        expect(text).not.toContain("Every word has to begin");
      } else expect(text).toContain("Nothing fits");
    }
  });
});
