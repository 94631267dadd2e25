// The whole grid of status and verb on a channel in each status, every cell written out: the response, the alert's next
// status, and the event.

import { expect } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import type { TestCase } from "../support/case_runner.ts";
import type { Answer, World } from "../support/world.ts";
import {
  type AlertState,
  alertArguments,
  type ChannelState,
  createAlertWithChannel,
  parseUuid,
  readAlert,
  TIMESTAMP_PATTERN,
} from "./fixtures.ts";

/** `200 sent alert.sent`: the response, the state of the alert afterwards (deleted, or as before), the event. */
type Cell = string;
type Verb = "edit" | "send" | "schedule" | "cancel" | "delete";

/** The cells of a paused or suspended channel. */
const INACTIVE: Record<AlertState, Record<Verb, Cell>> = {
  draft: { edit: "200 draft", send: "409 draft", schedule: "409 draft", cancel: "409 draft", delete: "204 gone" },
  repeating: {
    edit: "200 repeating",
    send: "409 repeating",
    schedule: "409 repeating",
    cancel: "200 cancelled",
    delete: "409 repeating",
  },
  scheduled: {
    edit: "200 scheduled",
    send: "409 scheduled",
    schedule: "409 scheduled",
    cancel: "200 cancelled alert.cancelled",
    delete: "204 gone alert.cancelled",
  },
  passed: {
    edit: "409 sent",
    send: "409 sent",
    schedule: "409 sent",
    cancel: "200 cancelled alert.cancelled",
    delete: "409 sent",
  },
  sent: {
    edit: "409 sent",
    send: "409 sent",
    schedule: "409 sent",
    cancel: "200 cancelled alert.cancelled",
    delete: "409 sent",
  },
  cancelled: {
    edit: "409 cancelled",
    send: "409 cancelled",
    schedule: "409 cancelled",
    cancel: "200 cancelled",
    delete: "204 gone",
  },
};

const STATUS_GRID: Record<ChannelState, Record<AlertState, Record<Verb, Cell>>> = {
  active: {
    draft: {
      edit: "200 draft",
      send: "200 sent alert.sent",
      schedule: "200 scheduled alert.scheduled",
      cancel: "409 draft",
      delete: "204 gone",
    },
    repeating: {
      edit: "200 repeating",
      send: "409 repeating",
      schedule: "200 repeating",
      cancel: "200 cancelled",
      delete: "409 repeating",
    },
    scheduled: {
      edit: "200 scheduled",
      send: "200 sent alert.sent",
      schedule: "200 scheduled",
      cancel: "200 cancelled alert.cancelled",
      delete: "204 gone alert.cancelled",
    },
    passed: {
      edit: "409 sent",
      send: "200 sent",
      schedule: "409 sent",
      cancel: "200 cancelled alert.cancelled",
      delete: "409 sent",
    },
    sent: {
      edit: "409 sent",
      send: "200 sent",
      schedule: "409 sent",
      cancel: "200 cancelled alert.cancelled",
      delete: "409 sent",
    },
    cancelled: {
      edit: "409 cancelled",
      send: "409 cancelled",
      schedule: "409 cancelled",
      cancel: "200 cancelled",
      delete: "204 gone",
    },
  },
  paused: INACTIVE,
  suspended: INACTIVE,
};

/** The rule of a cell. */
function ruleOf(channel: ChannelState, state: AlertState, verb: Verb): string {
  const inactive = channel !== "active";
  if (state === "repeating" && !(inactive && (verb === "send" || verb === "schedule")))
    return verb === "edit" ? "series-edit" : verb === "schedule" ? "occurrence" : "series-end";
  if (verb === "send") {
    if (inactive) return "send-needs-active";
    if (state === "cancelled") return "send-cancelled";
    if (state === "passed") return "passed-is-sent";
    return state === "sent" ? "send-again" : "send";
  }
  if (verb === "schedule") return inactive ? "channel-not-active" : "schedule";
  if (verb === "cancel") return state === "sent" || state === "passed" ? "cancel" : "cancel-others";
  if (verb === "delete") {
    if (state === "sent") return "delete-sent";
    return state === "passed" ? "passed-is-sent" : "delete-alert";
  }
  if (state === "passed") return "passed-is-sent";
  if (state === "sent" || state === "cancelled") return "sent-is-frozen";
  return inactive ? "channel-not-active" : "draft-proposes";
}

/** Further rules of the cell. */
function alsoOf(channel: ChannelState, state: AlertState, verb: Verb): string[] {
  const also: string[] = [];
  if (verb === "delete" && state === "passed") also.push("delete-sent");
  if (verb === "cancel" && state !== "draft" && state !== "cancelled") also.push("cancel-reaches-no-further");
  if (["send", "schedule", "cancel"].includes(verb)) also.push("verbs-say-note");
  if (channel !== "active" && verb !== "send") also.push("channel-not-active");
  return also.filter((rule) => rule !== ruleOf(channel, state, verb));
}

const TOOL_OF: Record<Verb, string> = {
  edit: "update_alert",
  send: "send_alert",
  schedule: "schedule_alert",
  cancel: "cancel_alert",
  delete: "delete_alert",
};

