// The cost of repeating alerts for the housekeeping. With 8,000 of them it reads as many blocks as with 800, by its
// index, with generic and custom plans. Covers rules#recurrence-ahead.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { expect, test } from "vitest";
import { planSeriesFill } from "../../src/model/domain/occurrences.ts";
import {
  cancelPlannedOccurrences,
  countRepeating,
  createOccurrences,
  lockDueSeries,
} from "../../src/store/queries/alert_series.ts";
import { parseUuid } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { listPlanNodes } from "../support/query_plans.ts";

const CHANNELS = 100;
const DUE = 25;
const PLANNED = 12;
const DAILY = "FREQ=DAILY UTC";

const channels: string[] = [];
const world = await openWorld();
// Its own rounds would fill the series that are measured here.
await world.service.housekeeping.close();
for (let n = 0; n < CHANNELS; n++) channels.push(parseUuid((await world.pusher()).id));

const em = () => world.service.orm.em.fork() as SqlEntityManager;
let next = 1;

/** More series, with what is planned of them; the first few of all are due. */
async function grow(until: number): Promise<void> {
  const numbers = `generate_series(${next}, ${until}) n`;
  const idOf = (n: string) => `('00000000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
  const channel = `('{${channels.join(",")}}'::uuid[])[1 + n % ${CHANNELS}]`;
  await em().transactional(async (inside) => {
    for (const statement of [
      "set local session_replication_role = replica",
      `insert into alert (id, pusher_id, status, title, search_vector, recurrence, send_at) select ${idOf("n")},
        ${channel}, 'repeating', 'T', 'tide', '${DAILY}', now() - interval '9 days' from ${numbers}`,
      `insert into alert_series (alert_id, filled_until, next_fill_at)
         select ${idOf("n")}, now(), now() + case when n <= ${DUE} then - interval '1 hour' else interval '1 day' + n *
           interval '1 second' end from ${numbers}`,
      `insert into alert (id, pusher_id, status, title, search_vector, series_id, occurs_at, send_at)
         select gen_random_uuid(), ${channel}, 'scheduled', 'T', 'tide', ${idOf("n")}, at, at
         from ${numbers}, generate_series(1, ${PLANNED}) k, lateral (select now() + k * interval '1 day') d (at)`,
    ])
      await inside.execute(statement);
  });
  next = until + 1;
  await vacuum();
}

async function vacuum() {
  for (const table of ["alert", "alert_series", "channel_state", "pusher"])
    await world.sql(`vacuum (analyze) ${table}`);
}

/** The blocks that each statement of a round reads, and its plan. It is rolled back. */
async function read(mode: string) {
  const items = [];
  const begun = { recurrence: DAILY, send_at: "2026-01-01T08:00:00Z", filled_until: new Date().toISOString() };
  for (const { alert_id } of await world.sql(`select alert_id from alert_series order by next_fill_at limit ${DUE}`))
    items.push(planSeriesFill({ series_id: alert_id, ...begun }, Date.now() + 20 * 86_400_000));
  const one = items[0]!.series_id;
  const measured: [string, { text: string }, string[]][] = [
    ["lock_due_series", lockDueSeries, ["100"]],
    ["create_occurrences", createOccurrences, [`'${JSON.stringify(items)}'`]],
    ["count_repeating", countRepeating, [`'${channels[0]}'`]],
    ["end_series", cancelPlannedOccurrences, [`'${one}'`]],
  ];
  const found: Record<string, { blocks: number; whole: string[]; indexes: string[] }> = {};
  await em()
    .transactional(async (inside) => {
      await inside.execute(`set local plan_cache_mode = ${mode}`);
      for (const [name, { text }, parameters] of measured) {
        await inside.execute(`prepare measured as ${text}`);
        const [row] = await inside.execute<any[]>(
          `explain (analyze, buffers, timing off, format json) execute measured (${parameters.join(", ")})`,
        );
        await inside.execute("deallocate measured");
        const { Plan } = row["QUERY PLAN"][0];
        const all = listPlanNodes(Plan);
        found[name] = {
          blocks: Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"],
          whole: all
            .filter((node) => node["Node Type"] === "Seq Scan" && /^alert/.test(node["Relation Name"]!))
            .map((node) => node["Relation Name"]!),
          // Without a condition an index is read from its beginning to its end.
          indexes: all.flatMap((node) => (node["Index Cond"] && node["Index Name"]) || []),
        };
      }
      throw new Error("undone");
    })
    .catch((error) => {
      if (error.message !== "undone") throw error;
    });
  return found;
}

/**
 * The same, of several measurements the one with the fewest blocks for each statement. A row that was undone costs a
 * block until it is vacuumed, which PostgreSQL's own analysis of the table can delay.
 */
async function fewest(mode: string) {
  const least = await read(mode);
  for (let tries = 0; tries < 4; tries++) {
    await vacuum();
    for (const [name, again] of Object.entries(await read(mode)))
      if (again.blocks < least[name]!.blocks) least[name] = again;
  }
  return least;
}

test("a round reads no more of 8,000 series than of 800", async () => {
  const modes = ["force_custom_plan", "force_generic_plan"];
  await grow(800);
  const few: Awaited<ReturnType<typeof read>>[] = [];
  for (const mode of modes) few.push(await fewest(mode));
  await grow(8_000);
  for (const [i, mode] of modes.entries()) {
    const many = await fewest(mode);
    for (const [name, { blocks, whole }] of Object.entries(many)) {
      const where = `${name}, ${mode}: ${few[i]![name]!.blocks} blocks, then ${blocks}`;
      expect(whole, where).toEqual([]);
      // An index may become a level deeper; of a channel there are ten times as many.
      if (name !== "count_repeating") expect(blocks, where).toBeLessThan(few[i]![name]!.blocks * 1.6);
    }
    expect(many.lock_due_series!.indexes).toContain("alert_series_due");
    expect(many.end_series!.indexes).toContain("alert_occurrence");
  }
});
