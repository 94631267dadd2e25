// Any sequence of calls has the same effects and results over MCP, the command line and REST, and matches a small model
// of the rules. It covers channels, alerts' states, subscriptions, inbox, counters, scopes, required approval, and
// other accounts' rows. A difference shrinks to a short sequence.

import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callConcurrently } from "../support/concurrent_calls.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { createIdNormalizer, openTransports, type TransportAnswer, type TransportCall } from "../support/transports.ts";
import { createHandle, World } from "../support/world.ts";

const ROUNDS = Number(process.env.BELFRY_TEST_ROUNDS ?? 3);

// ---- the model ----------------------------------------------------------------------------------------------------

const READS = ["alerts:read", "pushers:read", "stats:read"];
const WRITES = [...READS, "alerts:write", "pushers:write"];

/** The callers: their scopes, whether a person decides before they publish, and which of the two channels they see. */
const ACTORS = {
  owner: { scopes: [...WRITES, "alerts:send"], asks: false, sees: [0, 1] },
  writer: { scopes: WRITES, asks: false, sees: [0, 1] },
  asker: { scopes: [...WRITES, "alerts:send"], asks: true, sees: [0, 1] },
  reader: { scopes: READS, asks: false, sees: [0, 1] },
  bound: { scopes: [...WRITES, "alerts:send"], asks: false, sees: [0] },
  stranger: { scopes: [...WRITES, "alerts:send"], asks: false, sees: [] as number[] },
};
type Actor = keyof typeof ACTORS;

interface Alert {
  channel: number;
  status: "draft" | "scheduled" | "sent" | "cancelled";
  title: string;
  /** It has a send_at, which a schedule without one takes. */
  planned: boolean;
  read: boolean;
  acked: boolean;
}

interface Model {
  channels: { paused: boolean; joined: boolean }[];
  /** Null: deleted. */
  alerts: (Alert | null)[];
}

type Refused = TransportAnswer["refused"];

/**
 * One call, or what a handset does. `alert` picks one of those that were made; `astray` names it in the other
 * channel.
 */
interface Step {
  do: keyof typeof VERBS;
  by: Actor;
  channel: number;
  alert: number;
  astray: boolean;
  /** The alert's new title; an empty one is refused. */
  title: string;
  when: "none" | "ahead" | "past" | "null";
  send: boolean;
}

interface Verb {
  tool: string;
  scope: string;
  /** The arguments other than channel and alert. */
  args?(step: Step): Record<string, unknown>;
  /** Errors that the request alone shows. */
  invalid?(step: Step): boolean;
  publishes?(step: Step): boolean;
  /** One alert: the refusals for a visible one, and its next state. */
  refuses?(step: Step, alert: Alert, model: Model): Refused;
  does?(step: Step, alert: Alert, model: Model): void;
  /** One channel. */
  onChannel?: { refuses?(step: Step, model: Model): Refused; does(step: Step, model: Model): void };
}

const AHEAD = "2036-01-01T00:00:00Z";
const PAST = "2020-01-01T00:00:00Z";
const sendAt = ({ when }: Step) => (when === "none" ? {} : { send_at: { ahead: AHEAD, past: PAST, null: null }[when] });

const paused = ({ channel }: { channel: number }, { channels }: Model) => channels[channel]!.paused;
const mayPublish = ({ by }: Step) => ACTORS[by].scopes.includes("alerts:send") && !ACTORS[by].asks;
const pausing =
  (paused: boolean) =>
  ({ channel }: Step, { channels }: Model) => {
    channels[channel]!.paused = paused;
  };
const frozen = ({ status }: Alert) => status === "sent" || status === "cancelled";

