// What is measured: each case with its sides over HTTP and in pgbench, and the ratios between them that goals are set
// for. pgbench runs the very texts that src/queries exports.

import { compose } from "../src/alerts/compose.ts";
import { showId } from "../src/domain/ids.ts";
import { insertAlert, lockAlert, publishAlert, readAlert } from "../src/queries/alerts.ts";
import { findDevicesWithInbox } from "../src/queries/handset.ts";
import { inboxPage } from "../src/queries/inbox.ts";
import { findKeys } from "../src/queries/keys.ts";
import { takeReports } from "../src/queries/reports.ts";
import { asScript, CONNECTIONS, type HttpLoad, type Load } from "./load.ts";
import {
  alertNumber,
  benchId,
  channelPath,
  HOT,
  hexOf,
  ID,
  POLLED_WIDTHS,
  POLLER_IDS,
  REPORTABLE,
  REPORTER_IDS,
  reporterChannel,
  type Tokens,
  WRITTEN_CHANNELS,
} from "./seed.ts";

/** One database with its server. */
export interface World {
  url: string;
  plainUrl: string;
  tokens: Tokens;
  /** Seconds of one measurement. */
  seconds: number;
  sql(text: string): Promise<void>;
}

/** A goal for the rate or the processor time of one side in terms of another. */
export interface Ratio {
  of: string;
  to: string;
  by: "rate" | "cpu";
  goal: { least: number } | { most: number } | null;
}

export interface Case {
  name: string;
  /** Made anew for every round, the warm-up being round 0. */
  sides: Record<string, (world: World, round: number) => Promise<Load>>;
  ratios: Ratio[];
  /** The sides whose p50 must not grow from S to L. */
  flat: string[];
}

const PAGE = 50;

