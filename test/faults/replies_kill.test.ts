// A server that is killed while answers pour in: what is counted afterwards is what the rows say, each device once, and its last word
// is the last that was acknowledged, or the one that was on its way. Covers docs/rules.md#replies.

import { afterAll, beforeAll, expect, test } from "vitest";
import { openOrm } from "../../src/store/db/orm.ts";
import { alertAt, uuidOf } from "../cases/given.ts";
import { atOnce, pause } from "../support/at_once.ts";
import { startServer } from "../support/processes.ts";
import { expectRecountClean } from "../support/recount.ts";
import { World } from "../support/world.ts";

const KILLS = Number(process.env.BELFRY_TEST_KILL_ROUNDS ?? 3);
const PHONES = 24;
const CHOICES = ["Yes", "No", "Later", "Never"];

let world: World;
let alert: any;
let tokens: string[];
beforeAll(async () => {
  world = await World.open();
  const pusher = await world.pusher();
  tokens = await atOnce(PHONES, () => world.device(pusher.handle), 8);
  const question = { type: "reply", label: "Come?", choices: CHOICES };
  alert = await world.alert(pusher.id, { title: "Asked", actions: [question], send: true });
  await world.leave();
});
afterAll(() => world?.remove());

const start = () =>
  startServer(world.settings.DATA_DIR!, { settings: { ...world.settings, LOG_LEVEL: "warn" } });

test(`killed ${KILLS} times while ${PHONES} phones change their minds`, { timeout: 600_000 }, async () => {
  /** What each phone may have said last. */
  const said = tokens.map(() => new Set<string>());
  let acknowledged = 0;
  const answer = async (url: string, phone: number) => {
    const choice = CHOICES[Math.floor(Math.random() * CHOICES.length)]!;
    said[phone]!.add(choice);
    const { status } = await fetch(`${url}/handset/v1/reports`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens[phone]}`, "content-type": "application/json" },
      body: JSON.stringify({ reports: [{ alert_id: alert.id, kind: "reply", choice }] }),
    });
    if (status >= 300) return pause(20);
    acknowledged++;
    said[phone] = new Set([choice]);
  };
  for (let kill = 0; kill < KILLS; kill++) {
    const server = await start();
    const [before, goal] = [acknowledged, 50 + Math.random() * 100];
    let going = true;
    const phones = atOnce(PHONES, async (phone) => {
      // One that the kill leaves without an answer may have counted, and is the last of this round.
      while (going)
        if (
          await answer(server.url, phone).then(
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
  const server = await start();
  const at = alertAt(alert);
  const stats = await fetch(`${server.url}/api/v1/pushers/${at.pusher_id}/alerts/${at.alert_id}/stats`, {
    headers: { authorization: `Bearer ${world.owner}` },
  });
  const counted = ((await stats.json()) as any).replies.map(({ count }: { count: number }) => count);
  await server.stop();
  const orm = openOrm({ databaseUrl: world.settings.DATABASE_URL!, databasePool: 2 });
  try {
    const rows: any[] = await (orm.em.fork() as any).execute(
      "select device_id, choice from report where choice is not null and alert_id = ?",
      [uuidOf(alert.id)],
    );
    expect(rows).toHaveLength(PHONES);
    const ofRows = CHOICES.map((_, i) => rows.filter(({ choice }) => choice === i + 1).length);
    expect(counted).toEqual(ofRows);
    // Each choice is counted no more often than phones may have meant it last, and no less than they surely did.
    for (const [i, choice] of CHOICES.entries()) {
      expect(counted[i]).toBeLessThanOrEqual(said.filter((last) => last.has(choice)).length);
      expect(counted[i]).toBeGreaterThanOrEqual(
        said.filter((last) => last.size === 1 && last.has(choice)).length,
      );
    }
    await expectRecountClean(orm);
  } finally {
    await orm.close(true);
  }
  console.log(`replies: ${KILLS} kills, ${acknowledged} acknowledged, counted ${counted}`);
});
