// Reports, and alerts that are created and sent.

import { showId } from "../../src/model/domain/ids.ts";
import { compose } from "../../src/operation/alerts/compose.ts";
import { takeReports } from "../../src/store/queries/reports.ts";
import { NEW_ALERTS, SENDS } from "../../src/store/queries/sends.ts";
import { ALERT, bearer, JSON_BODY, LAST_WRITTEN, sends, withKey } from "../calls.ts";
import type { Case, World } from "../case.ts";
import { asScript, CONNECTIONS, type HttpLoad, type Load } from "../load.ts";
import {
  alertNumber,
  benchId,
  channelPath,
  HOT,
  ID,
  REPORTABLE,
  REPORTER_IDS,
  reporterChannel,
  WRITTEN_CHANNELS,
} from "../seed.ts";

export const WRITE_CASES: Case[] = [
  {
    name: "reports on one hot alert",
    sides: {
      http: async (world, round) => reports(world, round, () => HOT),
      pgbench: async (world, round) => reportScript(world, round, `${HOT}`),
    },
    // A statement that meets another one on the channel leaves it out, so pgbench does less than the service.
    ratios: [{ of: "http", to: "pgbench", by: "rate", goal: null }],
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
      http: async (world) => sends(world, world.service),
      pgbench: async (world, round) =>
        withKey(
          world,
          [
            asScript(NEW_ALERTS.alone, {
              items: newAlert(ID("channel", ":c"), `${2 * round * 1e9}::bigint + :client_id * 1000000 + :i`),
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
          target: world.service,
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
            asScript(SENDS.alone, {
              items: send(channel, ID("draft", ":n"), `${(2 * round + 1) * 1e9}::bigint + :client_id * 1000000 + :i`),
            }),
          ],
          ["\\set i :i + 1", `\\set n ${first} + :client_id * ${perConnection(world)} + :i`],
        );
      },
    },
    ratios: [{ of: "http", to: "pgbench", by: "rate", goal: { least: 0.65 } }],
    flat: ["http"],
  },
];

/** Which of a channel's alerts a side reports on in a round: each report of a handset counts once. */
const reportable = (side: number) => REPORTABLE.first + (side % REPORTABLE.count);
const KINDS = ["read", "ack"] as const;

function reports(world: World, round: number, channelOf: (i: number) => number): HttpLoad {
  const each = Math.floor(world.tokens.reporters.length / CONNECTIONS);
  return {
    kind: "http",
    target: world.service,
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

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** As long as what is told of such an alert. pgbench takes a colon before a letter or a digit for a variable. */
const EVENT = { event: "alert.sent", data: { ...ALERT, about: "what else is told of it ".repeat(12) } };

/** Who does it, in the audit log, and in what state it leaves the alert. */
const ACT = {
  workspace_id: benchId("workspace", 0),
  actor_type: "key",
  actor_id: "key_00000000000000000000000000",
  actor_name: "bench",
  member_id: benchId("member", 0),
  transport: "rest",
  subject_id: "alr_00000000000000000000000000",
  status: "sent",
};

/** A send of a draft, with both. `number`: no other call has it. */
function send(channel: string, alert: string, number: string): string {
  const event_begins = JSON.stringify(EVENT).slice(0, -"}}".length);
  const same = {
    position: 1,
    pusher_ids: null,
    may: true,
    expected: null,
    asked_at: "2026-11-23T00:00:00Z",
    ...ACT,
  };
  const items = { ...same, operation: "send_alert", event_begins };
  const own = `'pusher_id', ${channel}, 'id', ${alert}, 'audit_id', ${ID("told", number)}, 'event_id', ${ID("told", number)}`;
  return `jsonb_build_array(${literal(JSON.stringify(items, null, 1))}::jsonb || jsonb_build_object(${own}))`;
}

/** A new alert that is sent, with both. `number`: no other call has it. */
function newAlert(channel: string, number: string): string {
  const { fields } = compose(ALERT, null, null);
  const event_body = JSON.stringify(EVENT);
  const same = { position: 1, pusher_ids: null, ...fields, ...ACT, operation: "create_alert", event_body };
  const own = `'pusher_id', ${channel}, 'id', ${ID("sent", number)}, 'audit_id', ${ID("told", number)}, 'event_id', ${ID("told", number)}`;
  return `jsonb_build_array(${literal(JSON.stringify(same, null, 1))}::jsonb || jsonb_build_object(${own}))`;
}
