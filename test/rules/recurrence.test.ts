// Repeating alerts on a service: from the draft to its occurrences, and their state when the series changes or ends.
// Each time is written once, even if a writing process dies.

import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { alertArguments, parseUuid } from "../cases/fixtures.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { openWorld } from "../support/open_world.ts";
import { timeInSeconds } from "../support/world.ts";

const AHEAD = LIMITS.occurrences_ahead;
const DAILY = "FREQ=DAILY Europe/Lisbon";

const world = await openWorld();

async function repeating(fields: Record<string, unknown> = {}) {
  const { id } = await world.pusher();
  const draft = await world.alert(id, { title: "Tide", send_at: timeInSeconds(3600), recurrence: DAILY, ...fields });
  const answer = await world.rest("schedule_alert", alertArguments(draft));
  expect(answer.body).toMatchObject({ status: "repeating", series_id: null });
  return answer.body;
}

const planned = async ({ pusher_id }: { pusher_id: string }) =>
  (await world.rest("list_alerts", { pusher_id, status: "scheduled", order: "oldest" })).body.data;

const told = (id: string) => world.acts.filter(({ data }) => data.alert_id === id).map(({ event }) => event);

// rules#occurrence
test("each occurrence is an alert of its own, reported and counted", async () => {
  const at = timeInSeconds(3600);
  const series = await repeating({
    send_at: at,
    expires_at: new Date(Date.parse(at) + 1_800_000).toISOString(),
    collapse_key: "tide",
    priority: "important",
  });
  const rows = await planned(series);
  expect(rows).toHaveLength(AHEAD);
  for (const row of rows) {
    expect(row).toMatchObject({
      title: "Tide",
      series_id: series.id,
      recurrence: null,
      collapse_key: "tide",
      priority: "important",
    });
    expect(Date.parse(row.expires_at) - Date.parse(row.send_at)).toBe(1_800_000);
    expect(told(row.id)).toEqual(["alert.scheduled"]);
  }
  expect(told(series.id)).toEqual([]);
  const found = await world.rest("list_alerts", { pusher_id: series.pusher_id, status: "scheduled", query: "tide" });
  expect(found.body.data).toHaveLength(AHEAD);
  const channel = await world.rest("list_pushers");
  expect(channel.body.data.find(({ id }: { id: string }) => id === series.pusher_id)).toMatchObject({
    drafts: 0,
    scheduled: AHEAD,
  });
  const again = await world.rest("schedule_alert", alertArguments(series));
  expect(again.body).toMatchObject({ status: "repeating", updated_at: series.updated_at });
  await world.service.housekeeping.round("due_series");
  expect(await planned(series)).toHaveLength(AHEAD);
});

// rules#series-edit
test("an edit of the series changes what is planned, but what was edited alone", async () => {
  const series = await repeating();
  const [first, second, third] = await planned(series);
  await world.rest("update_alert", alertArguments(second, { title: "Spring tide" }));
  await world.rest("schedule_alert", alertArguments(third, { send_at: timeInSeconds(86_400 * 20) }));
  await world.rest("update_alert", alertArguments(series, { title: "High tide", body: "Keep off" }));
  const after = new Map<string, any>((await planned(series)).map((row: any) => [row.id, row]));
  expect(after.get(first.id)).toMatchObject({ title: "High tide", body: "Keep off" });
  expect(after.get(second.id)).toMatchObject({ title: "Spring tide", body: null });
  expect(after.get(third.id)).toMatchObject({ title: "High tide" });
  const found = await world.rest("list_alerts", { pusher_id: series.pusher_id, status: "scheduled", query: "high" });
  expect(found.body.data).toHaveLength(AHEAD - 1);
  const { body } = await world.rest(
    "update_alert",
    alertArguments(series, { recurrence: "FREQ=DAILY;INTERVAL=3 Europe/Lisbon" }),
  );
  expect(body.status).toBe("repeating");
  const ids = (await planned(series)).map(({ id }: { id: string }) => id);
  expect(ids).toEqual(expect.arrayContaining([second.id, third.id]));
  expect(ids).not.toContain(first.id);
  expect(told(first.id)).toEqual(["alert.scheduled", "alert.cancelled"]);
  await world.rest("update_alert", alertArguments(series, { send_at: null }));
  expect(await planned(series)).toEqual([]);
  expect(
    (await world.rest("schedule_alert", alertArguments(series, { send_at: timeInSeconds(7200) }))).body.status,
  ).toBe("repeating");
  expect(await planned(series)).toHaveLength(AHEAD);
  await expectRecountClean(world.service.orm);
});