interface Start {
  alert: any;
  events: number;
  revision: number;
}

/** The counters that triggers keep, against the rows that they count. Returns the channel's revision. */
async function checkCounters(world: World, pusherId: string): Promise<number> {
  const id = parseUuid(pusherId);
  const [state] = await world.sql(
    `select revision::int, published::int, (select count(*) from alert a where a.pusher_id = s.pusher_id
       and a.status in ('sent', 'scheduled'))::int as counted from channel_state s where pusher_id = ?`,
    [id],
  );
  expect(state.published).toBe(state.counted);
  const [days] = await world.sql(
    `select coalesce((select jsonb_object_agg(day, published) from channel_day where pusher_id = x and published <> 0),
      '{}') as kept,
       coalesce((select jsonb_object_agg(day, n) from (select (visible_at at time zone 'UTC')::date as day, count(*) as
         n
         from alert where pusher_id = x and visible_at is not null group by 1) d), '{}') as counted
     from (select ?::uuid as x) p`,
    [id],
  );
  expect(days.kept).toEqual(days.counted);
  return state.revision;
}

/** The expected state of the alert afterwards, from its previous state. */
function becomes(verb: Verb, before: any, after: any): object {
  if (verb === "edit") return { ...before, title: "Edited" };
  // A published or withdrawn alert needs no review.
  if (verb === "send")
    return { ...before, status: "sent", decision: "sent", send_at: null, sent_at: after.sent_at, review_url: null };
  if (verb === "schedule") return { ...before, status: "scheduled", decision: "scheduled", sent_at: null };
  const { cancelled_at } = after;
  return { ...before, status: "cancelled", decision: "cancelled", cancelled_at, review_url: null };
}

async function checkEffect(world: World, cell: Cell, verb: Verb, start: Start, answer: Answer): Promise<void> {
  const [code, status, event] = cell.split(" ");
  const { alert: before } = start;
  const events = world.acts.slice(start.events).filter(({ data }) => data.alert_id === before.id);
  expect(events.map((left) => left.event)).toEqual(event ? [event] : []);
  const row = await world.rest("get_alert", alertArguments(before));
  const seen = row.body;
  if (status === "gone") expect(row.status).toBe(404);
  else {
    expect(seen.status).toBe(status);
    const untouched = code === "409" || (before.status === status && verb !== "edit");
    if (untouched) expect(seen).toEqual(before);
    else expect({ ...seen, updated_at: "" }).toEqual({ ...becomes(verb, before, seen), updated_at: "" });
    if (status === "sent") expect(seen.sent_at).toMatch(TIMESTAMP_PATTERN);
    if (status === "cancelled") expect(seen.cancelled_at).toMatch(TIMESTAMP_PATTERN);
    if (code === "200" && verb === "edit") expect(answer.body).toMatchObject({ blocked: [], notes: expect.any(Array) });
    else if (code === "200") {
      const { notes: _, review_url: __, blocked: ___, via: ____, decision: _____, ...shown } = seen;
      expect(answer.body).toEqual({ ...shown, note: expect.stringMatching(/\w{4}/) });
    }
  }
  if (event)
    expect(events[0]!.data).toMatchObject({
      status: event.slice("alert.".length),
      title: before.title,
      send_at: event === "alert.sent" ? null : before.send_at,
    });
  if (before.status === "repeating") {
    const { data } = (await world.rest("list_alerts", { pusher_id: before.pusher_id, status: "scheduled" })).body;
    const planned = data.filter(({ series_id }: any) => series_id === before.id);
    expect(planned).toHaveLength(status === "cancelled" ? 0 : LIMITS.occurrences_ahead);
    for (const { title } of planned) expect(title).toBe(verb === "edit" ? "Edited" : before.title);
  }
  const revision = await checkCounters(world, before.pusher_id);
  // Visible changes move the revision; plans and all else do not.
  const visible = before.status === "sent" || status === "sent";
  const changed = code !== "409" && !(before.status === status && verb !== "edit");
  expect(revision > start.revision).toBe(visible && changed);
}

export const statusCases: TestCase<Start>[] = (Object.keys(STATUS_GRID) as ChannelState[]).flatMap((channel) =>
  (Object.keys(STATUS_GRID[channel]) as AlertState[]).flatMap((state) =>
    (Object.keys(STATUS_GRID[channel][state]) as Verb[]).map((verb): TestCase<Start> => {
      const cell = STATUS_GRID[channel][state][verb];
      return {
        rule: ruleOf(channel, state, verb),
        also: alsoOf(channel, state, verb),
        tool: TOOL_OF[verb],
        name: `${verb} a ${state} alert on a channel that is ${channel}: ${cell}`,
        given: async (world) => {
          const alert = await readAlert(world, await createAlertWithChannel(channel, state)(world));
          return { alert, events: world.acts.length, revision: await checkCounters(world, alert.pusher_id) };
        },
        input: ({ alert }) => alertArguments(alert, verb === "edit" ? { title: "Edited" } : {}),
        want: cell.startsWith("409") ? { error: "conflict", param: null } : {},
        after: (world, start, answer) => checkEffect(world, cell, verb, start, answer),
      };
    }),
  ),
);