const VERBS = {
  create: {
    tool: "create_alert",
    scope: "alerts:write",
    args: (step: Step) => ({
      title: step.title,
      ...(step.send ? { send: true, idempotency_key: randomUUID() } : {}),
      ...sendAt(step),
    }),
    invalid: ({ title }: Step) => title === "",
    publishes: ({ send }: Step) => send,
    onChannel: {
      refuses(step: Step, model: Model): Refused {
        if (step.send && paused(step, model)) return "conflict";
        return step.send && step.when === "past" ? "invalid_request" : null;
      },
      does({ channel, title, send, when }: Step, { alerts }: Model) {
        const status = !send ? "draft" : when === "ahead" ? "scheduled" : "sent";
        // A draft keeps a past time as its author's proposal, and is not scheduled by it.
        const planned = when === "ahead";
        alerts.push({ channel, status, title, planned, read: false, acked: false });
      },
    },
  },
  edit: {
    tool: "update_alert",
    scope: "alerts:write",
    args: (step: Step) => ({ title: step.title, ...sendAt(step) }),
    invalid: ({ title }: Step) => title === "",
    refuses(step: Step, alert: Alert): Refused {
      if (frozen(alert)) return "conflict";
      if (alert.status === "scheduled" && step.when !== "null" && !mayPublish(step)) return "insufficient_scope";
      return alert.status === "scheduled" && step.when === "past" ? "invalid_request" : null;
    },
    does({ title, when }: Step, alert: Alert) {
      alert.title = title;
      if (when === "null") Object.assign(alert, { status: "draft", planned: false });
      else if (when !== "none") alert.planned = when === "ahead";
    },
  },
  send: {
    tool: "send_alert",
    scope: "alerts:send",
    publishes: () => true,
    refuses: (_step: Step, alert: Alert, model: Model): Refused =>
      paused(alert, model) || alert.status === "cancelled" ? "conflict" : null,
    does: (_step: Step, alert: Alert) => void Object.assign(alert, { status: "sent" }),
  },
  schedule: {
    tool: "schedule_alert",
    scope: "alerts:send",
    args: ({ when }: Step) => (when === "ahead" ? { send_at: AHEAD } : {}),
    publishes: () => true,
    refuses({ when }: Step, alert: Alert, model: Model): Refused {
      if (paused(alert, model) || frozen(alert)) return "conflict";
      return when === "ahead" || alert.planned ? null : "invalid_request";
    },
    does: (_step: Step, alert: Alert) => void Object.assign(alert, { status: "scheduled", planned: true }),
  },
  cancel: {
    tool: "cancel_alert",
    scope: "alerts:send",
    refuses: (_step: Step, { status }: Alert): Refused => (status === "draft" ? "conflict" : null),
    does: (_step: Step, alert: Alert) => void Object.assign(alert, { status: "cancelled" }),
  },
  delete: {
    tool: "delete_alert",
    scope: "alerts:write",
    refuses(step: Step, { status }: Alert): Refused {
      if (status === "sent") return "conflict";
      const mayWithdraw = ACTORS[step.by].scopes.includes("alerts:send");
      return status === "scheduled" && !mayWithdraw ? "insufficient_scope" : null;
    },
    does: (_step: Step, alert: Alert, { alerts }: Model) => void alerts.splice(alerts.indexOf(alert), 1, null),
  },
  duplicate: {
    tool: "duplicate_alert",
    scope: "alerts:write",
    does(_step: Step, { channel, title }: Alert, { alerts }: Model) {
      alerts.push({ channel, title, status: "draft", planned: false, read: false, acked: false });
    },
  },
  read: { tool: "get_alert", scope: "alerts:read" },
  count: { tool: "get_alert_stats", scope: "stats:read" },
  pause: {
    tool: "update_pusher",
    scope: "pushers:write",
    args: () => ({ status: "paused" }),
    onChannel: { does: pausing(true) },
  },
  resume: {
    tool: "update_pusher",
    scope: "pushers:write",
    args: () => ({ status: "active" }),
    onChannel: { does: pausing(false) },
  },
  look: { tool: "get_pusher", scope: "pushers:read", onChannel: { does() {} } },
  list: { tool: "list_alerts", scope: "alerts:read", onChannel: { does() {} } },
} satisfies Record<string, Verb>;