// rules#series-end
test("it ends whole, or from an occurrence on", async () => {
  const series = await repeating();
  const rows = await planned(series);
  await world.rest("cancel_alert", alertArguments(rows[2]));
  await world.rest("delete_alert", alertArguments(rows[3]));
  const { body } = await world.rest("cancel_alert", alertArguments(rows[6], { following: true }));
  expect(body.status).toBe("cancelled");
  expect((await planned(series)).map(({ id }: any) => id)).toEqual([0, 1, 4, 5].map((i) => rows[i].id));
  await world.service.housekeeping.round("due_series");
  expect(await planned(series)).toHaveLength(4);
  await world.rest("cancel_alert", alertArguments(series));
  expect(await planned(series)).toEqual([]);
  expect(told(rows[0].id)).toEqual(["alert.scheduled", "alert.cancelled"]);
  const { data } = (await world.rest("list_audit_events", { pusher_id: series.pusher_id, limit: 5 })).body;
  expect(data.filter(({ operation }: any) => operation === "cancel_alert")).toHaveLength(5);
  await world.service.housekeeping.round("due_series");
  expect(await planned(series)).toEqual([]);
});

test("a series of which nothing is to come is over by itself", async () => {
  const series = await repeating({ recurrence: "FREQ=DAILY;COUNT=2 UTC" });
  expect(await planned(series)).toHaveLength(2);
  const id = parseUuid(series.id);
  await world.sql("update alert set send_at = send_at - interval '5 days' where id = ? or series_id = ?", [id, id]);
  await world.sql("update alert_series set next_fill_at = now() where alert_id = ?", [id]);
  await world.service.housekeeping.round("due_series");
  expect((await world.rest("get_alert", alertArguments(series))).body.status).toBe("cancelled");
});

// rules#recurrence-rules
test("no more of a channel repeat than it may send in a minute", async () => {
  const { id } = await world.pusher();
  const begin = async () => {
    const draft = await world.alert(id, { send_at: timeInSeconds(3600), recurrence: "FREQ=YEARLY UTC" });
    return (await world.rest("schedule_alert", alertArguments(draft))).status;
  };
  expect(LIMITS.repeating).toBeLessThanOrEqual(LIMITS.sends);
  for (let i = 0; i < LIMITS.repeating; i++) expect(await begin()).toBe(200);
  expect(await begin()).toBe(409);
});

// rules#recurrence-ahead
describe("several processes", () => {
  test("each time once, while connections die", async () => {
    const replicas = [world, await world.replica(), await world.replica()];
    const all = [];
    const since = world.acts.length;
    for (let i = 0; i < 6; i++)
      all.push(await repeating({ recurrence: `FREQ=MINUTELY;INTERVAL=${5 + i} Europe/Lisbon` }));
    const ids = all.map(({ id }) => `'${parseUuid(id)}'`).join();
    try {
      for (let round = 0; round < 4; round++) {
        // A week without a writing process, and the written occurrences have been sent.
        await world.sql(`delete from alert where series_id in (${ids})`);
        await world.sql(`update alert set send_at = send_at - interval '7 days' where id in (${ids})`);
        await world.sql(
          `update alert_series set filled_until = filled_until - interval '7 days', next_fill_at = now()
            where alert_id in (${ids})`,
        );
        const before = new Set(
          (await world.sql(`select id from alert where series_id in (${ids})`)).map(({ id }) => id),
        );
        const rounds = replicas.flatMap(({ service }) =>
          [1, 2].map(() => service.housekeeping.round("due_series").catch(() => 0)),
        );
        await world.sql(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> " +
            "pg_backend_pid() and query like '%alert_series%'",
        );
        await Promise.all(rounds);
        for (const { service } of replicas) await service.housekeeping.round("due_series").catch(() => 0);
        await world.service.housekeeping.round("due_series");
        const made = (
          await world.sql(
            `select id, series_id, occurs_at, occurs_at <= now() as late from alert where series_id in (${ids})`,
          )
        ).filter(({ id }) => !before.has(id));
        for (const { id } of all) {
          const own = made.filter(({ series_id }) => series_id === parseUuid(id));
          // rules#recurrence-late
          expect(own.filter(({ late }) => late)).toHaveLength(1);
          expect(own).toHaveLength(AHEAD + 1);
          expect(new Set(own.map(({ occurs_at }) => String(occurs_at))).size).toBe(AHEAD + 1);
        }
        const events = world.acts
          .slice(since)
          .filter(({ event, data }) => event === "alert.scheduled" && data.send_at !== null);
        expect(new Set(events.map(({ data }) => data.alert_id)).size).toBe(events.length);
      }
      await expectRecountClean(world.service.orm);
    } finally {
      for (const replica of replicas.slice(1)) await replica.leave();
    }
  });
});
