// The requirements of a recurrence on scheduling, editing, sending or ending it. Occurrences are tested in
// test/rules/recurrence.test.ts.

import { expect } from "vitest";
import type { TestCase } from "../support/case_runner.ts";
import { timeInSeconds, type World } from "../support/world.ts";
import { alertArguments, createDraftWith, oncePerWorld, readAlert } from "./fixtures.ts";

const DAILY = "FREQ=DAILY Europe/Lisbon";
const draft = (fields: Record<string, unknown> = {}) =>
  createDraftWith({ send_at: timeInSeconds(3600), recurrence: DAILY, ...fields });

async function series(world: World) {
  const { id: pusher_id } = await world.pusher();
  const alert = await world.alert(pusher_id, { send_at: timeInSeconds(3600), recurrence: DAILY });
  return (await world.rest("schedule_alert", alertArguments(alert))).body;
}

const occurrence = async (world: World) => {
  const { pusher_id } = await series(world);
  return (await world.rest("list_alerts", { pusher_id, status: "scheduled", order: "oldest" })).body.data[0];
};

const composer = (world: World) => world.key({ scopes: "alerts:read,alerts:write" });

const row = (rule: string, tool: string, name: string, more: Omit<TestCase, "rule" | "tool" | "name">): TestCase => ({
  rule,
  tool,
  name,
  ...more,
});

