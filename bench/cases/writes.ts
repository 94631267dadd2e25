// Reports, and alerts that are created and sent.

import { formatId } from "../../src/model/domain/type_ids.ts";
import { mergeAndSanitizeAlert } from "../../src/operation/alerts/compose_alert.ts";
import {
  CREATE_STATEMENT_VARIANTS,
  PUBLISH_STATEMENT_VARIANTS,
} from "../../src/store/queries/create_and_publish_alerts.ts";
import { recordReports } from "../../src/store/queries/reports.ts";
import { ALERT_ARGUMENTS, bearer, JSON_BODY, LAST_WRITTEN, sendRequests, withKeyLookup } from "../case_requests.ts";
import type { BenchCase, BenchWorld } from "../case_types.ts";
import { CONNECTIONS, type HttpLoad, type SideLoad, toPgbenchScript } from "../load_generators.ts";
import {
  alertNumber,
  benchId,
  benchIdSql,
  channelPath,
  HOT_CHANNEL,
  REPORTABLE,
  REPORTER_IDS,
  reporterChannel,
  WRITTEN_CHANNELS,
} from "../seed_database.ts";

export const WRITE_CASES: BenchCase[] = [
  {
    name: "reports on one hot alert",
    sides: {
      http: async (world, round) => reports(world, round, () => HOT_CHANNEL),
      pgbench: async (world, round) => reportScript(world, round, `${HOT_CHANNEL}`),
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
      http: async (world) => sendRequests(world, world.service),
      pgbench: async (world, round) =>
        withKeyLookup(
          world,
          [
            toPgbenchScript(CREATE_STATEMENT_VARIANTS.single, {
              items: newAlert(benchIdSql("channel", ":c"), `${2 * round * 1e9}::bigint + :client_id * 1000000 + :i`),
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
                path: `${channelPath(draftChannel(n))}/alerts/${formatId("alr", benchId("draft", n))}`,
                headers: { ...bearer(world.tokens.key), ...JSON_BODY },
                body: '{"action":"send"}',
              };
            }),
        };
      },
      pgbench: async (world, round) => {
        const first = await drafts(world, 2 * round + 1);
        const channel = benchIdSql("channel", `${WRITTEN_CHANNELS.first} + :n % ${WRITTEN_CHANNELS.count}`);
        return withKeyLookup(
          world,
          [
            toPgbenchScript(PUBLISH_STATEMENT_VARIANTS.single, {
              items: send(
                channel,
                benchIdSql("draft", ":n"),
                `${(2 * round + 1) * 1e9}::bigint + :client_id * 1000000 + :i`,
              ),
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

/** The alerts of a channel that a side reports on in a round: each report of a handset counts once. */
const reportable = (side: number) => REPORTABLE.first + (side % REPORTABLE.count);
const KINDS = ["read", "ack"] as const;

function reports(world: BenchWorld, round: number, channelOf: (i: number) => number): HttpLoad {
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
          const alert_id = formatId("alr", benchId("alert", alertNumber(channelOf(i), reportable(2 * round))));
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

function reportScript(world: BenchWorld, round: number, channel: string): SideLoad {
  const each = Math.floor(world.tokens.reporters.length / CONNECTIONS);
  const alert = benchIdSql("alert", `${channel} * 1000 + ${reportable(2 * round + 1)}`);
  const statement = toPgbenchScript(recordReports, {
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
const perConnection = ({ seconds }: BenchWorld) => 50 + seconds * 200;
const draftChannel = (n: number) => WRITTEN_CHANNELS.first + (n % WRITTEN_CHANNELS.count);

/** Drafts for every connection; their first number. */
async function drafts(world: BenchWorld, lot: number): Promise<number> {
  const first = 1_000_000 * (lot + 1);
  await world.sql(
    `insert into alert (id, pusher_id, title, body)
     select ${benchIdSql("draft", "n")}, ${benchIdSql(
       "channel",
       `${WRITTEN_CHANNELS.first} + n % ${WRITTEN_CHANNELS.count}`,
     )},
       ${literal(ALERT_ARGUMENTS.title)}, ${literal(ALERT_ARGUMENTS.body)}
     from generate_series(${first}, ${first + CONNECTIONS * perConnection(world) - 1}) n`,
  );
  return first;
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** As long as the stored text of such an alert. pgbench treats a colon before a letter or a digit as a variable. */
const EVENT = { event: "alert.sent", data: { ...ALERT_ARGUMENTS, about: "what else is told of it ".repeat(12) } };

/** The actor in the audit log, and the resulting state of the alert. */
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
  const same = { position: 1, pusher_ids: null, may: true, expected: null, asked_at: "2026-11-23T00:00:00Z", ...ACT };
  const items = { ...same, operation: "send_alert", event_begins };
  const own =
    `'pusher_id', ${channel}, 'id', ${alert}, 'audit_id', ${benchIdSql("told", number)}, 'event_id', ` +
    `${benchIdSql("told", number)}`;
  return `jsonb_build_array(${literal(JSON.stringify(items, null, 1))}::jsonb || jsonb_build_object(${own}))`;
}

/** A new alert that is sent, with both. `number`: no other call has it. */
function newAlert(channel: string, number: string): string {
  const { fields } = mergeAndSanitizeAlert(ALERT_ARGUMENTS, null, null);
  const event_body = JSON.stringify(EVENT);
  const same = { position: 1, pusher_ids: null, ...fields, ...ACT, operation: "create_alert", event_body };
  const own =
    `'pusher_id', ${channel}, 'id', ${benchIdSql("sent", number)}, 'audit_id', ${benchIdSql("told", number)}, ` +
    `'event_id', ${benchIdSql("told", number)}`;
  return `jsonb_build_array(${literal(JSON.stringify(same, null, 1))}::jsonb || jsonb_build_object(${own}))`;
}
