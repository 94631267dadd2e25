// Wake-ups as the rest of the service sees them: the key to subscribe with, whether an endpoint may be stored, and an event after whose
// commit the devices of its channel are woken (rules#push-wakes). Joins the parts of this folder to the rows. What the answers
// of push services say about endpoints is written down beside the service's work: one that is gone is forgotten, one that fails is
// counted, one that works again counts from the beginning. A wake-up that was taken leaves nothing (rules#push-leaves-nothing).

import { checkTarget, targetRules } from "../../effects/webhooks/target.ts";
import type { DomainEvent } from "../../model/domain/events.ts";
import { parseId } from "../../model/domain/ids.ts";
import type { PushKeys } from "../../model/domain/push_keys.ts";
import { LIMITS, said } from "../../model/limits.ts";
import { need } from "../../model/need.ts";
import type { Config } from "../../store/config/settings.ts";
import type { CameDue, Log, PushSupport } from "../../store/context.ts";
import { batched } from "../../store/db/batch.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, type RowOf, run, type Statement } from "../../store/db/statement.ts";
import { forgetEndpoints, noteFailures, noteRecoveries, wokenDevices, wokenOf } from "../../store/queries/push.ts";
import { createSeal } from "../../store/secret/seal.ts";
import { createChannels, LOOK, PAGE } from "./channels.ts";
import { createSender, type Outcome, type Urgency } from "./endpoint.ts";
import { createVapid, pushKey } from "./vapid.ts";
import { createWakeUps, WAKE_UP_LIMITS, type WakeUp } from "./wake_ups.ts";

/** What is under way at shutdown is given so long; a push service answers within a moment. */
const DRAIN_MS = 1_000;
/** Endpoints whose names are asked for at once before they are stored; beyond that the wake-up's own look-up has to do. */
const LOOK_UPS = 32;
const LOG_EVERY_MS = 60_000;

const REFUSED = `Give the https address, of at most ${said("url")} characters, that a push service on the public internet has handed out; the operator names others in WEB_PUSH_ALLOW_HOSTS.`;

export interface Push extends PushSupport {
  /** Told of every event after its commit; neither throws nor blocks. */
  published(event: DomainEvent): void;
  cameDue(settled: readonly CameDue[]): void;
  pending(): number;
  close(): Promise<void>;
}

export interface PushOptions {
  orm: Orm;
  secret: string;
  config: Pick<Config, "webPush" | "webPushContact" | "webPushAllowHosts" | "webhookDnsServers">;
  log: Log;
  /** Nothing may be written now. */
  isLow(): boolean;
  metrics: { wakeUps(outcome: Outcome | "dropped", count: number): void };
  now(): Date;
}

const urgencyOf = (priority: unknown): Urgency => (priority === "normal" ? "normal" : "high");