export const recurrenceCases: TestCase[] = [
  row("recurrence", "create_alert", "a draft that proposes to repeat, without alerts:send", {
    given: oncePerWorld(async (world) => (await draft()(world)).pusher_id),
    input: (pusher_id) => ({ pusher_id, title: "Tide", recurrence: DAILY }),
    as: composer,
    want: { body: { status: "draft", recurrence: DAILY } },
  }),
  row("recurrence", "schedule_alert", "by who may not send", {
    given: oncePerWorld(draft()),
    input: (alert) => alertArguments(alert),
    as: composer,
    want: { error: "insufficient_scope", says: /alerts:send/ },
    after: async (world, alert) => expect((await readAlert(world, alert)).status).toBe("draft"),
  }),
  row("recurrence", "schedule_alert", "a draft that repeats", {
    given: draft(),
    input: (alert) => alertArguments(alert),
    want: { body: { status: "repeating", recurrence: DAILY, sent_at: null, series_id: null } },
  }),
  row("recurrence", "create_alert", "sent at once", {
    given: oncePerWorld(async (world) => (await draft()(world)).pusher_id),
    input: (pusher_id) => ({ pusher_id, title: "Tide", recurrence: DAILY, send: true }),
    want: { error: "invalid_request", param: "recurrence", says: /schedule_alert/ },
  }),
  row("recurrence", "duplicate_alert", "a copy does not repeat", {
    given: oncePerWorld(draft()),
    input: (alert) => alertArguments(alert),
    want: { body: { status: "draft", recurrence: null } },
  }),
  row("recurrence", "send_alert", "what is sent at once does not repeat", {
    given: draft(),
    input: (alert) => alertArguments(alert),
    want: { body: { status: "sent", recurrence: null } },
  }),
  ...(
    [
      ["FREQ=SECONDLY UTC", /5 minutes/],
      ["FREQ=DAILY;COUNT=1000000000 UTC", /invalid COUNT; COUNT accepts a number from 1 to 1,000/],
      ["FREQ=DAILY Nowhere/Land", /IANA/],
      ["every day", /RFC 5545/],
    ] as const
  ).map(([recurrence, says]) =>
    row("recurrence-rules", "create_alert", recurrence, {
      given: oncePerWorld(async (world) => (await draft()(world)).pusher_id),
      input: (pusher_id) => ({ pusher_id, title: "Tide", recurrence }),
      want: { error: "invalid_request", param: "recurrence", says },
    }),
  ),
  ...(
    [
      ["FREQ=WEEKLY;COUNT=5;BYDAY=TU,TH; Europe/Berlin", "FREQ=WEEKLY;COUNT=5;BYDAY=TU,TH Europe/Berlin"],
      ["freq=weekly;byday=mo europe/berlin", "FREQ=WEEKLY;BYDAY=MO Europe/Berlin"],
      ["FREQ=DAILY  Europe/Berlin", "FREQ=DAILY Europe/Berlin"],
      ["FREQ=DAILY; COUNT=2 Europe/Berlin", "FREQ=DAILY;COUNT=2 Europe/Berlin"],
      [" rrule:FREQ = WEEKLY ; BYDAY = MO, we\tUTC ", "FREQ=WEEKLY;BYDAY=MO,WE UTC"],
      ["FREQ=DAILY;;COUNT=2; utc", "FREQ=DAILY;COUNT=2 UTC"],
    ] as const
  ).map(([sent, recurrence]) =>
    row("recurrence-form", "create_alert", `taken: ${sent}`, {
      given: oncePerWorld(async (world) => (await draft()(world)).pusher_id),
      input: (pusher_id) => ({ pusher_id, title: "Tide", recurrence: sent }),
      want: { body: { recurrence } },
    }),
  ),
  ...(
    [
      ["DTSTART:20270101T080000Z\nRRULE:FREQ=DAILY UTC", /must not contain DTSTART; send_at/],
      ["FREQ=DAILY;EXDATE=20270101 UTC", /must not contain EXDATE/],
      ["FREQ=DAILY;COUNT=2", /must end with a space and an IANA time zone/],
      ["FREQ=DAILY; COUNT=2", /must end with a space and an IANA time zone/],
      ["FREQ=WEEKLY;BYDAY=MO, TU", /must end with a space and an IANA time zone/],
      ["FREQ=DAILY;FOO=<b> UTC", /unknown part at position 2; use FREQ/],
      ["FREQ=WEEKLY;BYDAY=MO,XX UTC", /invalid value 2 for BYDAY; BYDAY accepts days/],
      ["FREQ=DAILY;BYHOUR=24 UTC", /invalid BYHOUR; BYHOUR accepts hours from 0 to 23/],
      ["FREQ=FORTNIGHTLY UTC", /invalid FREQ; FREQ accepts one of YEARLY/],
      ["FREQ=DAILY;COUNT=1;COUNT=2 UTC", /must contain COUNT only once/],
      ["BYDAY=MO UTC", /must contain FREQ/],
      ["FREQ=MONTHLY;BYWEEKNO=3 UTC", /must not combine BYWEEKNO with FREQ=MONTHLY/],
      ["FREQ=WEEKLY;BYDAY=1MO UTC", /numbered days in BYDAY/],
      ["FREQ=DAILY;BYSETPOS=1 UTC", /combine BYSETPOS with another part/],
    ] as const
  ).map(([recurrence, says]) =>
    row("recurrence-form", "create_alert", `refused: ${recurrence}`, {
      given: oncePerWorld(async (world) => (await draft()(world)).pusher_id),
      input: (pusher_id) => ({ pusher_id, title: "Tide", recurrence }),
      want: { error: "invalid_request", param: "recurrence", says },
    }),
  ),
  row("recurrence-rules", "schedule_alert", "a rule that names too many", {
    given: oncePerWorld(draft({ recurrence: "FREQ=MINUTELY UTC" })),
    input: (alert) => alertArguments(alert),
    want: { error: "invalid_request", param: "recurrence", says: /5 minutes/ },
  }),
  row("series-edit", "update_alert", "of what repeats, by who may not send", {
    given: oncePerWorld(series),
    input: (alert) => alertArguments(alert, { title: "Other" }),
    as: composer,
    want: { error: "insufficient_scope", says: /alerts:send/ },
  }),
  row("series-edit", "update_alert", "back to draft, by who may not send", {
    given: series,
    input: (alert) => alertArguments(alert, { send_at: null }),
    as: composer,
    want: { body: { status: "draft", recurrence: DAILY } },
  }),
  row("series-edit", "update_alert", "without its rule", {
    given: oncePerWorld(series),
    input: (alert) => alertArguments(alert, { recurrence: null }),
    want: { error: "invalid_request", param: "recurrence" },
  }),
  row("series-edit", "update_alert", "an occurrence that would repeat", {
    given: oncePerWorld(occurrence),
    input: (alert) => alertArguments(alert, { recurrence: DAILY }),
    want: { error: "invalid_request", param: "recurrence" },
  }),
  row("series-end", "cancel_alert", "a series", {
    given: series,
    input: (alert) => alertArguments(alert),
    want: { body: { status: "cancelled" } },
  }),
  row("series-end", "cancel_alert", "an occurrence with all that follow", {
    given: occurrence,
    input: (alert) => alertArguments(alert, { following: true }),
    want: { body: { status: "cancelled" } },
  }),
  row("series-end", "cancel_alert", "following an alert that is not an occurrence", {
    given: oncePerWorld(async (world) =>
      world.alert((await draft()(world)).pusher_id, { send: true, send_at: timeInSeconds(3600) }),
    ),
    input: (alert) => alertArguments(alert, { following: true }),
    want: { error: "invalid_request", param: "following" },
  }),
  row("series-end", "send_alert", "what repeats", {
    given: oncePerWorld(series),
    input: (alert) => alertArguments(alert),
    want: { error: "conflict", says: /duplicate_alert/ },
  }),
  row("series-end", "delete_alert", "what repeats", {
    given: oncePerWorld(series),
    input: (alert) => alertArguments(alert),
    want: { error: "conflict", says: /must be cancelled before/ },
  }),
  row("occurrence", "update_alert", "an occurrence alone", {
    given: occurrence,
    input: (alert) => alertArguments(alert, { title: "Other" }),
    want: { body: { status: "scheduled", title: "Other" } },
  }),
];
