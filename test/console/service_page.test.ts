// The state of the service, for the owner of its only workspace, and hidden once there is another one.
// rules#service-state

import { expect, test } from "vitest";
import { createHousekeepingJobs, type HousekeepingJobDeps } from "../../src/effects/housekeeping/housekeeping_jobs.ts";
import { buildServiceOverview } from "../../src/identity/operator/service_overview.ts";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { HOUSEKEEPING_JOB_LABELS, listServiceProblems } from "../../src/pages/console/pages/service_status.ts";
import { OWNER, signInMember, signInOwner } from "../support/console_site.ts";
import { openWorld } from "../support/open_world.ts";
import { timeInSeconds } from "../support/world.ts";

const world = await openWorld();
const owner = await signInOwner(world);
const path = `/console/${world.workspace.id}/service`;

/** The number or state of each measure and job, and its action where it has one. */
const rowsOf = (text: string): Record<string, string[]> =>
  Object.fromEntries(
    [...text.matchAll(/<div><dt>(.*?)<\/dt>(.*?)<\/div>/gs)].map(([, name, rest]) => [
      name,
      rest!
        .split("</dd>")
        .slice(0, -1)
        .map((cell) => cell.replace(/<[^>]*>/g, "").trim()),
    ]),
  );

test("its owner sees the measures of the service by group, and the maintenance jobs", async () => {
  const pusher = await world.pusher({ name: "Tenant text" });
  await world.alert(pusher.id, { send: true, send_at: timeInSeconds(7_000) });
  await world.service.housekeeping.round("one_time_links");
  const { status, text } = await owner.get(path);
  expect(status).toBe(200);
  const rows = rowsOf(text);
  expect(rows).toMatchObject({
    Belfry: [expect.stringMatching(/^\d+\.\d+.* · Upgrade$/)],
    PostgreSQL: [expect.stringMatching(/^\d+/)],
    Size: [expect.stringMatching(/^[\d.]+ MB$/)],
    "Due alerts waiting to be published": ["None"],
    "Next scheduled alert": [expect.stringMatching(/^in 1 h/)],
    "Pending webhook deliveries": ["None"],
    "Disabled endpoints": ["None"],
    "Calls waiting for a connection": ["None"],
    "Delete expired one-time links": ["just now"],
  });
  expect(text.match(/<dd><span class="badge good">None</g)).toHaveLength(5);
  expect(text).not.toMatch(/<dd>(<[^>]*>)*0</);
  expect(text).toContain("No action is needed.");
  expect(text).not.toContain("Tenant text");
  const { text: audit } = await owner.get(`/console/${world.workspace.id}/audit`);
  expect(audit).toContain(`href="${path}"`);
});

test("each problem is on top of the page with its solution", async () => {
  await world.sql(
    `insert into webhook_endpoint (id, workspace_id, member_id, url, events, secret, disabled_at)
     select gen_random_uuid(), workspace_id, id, 'https://example.org', '{alert.sent}', '', now() from member limit 1`,
  );
  const { text } = await owner.get(path);
  expect(text).toContain("Some webhook endpoints are disabled. Fix their receivers, then enable the endpoints.");
  expect(text).not.toContain("No action is needed.");
  // A number that is not as usual has the place of its action.
  expect(rowsOf(text)["Disabled endpoints"]).toEqual(["1", "https://example.org"]);
  await world.sql("delete from webhook_endpoint");
});

test("a job is a problem while its last run failed, and not after the next success", async () => {
  const problem = "The last run of a maintenance job failed.";
  const job = "Delete expired device transfer codes";
  await world.sql("alter table device_transfer rename to device_transfer_away");
  await expect(world.service.housekeeping.round("device_transfers")).rejects.toThrow();
  const failing = (await owner.get(path)).text;
  expect(failing).toContain(problem);
  expect(failing).toMatch(new RegExp(`${job}</dt><dd><span class="badge warn">[^/]*, 1 failed</span>`));
  await world.sql("alter table device_transfer_away rename to device_transfer");
  await world.service.housekeeping.round("device_transfers");
  const { text } = await owner.get(path);
  expect(text.match(/<dd><span class="badge good">None</g)).toHaveLength(5);
  expect(text).not.toMatch(/<dd>(<[^>]*>)*0</);
  expect(text).toContain("No action is needed.");
  expect(rowsOf(text)[job]).toEqual(["just now, 1 failed"]);
});

test("every job has a name that describes what it does", () => {
  const deps = { deviceRetentionDays: 1, auditRetentionDays: 1 } as HousekeepingJobDeps;
  const jobs = createHousekeepingJobs(deps).map(({ name }) => name);
  expect(Object.keys(HOUSEKEEPING_JOB_LABELS).toSorted()).toEqual(jobs.toSorted());
});

test("no other role does, and no member once there is another workspace", async () => {
  const admin = { ...OWNER, email: "admin@example.org" };
  await addWorkspaceMember(world.service.orm.em.fork() as never, {
    workspace: world.workspace.id,
    email: admin.email,
    role: "admin",
  });
  expect((await (await signInMember(world, admin)).get(path)).status).toBe(403);
  await world.foreignKey();
  const { status, text } = await owner.get(path);
  expect(status).toBe(403);
  expect(text).toContain("belfry status");
  expect(text).not.toMatch(/PostgreSQL|Pending webhook deliveries/);
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
  expect(buildServiceOverview(row, null)).toMatchObject({
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
    'belfry_housekeeping_last_failure_timestamp_seconds{step="links"} 1699999999.5',
    'belfry_housekeeping_runs_total{step="events",outcome="failed"} 2',
    'belfry_housekeeping_last_failure_timestamp_seconds{step="events"} 1700000000',
    'belfry_housekeeping_runs_total{step="sessions",outcome="failed"} 1',
    'belfry_housekeeping_runs_total{step="sessions",outcome="done"} 1',
    'belfry_housekeeping_last_success_timestamp_seconds{step="sessions"} 1700000000',
    'belfry_housekeeping_last_failure_timestamp_seconds{step="sessions"} 1700000000.001',
    'belfry_database_replicas{state="answers"} 1',
    'belfry_database_replicas{state="away"} 1',
    'belfry_build_info{version="9.9.9"} 1',
  ].join("\n");
  const state = buildServiceOverview(row, figures);
  expect(state).toMatchObject({
    version: "9.9.9",
    database_bytes: 12345678,
    about_devices: 7,
    waits: { webhooks: 4, calls_without_connection: 2, held_polls: 0 },
    housekeeping: [
      { step: "events", last_success_at: null, failed: 2, failing: true },
      { step: "links", last_success_at: "2023-11-14T22:13:20.000Z", failed: 5, failing: false },
      { step: "sessions", last_success_at: "2023-11-14T22:13:20.000Z", failed: 1, failing: true },
    ],
  });
  const problemsOf = (text: string) =>
    listServiceProblems({ ...buildServiceOverview({ ...row, disabled_webhooks: 0 }, text), degraded: [] });
  expect(problemsOf("")).toEqual([]);
  expect(problemsOf('belfry_database_replicas{state="answers"} 2')).toEqual([]);
  for (const replica of ["away", "behind"])
    expect(problemsOf(`belfry_database_replicas{state="${replica}"} 1`)).toEqual([
      expect.stringContaining("Read replicas"),
    ]);
  expect(problemsOf('belfry_housekeeping_runs_total{step="events",outcome="failed"} 1')).toEqual([
    expect.stringContaining("maintenance job failed"),
  ]);
});