export const CASES: Case[] = [
  ...POLLED_WIDTHS.map((width): Case => {
    return {
      name: `inbox unchanged, ${width} channels`,
      sides: {
        http: async (world) => {
          const held = await Promise.all(world.tokens.pollers[width].map((token) => poll(world, token)));
          return {
            kind: "http",
            url: world.url,
            status: 304,
            requests: (connection) => {
              const { token, etag } = held[connection % held.length]!;
              return [{ path: INBOX, headers: { ...bearer(token), "if-none-match": etag } }];
            },
          };
        },
        pgbench: async ({ tokens }) => ({
          kind: "pgbench",
          // One handset: each further script is a further statement that every connection has to plan.
          scripts: [asScript(findDevicesWithInbox, { hashes: "array[:hash]" })],
          variables: { hash: hexOf(tokens.pollers[width][0]!) },
        }),
      },
      ratios: [{ of: "http", to: "pgbench", by: "rate", goal: { least: 0.5 } }],
      flat: ["http"],
    };
  }),
  ...POLLED_WIDTHS.map((width): Case => {
    return {
      name: `inbox of ${PAGE} cards, ${width} channels`,
      sides: {
        http: async (world) => {
          const tokens = world.tokens.pollers[width];
          const polled = await Promise.all(tokens.map((token) => poll(world, token)));
          for (const { body } of polled)
            if (JSON.parse(body).data.length !== PAGE) throw new Error("an inbox without a full page");
          const bodies = new Set(polled.map(({ body }) => body));
          return {
            kind: "http",
            url: world.url,
            status: 200,
            verify: (body) => bodies.has(body),
            requests: (connection) => [{ path: INBOX, headers: bearer(tokens[connection % tokens.length]!) }],
          };
        },
        pgbench: async ({ tokens }) => ({
          kind: "pgbench",
          scripts: [
            [
              asScript(findDevicesWithInbox, { hashes: "array[:hash]" }),
              asScript(inboxPage, {
                device_id: String(POLLER_IDS + BigInt(width * 1000)),
                before: "null",
                inside: "null",
                limit: PAGE + 1,
                max_bytes: 2 ** 20,
              }),
            ].join("\n"),
          ],
          variables: { hash: hexOf(tokens.pollers[width][0]!) },
        }),
      },
      ratios: [{ of: "http", to: "pgbench", by: "rate", goal: { least: 0.65 } }],
      flat: ["http"],
    };
  }),
  {
    name: "key look-up (GET /me)",
    sides: {
      http: async (world) => get(world, "/api/v1/me"),
      pgbench: async (world) => withKey(world, []),
    },
    ratios: [{ of: "http", to: "pgbench", by: "rate", goal: null }],
    flat: ["http"],
  },
  {
    name: "get_alert over REST and MCP",
    sides: {
      rest: async (world) => get(world, alertPath(2, REPORTABLE.first)),
      mcp: async (world) => {
        const [, , , , pusher_id, , alert_id] = alertPath(2, REPORTABLE.first).split("/");
        return mcp(world, "tools/call", { name: "get_alert", arguments: { pusher_id, alert_id } });
      },
      pgbench: async (world) =>
        withKey(world, [
          asScript(readAlert, {
            ...scopeOf(ID("channel", "2")),
            id: ID("alert", `${alertNumber(2, REPORTABLE.first)}`),
          }),
        ]),
    },
    ratios: [
      { of: "rest", to: "pgbench", by: "rate", goal: null },
      { of: "mcp", to: "rest", by: "rate", goal: { least: 0.7 } },
    ],
    flat: ["rest", "mcp"],
  },
  {
    name: "get_me over REST and MCP",
    sides: {
      rest: async (world) => get(world, "/api/v1/me"),
      mcp: async (world) => mcp(world, "tools/call", { name: "get_me", arguments: {} }),
    },
    ratios: [{ of: "mcp", to: "rest", by: "rate", goal: { least: 0.7 } }],
    flat: [],
  },
  {
    name: "create over REST and MCP",
    sides: {
      rest: async (world) => ({
        kind: "http",
        url: world.url,
        status: 201,
        requests: () => [
          {
            method: "POST",
            path: `${channelPath(LAST_WRITTEN)}/alerts`,
            headers: { ...bearer(world.tokens.key), ...JSON_BODY },
            body: JSON.stringify(ALERT),
          },
        ],
      }),
      mcp: async (world) => {
        const pusher_id = channelPath(LAST_WRITTEN).split("/").at(-1)!;
        return mcp(world, "tools/call", {
          name: "create_alert",
          arguments: { pusher_id, ...ALERT, view: "full" },
        });
      },
    },
    ratios: [{ of: "mcp", to: "rest", by: "rate", goal: { least: 0.9 } }],
    flat: [],
  },
  {
    name: "tools/list against a plain h3 answer",
    sides: {
      mcp: async (world) => mcp(world, "tools/list", {}),
      h3: async (world) => ({
        kind: "http",
        url: world.plainUrl,
        status: 200,
        requests: () => [{ path: "/" }],
      }),
    },
    ratios: [{ of: "mcp", to: "h3", by: "cpu", goal: { most: 10 } }],
    flat: ["mcp"],
  },
  {
    name: "reports on one hot alert",
    sides: {
      http: async (world, round) => reports(world, round, () => HOT),
      pgbench: async (world, round) => reportScript(world, round, `${HOT}`),
    },
    ratios: [{ of: "http", to: "pgbench", by: "rate", goal: { least: 5 } }],
    flat: ["http"],
  },
  {
    name: "reports spread over channels",
    sides: {
      http: async (world, round) => reports(world, round, reporterChannel),
      pgbench: async (world, round) => reportScript(world, round, "(2 + :n % 49)"),
    },
    ratios: [{ of: "http", to: "pgbench", by: "rate", goal: null }],
    flat: ["http"],
  },
  {
    name: "create and send",
    sides: {
      http: async (world) => ({
        kind: "http",
        url: world.url,
        status: 201,
        requests: (connection) =>
          Array.from({ length: WRITTEN_CHANNELS.count }, (_, i) => ({
            method: "POST",
            path: `${channelPath(WRITTEN_CHANNELS.first + ((i + connection) % WRITTEN_CHANNELS.count))}/alerts`,
            headers: { ...bearer(world.tokens.key), ...JSON_BODY },
            body: JSON.stringify({ ...ALERT, send: true }),
          })),
      }),
      // Without a transaction of its own, which is the least that this work can cost.
      pgbench: async (world, round) =>
        withKey(
          world,
          [
            asScript(insertAlert, {
              ...scopeOf(ID("channel", ":c")),
              id: ID("sent", `${round * 1e9}::bigint + :client_id * 1000000 + :i`),
              status: "'sent'",
              ...fieldsOf(ALERT),
            }),
          ],
          ["\\set i :i + 1", `\\set c random(${WRITTEN_CHANNELS.first}, ${LAST_WRITTEN})`],
        ),
    },
    ratios: [{ of: "http", to: "pgbench", by: "rate", goal: { least: 0.7 } }],
    flat: ["http"],
  },
  {
    name: "send of a draft",
    sides: {
      http: async (world, round) => {
        const first = await drafts(world, 2 * round);
        return {
          kind: "http",
          url: world.url,
          status: 200,
          once: true,
          requests: (connection) =>
            Array.from({ length: perConnection(world) }, (_, i) => {
              const n = first + connection * perConnection(world) + i;
              return {
                method: "PATCH",
                path: `${channelPath(draftChannel(n))}/alerts/${showId("alr", benchId("draft", n))}`,
                headers: { ...bearer(world.tokens.key), ...JSON_BODY },
                body: '{"action":"send"}',
              };
            }),
        };
      },
      pgbench: async (world, round) => {
        const first = await drafts(world, 2 * round + 1);
        const channel = ID("channel", `${WRITTEN_CHANNELS.first} + :n % ${WRITTEN_CHANNELS.count}`);
        return withKey(
          world,
          [
            "begin;",
            asScript(lockAlert, { ...scopeOf(channel), id: ID("draft", ":n") }),
            asScript(publishAlert, { id: ID("draft", ":n") }),
            "commit;",
          ],
          ["\\set i :i + 1", `\\set n ${first} + :client_id * ${perConnection(world)} + :i`],
        );
      },
    },
    ratios: [{ of: "http", to: "pgbench", by: "rate", goal: { least: 0.65 } }],
    flat: ["http"],
  },
];

