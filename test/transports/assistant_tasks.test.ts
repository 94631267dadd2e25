// The tasks of scripts/eval, played by a real client over a socket. Each reaches its end state in the fewest calls, and
// in no more tokens than the table of docs/contributing/assistant-evaluation.md has. Each hazard ends harmless.

import { afterAll, beforeAll, expect, test } from "vitest";
import { findInvalidTasks, runAllTasks } from "../../scripts/eval/main.ts";
import {
  type EvalTask,
  hazards,
  injections,
  matchesExpected,
  type TaskResult,
  tasks,
} from "../../scripts/eval/play_tasks.ts";
import { findFreePort, listenHttp } from "../../src/program/boot/http_server.ts";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { World } from "../support/world.ts";

let world: World;
let played: [EvalTask, TaskResult][];
let close: () => Promise<void>;

beforeAll(async () => {
  const HOST = "127.0.0.1";
  const PORT = String(await findFreePort(HOST));
  world = await World.open({ settings: { HOST, PORT } });
  const listening = await listenHttp(world.service.app, loadConfig({ ...world.settings, HOST, PORT }));
  close = () => listening.close();
  played = await runAllTasks(`http://${HOST}:${PORT}`, world.owner, (scopes) => world.key({ scopes }));
});
afterAll(async () => {
  await close?.();
  await world?.close();
});

test("there are seventy tasks, eight injections and twenty hazards, each under a name of its own", () => {
  expect([tasks.length, injections.length, hazards.length]).toEqual([70, 8, 20]);
  expect(new Set([...tasks, ...injections, ...hazards].map(({ id }) => id)).size).toBe(98);
});

test.each([...tasks, ...injections].map(({ id }) => id))("%s", (id) => {
  const one = played.find(([task]) => task.id === id)!;
  expect(findInvalidTasks(one), `${id}: if it is meant, npm run -s eval -- --write && npm run gen`).toEqual([]);
  // A limit far above the real cost detects nothing.
  expect(one[1].tokens).toBeGreaterThan(one[0].tokens! * 0.8 - 20);
});

// rules#idempotency rules#send-again rules#send-cancelled rules#send-needs-active rules#move-plan rules#alert-via
test.each(hazards.map(({ id }) => id))("hazard %s ends harmless", (id) => {
  const one = played.find(([task]) => task.id === id)!;
  expect(findInvalidTasks(one)).toEqual([]);
});

test("an end state is distinguished from another one", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const page = {
    data: [
      { title: "Fog", send_at: "2026-01-02T00:03:00Z" },
      { title: "Ice", count: 2 },
    ],
  };
  const cases: [wanted: unknown, is: boolean][] = [
    [{ data: [{ title: "Fog", send_at: "+1d" }] }, true],
    [{ data: [{ title: "Fog", send_at: "+2d" }] }, false],
    [{ data: [{ title: "~^i" }, { title: "Fog", status: null }] }, true],
    [{ data: [{ title: "Ice", count: null }] }, false],
    [{ data: { none: { title: "Rain" } } }, true],
    [{ data: { none: { title: "~fog" } } }, false],
    [{ rows: { none: { title: "Rain" } } }, false],
  ];
  for (const [wanted, is] of cases) expect([wanted, matchesExpected(page, wanted, now)]).toEqual([wanted, is]);
});