/** The result of a call by the rules, in the order of all checks (rules#order-of-checks), and the model after it. */
function expected(step: Step, model: Model, alert: Alert | null): Refused {
  const verb: Verb = VERBS[step.do];
  const { scopes, asks, sees } = ACTORS[step.by];
  const publishes = verb.publishes?.(step) ?? false;
  if (!scopes.includes(verb.scope)) return "insufficient_scope";
  if (publishes && (asks || !scopes.includes("alerts:send"))) return "insufficient_scope";
  if (verb.invalid?.(step)) return "invalid_request";
  const channel = verb.onChannel ? step.channel : alert?.channel;
  if (channel === undefined || !sees.includes(channel)) return "not_found";
  if (verb.onChannel) {
    const refused = verb.onChannel.refuses?.(step, model) ?? null;
    if (!refused) verb.onChannel.does(step, model);
    return refused;
  }
  if (!alert || (step.astray && !sees.includes(1 - alert.channel))) return "not_found";
  if (step.astray) return "not_found";
  const refused = verb.refuses?.(step, alert, model) ?? null;
  if (!refused) verb.does?.(step, alert, model);
  return refused;
}

/**
 * An assistant that may not publish gets the state of an alert that no person has to decide about any more
 * (rules#mcp-review).
 */
const isDecided = ({ do: verb, by, astray }: Step, alert: Alert | null, refused: Refused): boolean =>
  (verb === "send" || verb === "schedule") &&
  refused === "insufficient_scope" &&
  alert !== null &&
  alert.status !== "draft" &&
  !astray &&
  ACTORS[by].sees.includes(alert.channel);

// ---- a face ---------------------------------------------------------------------------------------------------------

/** An account with calls over one transport only. */
class Account {
  readonly ask: TransportCall;
  readonly keys: Record<Actor, string>;
  readonly pushers: any[];
  readonly device: string;
  readonly names = createIdNormalizer();
  /** Ids of the model's alerts. */
  readonly alerts: string[] = [];

  private constructor(ask: TransportCall, keys: Record<Actor, string>, pushers: any[], device: string) {
    this.ask = ask;
    this.keys = keys;
    this.pushers = pushers;
    this.device = device;
  }

  static async open(ask: TransportCall, shared: Omit<Record<Actor, string>, "bound">): Promise<Account> {
    const pushers = [0, 1].map(() => ({ handle: createHandle(), name: "C", category: "community", description: "D" }));
    const made = [];
    for (const fields of pushers) made.push((await world.rest("create_pusher", fields)).body);
    const scopes = ACTORS.bound.scopes.join(",");
    const bound = await world.key({ scopes, pusher: made[0].id });
    return new Account(ask, { ...shared, bound }, made, await world.device(...made.map(({ handle }) => handle)));
  }

  async call(step: Step, index: number, alert: Alert | null): Promise<TransportAnswer> {
    const verb: Verb = VERBS[step.do];
    const channel = verb.onChannel ? step.channel : step.astray ? 1 - (alert?.channel ?? 0) : (alert?.channel ?? 0);
    const args: Record<string, unknown> = { pusher_id: this.pushers[channel].id, ...verb.args?.(step) };
    if (!verb.onChannel) args.alert_id = this.alerts[index] ?? "alr_01h455vb4pex5vsknk084sn02q";
    const told = await this.ask(verb.tool, args, this.keys[step.by]);
    if (!told.refused && (step.do === "create" || step.do === "duplicate")) this.alerts.push(told.body.id);
    // An assistant's alert that it may not publish is kept as a draft, and a person decides (rules#mcp-review).
    const kept = told.refused === "insufficient_scope" && /saved as draft (alr_\w+)/.exec(told.body.error.message)?.[1];
    if (kept) await this.ask("delete_alert", { pusher_id: args.pusher_id, alert_id: kept }, this.keys.owner);
    return told;
  }

  /**
   * The parts of a response that are compared between transports. Each transport describes a person's decisions in its
   * own text.
   */
  shown({ refused, body }: TransportAnswer): unknown {
    if (refused === "insufficient_scope") return { refused };
    // REST alone does not begin with the effect (rules#refusal-begins-with-effect).
    const error = refused && { ...body.error, message: body.error.message.replace(/^Nothing was \w+\. /, "") };
    return { refused, body: this.names(error ? { error } : body) };
  }

