// The state of the service, for the owner of its only workspace, and hidden once there is another one.
// rules#service-state

import { afterAll, beforeAll, expect, test } from "vitest";
import { addMemberAsOperator } from "../../src/identity/operator/account_administration.ts";
import { computeServiceState } from "../../src/identity/operator/service_state.ts";
import { type HttpVisitor, OWNER, signInMember, signInOwner } from "../support/console_site.ts";
import { timeInSeconds, World } from "../support/world.ts";

let world: World;
let owner: HttpVisitor;
let path: string;
beforeAll(async () => {
  world = await World.open();
  owner = await signInOwner(world);
  path = `/console/${world.workspace.id}/service`;
});
afterAll(() => world?.close());

test("its owner sees versions, sizes, what waits and the housekeeping", async () => {
  const pusher = await world.pusher({ name: "Tenant text" });
  await world.alert(pusher.id, { send: true, send_at: timeInSeconds(7_000) });
  await world.service.housekeeping.round("one_time_links");
  const { status, text } = await owner.get(path);
  expect(status).toBe(200);
  const cells = [...text.matchAll(/<tr role="row"><th[^>]*>(.*?)<\/th>(.*?)<\/tr>/gs)].map(([, name, rest]) => [
    name,
    rest!.replace(/<[^>]*>/g, "").trim(),
  ]);
  const said = Object.fromEntries(cells);
  expect(said).toMatchObject({
    Belfry: expect.stringMatching(/^\d+\.\d+/),
    PostgreSQL: expect.stringMatching(/^\d+/),
    Database: expect.stringMatching(/^[\d.]+ MB$/),
    "Due alerts, not yet published": "0",
    "Next scheduled alert": expect.stringMatching(/^in 1 hour/),
    "Webhook deliveries": "0",
    "Calls waiting for a database connection": "0",
    "one time links": expect.stringMatching(/^just now\s*None$/),
  });
  expect(text).not.toContain("Tenant text");
  const { text: audit } = await owner.get(`/console/${world.workspace.id}/audit`);
  expect(audit).toContain(`href="${path}"`);
});

test("no other role does, and no member once there is another workspace", async () => {
  const admin = { ...OWNER, email: "admin@example.org" };
  await addMemberAsOperator(world.service.orm.em.fork() as never, {
    workspace: world.workspace.id,
    email: admin.email,
    role: "admin",
  });
  expect((await (await signInMember(world, admin)).get(path)).status).toBe(403);
  await world.foreignKey();
  const { status, text } = await owner.get(path);
  expect(status).toBe(403);
  expect(text).toContain("belfry status");
  expect(text).not.toMatch(/PostgreSQL|Webhook deliveries/);
});

test("metrics of several processes are added up, and missing ones are unknown", () => {
  const row = {
    postgres: "18.4 (Debian 18.4-1)",
    bytes: "12345678",
    about_alerts: null,
    about_devices: "7",
    due: 3,
    next_due_at: null,
    disabled_webhooks: 1,
  };
  expect(computeServiceState(row, null)).toMatchObject({
    postgres: "18.4",
    waits: null,
    housekeeping: null,
    version: null,
  });
  const figures = [
    "# HELP belfry_webhook_deliveries_pending x",
    "belfry_webhook_deliveries_pending 4",
    'belfry_database_connections{state="busy"} 9',
    'belfry_database_connections{state="waiting"} 2',
    'belfry_housekeeping_last_success_timestamp_seconds{step="links"} 1700000000',
    'belfry_housekeeping_runs_total{step="links",outcome="failed"} 5',
    'belfry_housekeeping_runs_total{step="links",outcome="done"} 6',
    'belfry_build_info{version="9.9.9"} 1',
  ].join("\n");
  expect(computeServiceState(row, figures)).toMatchObject({
    version: "9.9.9",
    database_bytes: 12345678,
    about_devices: 7,
    waits: { webhooks: 4, calls_without_connection: 2, held_polls: 0 },
    housekeeping: [{ step: "links", last_success_at: "2023-11-14T22:13:20.000Z", failed: 5 }],
  });
});