export async function createPush(options: PushOptions): Promise<Push> {
  const { orm, secret, config, log, isLow, metrics, now } = options;
  const seal = createSeal(secret, "push endpoints");
  /** One line, and with keys three. */
  const sealed = (endpoint: string, keys: PushKeys | null) =>
    seal.seal([new URL(endpoint).href, ...(keys ? [keys.p256dh, keys.auth] : [])].join("\n"));
  if (!config.webPush)
    return {
      publicKey: null,
      refusalOf: async () => null,
      sealed,
      wake() {},
      published() {},
      cameDue() {},
      pending: () => 0,
      async close() {},
    };

  const kysely = databaseOf(orm);
  const rules = targetRules({ allowHosts: config.webPushAllowHosts, dnsServers: config.webhookDnsServers });
  const vapid = createVapid(
    await pushKey(orm, secret),
    need(config.webPushContact, "without one nothing is woken"),
    () => now().getTime(),
  );
  const said = createSaid(log);
  const sender = createSender({
    rules,
    vapid,
    connections: WAKE_UP_LIMITS.perEndpointIdle,
    refused: (status) =>
      said(
        { status, contact: config.webPushContact },
        "a push service refused this server; set WEB_PUSH_CONTACT to a mailto: address or to a public https address",
      ),
  });
  let lookUps = 0;

  const dropped = (count: number) => {
    if (count === 0) return;
    metrics.wakeUps("dropped", count);
    said({ dropped: count }, "wake-ups dropped: too many wait, or a push service does not answer");
  };

  const outcomes = createEndpointOutcomes(orm, isLow, (error) =>
    said({ err: error }, "what became of wake-ups is not written down"),
  );
  const wakeUps = createWakeUps<WakeUp & Version>({
    send: sender.send,
    sent(version, outcome) {
      metrics.wakeUps(outcome, 1);
      outcomes.record(version, outcome);
    },
    dropped,
  });

  const channels = createChannels({
    async page(pusher_id, after, urgency) {
      const rows = await run(kysely, wokenDevices, { pusher_id, after, look: LOOK, limit: PAGE });
      add(rows, urgency);
      return need(rows[0], "a page has its last row").last;
    },
    room: () => wakeUps.room(PAGE),
    lost(error) {
      metrics.wakeUps("dropped", 1);
      said({ err: error }, "the devices of a channel could not be read; they are not woken");
    },
  });

  function add(rows: readonly RowOf<typeof wokenDevices | typeof wokenOf>[], urgency: Urgency): void {
    for (const { device_id, endpoint, failing } of rows) {
      if (device_id === null) continue;
      const target = opened(endpoint);
      if (target) wakeUps.add({ deviceId: device_id, sealed: endpoint, failing, ...target, urgency });
    }
  }

  function opened(endpoint: Uint8Array): Pick<WakeUp, "endpoint" | "keys"> | null {
    try {
      const [url = "", p256dh, auth] = seal.open(endpoint).split("\n");
      return { endpoint: new URL(url), keys: p256dh && auth ? { p256dh, auth } : null };
    } catch {
      // Not the error: it may hold the endpoint.
      said({}, "an endpoint cannot be opened");
      return null;
    }
  }

  return {
    publicKey: vapid.publicKey,
    async refusalOf(endpoint) {
      const inTime = lookUps >= LOOK_UPS ? { timeoutMs: 0 } : {};
      lookUps++;
      try {
        return (await checkTarget(endpoint, rules, inTime)).ok ? null : REFUSED;
      } finally {
        lookUps--;
      }
    },
    sealed,
    wake(pusher_id, devices, priority) {
      run(kysely, wokenOf, { pusher_id, devices }).then(
        (rows) => add(rows, urgencyOf(priority)),
        (err) => said({ err }, "the devices of a test could not be read; they are not woken"),
      );
    },
    published({ event, data }) {
      const channel = event === "alert.sent" ? parseId("psh", data.pusher_id) : null;
      if (channel) channels.wake(channel, urgencyOf(data.priority));
    },
    cameDue(settled) {
      for (const { pusher_id, waking } of settled)
        if (waking.length > 0)
          channels.wake(pusher_id, urgencyOf(waking.every((p) => p === "normal") ? "normal" : "high"));
    },
    pending: wakeUps.pending,
    async close() {
      await Promise.all([channels.close(), wakeUps.close(DRAIN_MS)]);
      await sender.close();
      await outcomes.close();
    },
  };
}

/** One line of a kind in a minute. */
function createSaid(log: Log) {
  const last = new Map<string, number>();
  return (fields: object, message: string) => {
    if (performance.now() - (last.get(message) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return;
    last.set(message, performance.now());
    log.warn(fields, message);
  };
}

/** An endpoint as it was read. */
export interface Version {
  deviceId: string;
  /** Names the version: another endpoint that took its place is not judged. */
  sealed: Uint8Array;
  failing: boolean;
}

type OfVersions<More> = Statement<{ devices: readonly string[]; endpoints: readonly Uint8Array[] } & More, unknown>;

export interface EndpointOutcomes {
  /** Neither throws nor blocks. What cannot be written is seen again with another wake-up. */
  record(version: Version, outcome: Outcome): void;
  close(): Promise<void>;
}

/** `isLow`: nothing may be written now. `lost`: what could not be written; must not throw. */
export function createEndpointOutcomes(
  orm: Orm,
  isLow: () => boolean,
  lost: (error: unknown) => void,
): EndpointOutcomes {
  const kysely = databaseOf(orm);
  const writing = new Set<Promise<void>>();

  const together = <More extends object>(statement: OfVersions<More>, more: More) =>
    batched(
      async (versions: Version[]) => {
        const devices = versions.map(({ deviceId }) => deviceId);
        await run(kysely, statement, { devices, endpoints: versions.map(({ sealed }) => sealed), ...more });
        return versions;
      },
      { inFlight: 1 },
    );
  const forget = together(forgetEndpoints, {});
  const fail = together(noteFailures, { failures: LIMITS.push_failures, days: LIMITS.push_failing_days });
  const recover = together(noteRecoveries, {});

  return {
    record(version, outcome) {
      if (isLow() || (outcome === "accepted" && !version.failing)) return;
      const write = outcome === "gone" ? forget : outcome === "accepted" ? recover : fail;
      const written = write(version)
        .then(() => {}, lost)
        .finally(() => writing.delete(written));
      writing.add(written);
    },
    async close() {
      await Promise.all(writing);
    },
  };
}