  handset(method: string, path: string, body?: unknown) {
    return world.handset(method, path, this.device, body);
  }
}

let world: World;
let opened: Awaited<ReturnType<typeof openTransports>>;
let shared: Omit<Record<Actor, string>, "bound">;
beforeAll(async () => {
  world = await World.open();
  opened = await openTransports(world);
  const key = (actor: Actor, more = {}) => world.key({ scopes: ACTORS[actor].scopes.join(","), ...more });
  shared = {
    owner: await key("owner"),
    writer: await key("writer"),
    asker: await key("asker", { requires_approval: true }),
    reader: await key("reader"),
    stranger: await world.foreignKey(),
  };
});
afterAll(async () => {
  await opened?.close();
  await world?.close();
});

// ---- stories
// ---------------------------------------------------------------------------------------------------------

/** The actions of a handset between two calls. */
type Act = { device: "join" | "leave" | "read" | "ack"; channel: number; alert: number };

const seen: Record<string, number> = {};

async function play(story: (Step | Act)[]): Promise<void> {
  const model: Model = { channels: [0, 1].map(() => ({ paused: false, joined: true })), alerts: [] };
  const accounts = await callConcurrently(3, (i) => Account.open(Object.values(opened.faces)[i]!, shared), 3);
  for (const [at, step] of story.entries()) {
    const index = step.alert % Math.max(1, model.alerts.length);
    const alert = model.alerts[index] ?? null;
    if ("device" in step) await act(step, model, accounts, index, alert);
    else {
      const before = alert && { ...alert };
      const refused = expected(step, model, alert);
      const [rest, ...others] = await Promise.all(
        accounts.map(async (account) => {
          const told = await account.call(step, index, before);
          if (account.ask === opened.faces.mcp && isDecided(step, before, refused)) {
            expect([told.refused, told.body.decision]).toEqual([null, before?.status]);
            return { refused };
          }
          expect(told.refused, JSON.stringify(told.body)).toBe(refused);
          return account.shown(told);
        }),
      );
      for (const other of others) expect(other).toEqual(rest);
      const name = `${step.do} ${refused ?? "done"}`;
      seen[name] = (seen[name] ?? 0) + 1;
    }
    if (at % 8 === 7) await expectStates(model, accounts);
  }
  await expectStates(model, accounts);
}

async function act({ device, channel }: Act, model: Model, accounts: Account[], index: number, alert: Alert | null) {
  for (const account of accounts) {
    const path = `/subscriptions/${account.pushers[channel].handle}`;
    if (device === "join") expect((await account.handset("PUT", path, {})).status).toBe(200);
    else if (device === "leave") expect((await account.handset("DELETE", path)).status).toBe(204);
    else if (alert) {
      const reports = [{ alert_id: account.alerts[index], kind: device }];
      expect((await account.handset("POST", "/reports", { reports })).status).toBe(200);
    }
  }
  if (device === "join" || device === "leave") model.channels[channel]!.joined = device === "join";
  else if (alert?.status === "sent" && model.channels[alert.channel]!.joined)
    alert[device === "read" ? "read" : "acked"] = true;
}

const expectStates = (model: Model, accounts: Account[]) =>
  Promise.all(accounts.flatMap((account) => [0, 1].map((channel) => expectState(model, account, channel))));