const INBOX = "/handset/v1/inbox";
const JSON_BODY = { "content-type": "application/json" };
const LAST_WRITTEN = WRITTEN_CHANNELS.first + WRITTEN_CHANNELS.count - 1;
const ALERT = {
  title: "What is new",
  body: "It is measured how long this takes to be on every phone. ".repeat(4),
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const alertPath = (channel: number, k: number) =>
  `${channelPath(channel)}/alerts/${showId("alr", benchId("alert", alertNumber(channel, k)))}`;
const scopeOf = (channel: string) => ({
  pusher_id: channel,
  workspace_id: `'${benchId("workspace", 0)}'`,
  pusher_ids: "null",
});

async function poll({ url }: World, token: string) {
  const answer = await fetch(url + INBOX, { headers: bearer(token) });
  return { token, etag: answer.headers.get("etag")!, body: await answer.text() };
}

function get({ url, tokens }: World, path: string): HttpLoad {
  return { kind: "http", url, status: 200, requests: () => [{ path, headers: bearer(tokens.key) }] };
}

/** The key's look-up, then the statements. */
function withKey({ tokens }: World, statements: string[], before: string[] = []): Load {
  const script = [...before, asScript(findKeys, { hashes: "array[:key_hash]" }), ...statements];
  return { kind: "pgbench", scripts: [script.join("\n")], variables: { key_hash: hexOf(tokens.key), i: 0 } };
}

const PROTOCOL = "2026-07-28";

function mcp(
  { url, tokens }: World,
  method: string,
  params: { name?: string; arguments?: object },
): HttpLoad {
  const request = {
    method: "POST",
    path: "/mcp",
    headers: {
      ...bearer(tokens.key),
      ...JSON_BODY,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": PROTOCOL,
      "mcp-method": method,
      ...(params.name ? { "mcp-name": params.name } : {}),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": PROTOCOL,
          "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  };
  const verify = (body: string) => body.includes('"result":{') && !body.includes('"isError":true');
  return { kind: "http", url, status: 200, verify, requests: () => [request] };
}

/** Which of a channel's alerts a side reports on in a round: each report of a handset counts once. */
const reportable = (side: number) => REPORTABLE.first + (side % REPORTABLE.count);
const KINDS = ["read", "ack"] as const;

function reports(world: World, round: number, channelOf: (i: number) => number): HttpLoad {
  const each = Math.floor(world.tokens.reporters.length / CONNECTIONS);
  return {
    kind: "http",
    url: world.url,
    status: 200,
    once: true,
    verify: (body) => body === '{"accepted":1}',
    requests: (connection) =>
      KINDS.flatMap((kind) =>
        Array.from({ length: each }, (_, j) => {
          const i = connection * each + j;
          const alert_id = showId("alr", benchId("alert", alertNumber(channelOf(i), reportable(2 * round))));
          return {
            method: "POST",
            path: "/handset/v1/reports",
            headers: { ...bearer(world.tokens.reporters[i]!), ...JSON_BODY },
            body: JSON.stringify({ reports: [{ alert_id, kind }] }),
          };
        }),
      ),
  };
}

function reportScript(world: World, round: number, channel: string): Load {
  const each = Math.floor(world.tokens.reporters.length / CONNECTIONS);
  const alert = ID("alert", `${channel} * 1000 + ${reportable(2 * round + 1)}`);
  const statement = asScript(takeReports, {
    requests: "array[0]",
    alerts: `array[${alert}]`,
    devices: "array[:device]",
    kinds: "array[:kind]",
  });
  const script = [
    "\\set i :i + 1",
    `\\set n :client_id * ${each} + :i % ${each}`,
    `\\set device ${REPORTER_IDS} + :n`,
    `\\set kind 1 + :i / ${each} % 2`,
    statement,
  ];
  return { kind: "pgbench", scripts: [script.join("\n")], variables: { i: 0 } };
}

/** More sends than one connection does in a measurement. */
const perConnection = ({ seconds }: World) => 50 + seconds * 200;
const draftChannel = (n: number) => WRITTEN_CHANNELS.first + (n % WRITTEN_CHANNELS.count);

/** Drafts for every connection; their first number. */
async function drafts(world: World, lot: number): Promise<number> {
  const first = 1_000_000 * (lot + 1);
  await world.sql(
    `insert into alert (id, pusher_id, title, body)
     select ${ID("draft", "n")}, ${ID("channel", `${WRITTEN_CHANNELS.first} + n % ${WRITTEN_CHANNELS.count}`)},
       ${literal(ALERT.title)}, ${literal(ALERT.body)}
     from generate_series(${first}, ${first + CONNECTIONS * perConnection(world) - 1}) n`,
  );
  return first;
}

function literal(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return literal(JSON.stringify(value));
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** The columns of the same alert, as SQL. */
function fieldsOf(alert: typeof ALERT) {
  const { fields } = compose(alert, null, null);
  const entries = Object.entries(fields).map(([name, value]) => [name, literal(value)]);
  return Object.fromEntries(entries) as Record<keyof typeof fields, string>;
}
