// A client that registered itself and was never granted access is deleted after a day, by the database's clock. One
// with a grant stays, regardless of its age.

import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpVisitor, signInOwner } from "../support/console_site.ts";
import { type MovedClock, moveClock } from "../support/database_clock.ts";
import { connectAssistant, registerClient } from "../support/oauth_flow.ts";
import { World } from "../support/world.ts";

const HOUR = 3600;

let world: World;
let owner: HttpVisitor;
let clock: MovedClock;
let replica: Awaited<ReturnType<World["replica"]>>;
beforeAll(async () => {
  world = await World.open();
  owner = await signInOwner(world);
  clock = await moveClock(world);
  replica = await world.replica();
});
afterAll(async () => {
  await replica?.leave();
  await world?.close();
});

const isThere = async (client: string) =>
  (await world.sql(`select 1 from auth."oauthClient" where "clientId" = ?`, [client])).length === 1;
const cleaned = async (hours: number) => {
  await clock.set(hours * HOUR);
  return replica.service.housekeeping.round("oauth_clients");
};

// rules#assistant-registration
test("a client without any grant is deleted after a day, and no other", async () => {
  const stray: string = (await registerClient(world)).body.client_id;
  const used: string = (await registerClient(world)).body.client_id;
  const { tokens } = await connectAssistant(world, owner, { client_id: used });
  expect(tokens.status).toBe(200);

  expect(await cleaned(23)).toBe(0);
  expect(await isThere(stray)).toBe(true);
  expect(await cleaned(25)).toBe(1);
  expect([await isThere(stray), await isThere(used)]).toEqual([false, true]);
  expect(await cleaned(24 * 400)).toBe(0);
  expect(await isThere(used)).toBe(true);
});