/** Lists, counters, statistics and the inbox of an account equal the model. */
async function expectState(model: Model, account: Account, channel: number): Promise<void> {
  const alerts = model.alerts.flatMap((alert, i) => (alert ? [{ ...alert, id: account.alerts[i]! }] : []));
  const owner = (tool: string, args: object) => account.ask(tool, { ...args }, account.keys.owner);
  const pusher_id = account.pushers[channel].id;
  const own = alerts.filter((alert) => alert.channel === channel);
  const { body: list } = await owner("list_alerts", { pusher_id, limit: 100 });
  const [theirs, ours] = [list.data, own].map((rows) =>
    rows.map(({ id, status, title }: any) => `${id} ${status} ${title}`).toSorted(),
  );
  expect(theirs).toEqual(ours);
  const { body: card } = await owner("get_pusher", { pusher_id });
  const { paused, joined } = model.channels[channel]!;
  expect([card.status, card.subscribers, card.alerts_sent]).toEqual([
    paused ? "paused" : "active",
    joined ? 1 : 0,
    own.filter(({ status }) => status === "sent").length,
  ]);
  const last = own.at(-1);
  if (last) {
    const { body } = await owner("get_alert_stats", { pusher_id, alert_id: last.id });
    expect([body.totals.reads, body.totals.acks]).toEqual([Number(last.read), Number(last.acked)]);
  }
  const inbox = (await account.handset("GET", "/inbox?limit=100")).body.data.map(({ id }: any) => id);
  const visible = alerts.filter(({ status, channel }) => status === "sent" && model.channels[channel]!.joined);
  expect(inbox.toSorted()).toEqual(visible.map(({ id }) => id).toSorted());
}

const usually = <T>(value: T, ...others: T[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(value) }, { weight: 4, arbitrary: fc.constantFrom(value, ...others) });

/** There is nothing to do with alerts before there are some. */
const CREATE = Array<Step["do"]>(5).fill("create");

const call: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(...(Object.keys(VERBS) as Step["do"][]), ...CREATE, "send", "edit"),
  by: usually<Actor>("owner", ...(Object.keys(ACTORS) as Actor[])),
  channel: fc.nat(1),
  alert: fc.nat(9),
  astray: usually(false, true),
  title: usually("T", "U", ""),
  when: fc.constantFrom("none", "none", "ahead", "ahead", "past", "null"),
  send: fc.boolean(),
});
const actOf: fc.Arbitrary<Act> = fc.record({
  device: fc.constantFrom("join", "join", "leave", "read", "ack"),
  channel: fc.nat(1),
  alert: fc.nat(9),
});
// Without a bias, which would make most of few stories short.
const stories = fc.noBias(
  fc.array(fc.oneof({ weight: 5, arbitrary: call }, { weight: 2, arbitrary: actOf }), { maxLength: 30, size: "max" }),
);

const plain: Step = {
  do: "create",
  by: "owner",
  channel: 0,
  alert: 0,
  astray: false,
  title: "T",
  when: "none",
  send: false,
};
const WELL_KNOWN: (Step | Act)[] = [
  plain,
  { ...plain, do: "send" },
  { ...plain, send: true },
  { device: "read", channel: 0, alert: 0 },
  { ...plain, do: "edit", title: "U" },
  { ...plain, when: "ahead" },
  { ...plain, do: "schedule", by: "writer", alert: 2 },
  { ...plain, do: "schedule", alert: 2 },
  { ...plain, do: "edit", by: "asker", alert: 2 },
  { ...plain, by: "asker", send: true },
  { ...plain, do: "cancel", by: "stranger", alert: 2 },
  { ...plain, when: "ahead", send: true },
  { ...plain, do: "delete", by: "writer", alert: 3 },
  { ...plain, do: "cancel", alert: 2 },
  { ...plain, do: "count" },
];

// rules#two-faces rules#order-of-checks
test("any sequence is the same over three transports, and as in the rules", async () => {
  await fc.assert(fc.asyncProperty(stories, play), { numRuns: ROUNDS * 2, examples: [[WELL_KNOWN]] });
  await expectRecountClean(world.service.orm);
  console.log(`stories: ${JSON.stringify(seen)}`);
  // With any number of rounds, the fixed sequence covered the important cases.
  for (const name of ["create done", "send done", "edit conflict"]) expect(seen[name] ?? 0, name).toBeGreaterThan(0);
});

// rules#two-faces
test("a command in a process of its own prints the same as one in here", async () => {
  const { id, handle } = await world.pusher();
  for (const [tool, args] of [
    ["get_pusher", { pusher_id: id }],
    ["send_alert", { pusher_id: handle, alert_id: "alr_01h455vb4pex5vsknk084sn02q" }],
  ] as const) {
    const [here, there] = await Promise.all(
      [opened.faces.cli, opened.byProcess].map((ask) => ask(tool, args, world.owner)),
    );
    expect(there).toEqual(here);
  }
});
