// Two servers of one database, of which one is killed repeatedly, while reads, acks and replies arrive through both.
// Afterwards the counts equal the rows, with each device once. Its last reply is the last acknowledged one, or the
// pending one. Covers rules#replies and rules#reports-at-once.

import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createOrm } from "../../src/store/db/orm.ts";
import { getKysely } from "../../src/store/db/statement.ts";
import { alertArguments, parseUuid } from "../cases/fixtures.ts";
import { callConcurrently, pause } from "../support/concurrent_calls.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { startServer } from "../support/processes.ts";
import { World } from "../support/world.ts";

const KILLS = Number(process.env.BELFRY_TEST_KILL_ROUNDS ?? 2);
const PHONES = 24;
const CHOICES = ["Yes", "No", "Later", "Never"];

let world: World;
let alert: any;
let tokens: string[];
beforeAll(async () => {
  world = await World.open();
  const pusher = await world.pusher();
  tokens = await callConcurrently(PHONES, () => world.device(pusher.handle), 8);
  const question = { type: "reply", label: "Come?", choices: CHOICES };
  alert = await world.alert(pusher.id, { title: "Asked", actions: [question], send: true });
  await world.leave();
});
afterAll(() => world?.remove());

/** Another transaction locks the alert's counter for as long as it runs, now and then. */
async function others(db: Kysely<unknown>, id: string, going: () => boolean) {
  while (going())
    await db.transaction().execute(async (tx) => {
      await sql`select from alert_counter where alert_id = ${id}::uuid for update`.execute(tx);
      await pause(Math.random() * 30);
    });
}

const start = () => startServer(world.settings.DATA_DIR!, { settings: { ...world.settings, LOG_LEVEL: "warn" } });

test(`one of two is killed ${KILLS} times while ${PHONES} phones change their minds`, async () => {
  /** The possible last reply of each phone. */
  const said = tokens.map(() => new Set<string>());
  /** Phones of which something was acknowledged. */
  const reported = new Set<number>();
  let acknowledged = 0;
  const lasting = await start();
  const orm = createOrm({ databaseUrl: world.settings.DATABASE_URL!, databasePoolSize: 3 });
  let meets = true;
  const met = others(getKysely(orm), parseUuid(alert.id), () => meets);
  const answer = async (url: string, phone: number) => {
    const choice = CHOICES[Math.floor(Math.random() * CHOICES.length)]!;
    // Some requests report only that it was read and acknowledged.
    const asks = said[phone]!.size === 0 || Math.random() < 0.5;
    if (asks) said[phone]!.add(choice);
    const { status } = await fetch(`${url}/handset/v1/reports`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens[phone]}`, "content-type": "application/json" },
      body: JSON.stringify({
        reports: [{ kind: "read" }, { kind: "ack" }, ...(asks ? [{ kind: "reply", choice }] : [])].map((one) => ({
          ...one,
          alert_id: alert.id,
        })),
      }),
    });
    if (status >= 300) return pause(20);
    acknowledged++;
    reported.add(phone);
    if (asks) said[phone] = new Set([choice]);
  };
  for (let kill = 0; kill < KILLS; kill++) {
    const server = await start();
    const [before, goal] = [acknowledged, 50 + Math.random() * 100];
    let going = true;
    const phones = callConcurrently(PHONES, async (phone) => {
      // One that the kill leaves without an answer may have counted, and is the last of this round.
      while (going)
        if (
          await answer(Math.random() < 0.7 ? server.url : lasting.url, phone).then(
            () => false,
            () => true,
          )
        )
          return;
    });
    while (acknowledged < before + goal) await pause(1);
    await server.stop("SIGKILL");
    going = false;
    await phones;
  }
  meets = false;
  await met;
  const at = alertArguments(alert);
  const stats = await fetch(`${lasting.url}/api/v1/pushers/${at.pusher_id}/alerts/${at.alert_id}/stats`, {
    headers: { authorization: `Bearer ${world.owner}` },
  });
  const { replies, totals } = (await stats.json()) as any;
  const counted = replies.map(({ count }: { count: number }) => count);
  await lasting.stop();
  try {
    const execute = (text: string): Promise<any[]> => (orm.em.fork() as any).execute(text, [parseUuid(alert.id)]);
    const rows = await execute("select device_id, choice from report where choice is not null and alert_id = ?");
    expect(reported.size).toBe(PHONES);
    expect(totals).toEqual({ reads: PHONES, acks: PHONES });
    expect(rows).toHaveLength(PHONES);
    const ofRows = CHOICES.map((_, i) => rows.filter(({ choice }) => choice === i + 1).length);
    expect(counted).toEqual(ofRows);
    // Each choice is counted no more often than phones may have meant it last, and no less than they surely did.
    for (const [i, choice] of CHOICES.entries()) {
      expect(counted[i]).toBeLessThanOrEqual(said.filter((last) => last.has(choice)).length);
      expect(counted[i]).toBeGreaterThanOrEqual(said.filter((last) => last.size === 1 && last.has(choice)).length);
    }
    await expectRecountClean(orm);
  } finally {
    await orm.close(true);
  }
  console.log(`replies: ${KILLS} kills, ${acknowledged} acknowledged, counted ${counted}`);
});
