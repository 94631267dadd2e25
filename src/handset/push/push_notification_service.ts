// Push notifications for the rest of the service: the key for subscriptions, and the check of an endpoint. After the
// commit of an event, the devices of its channel are notified (rules#push-wakes). It connects the modules of this
// folder with the rows. Results are recorded in the background: an expired endpoint is deleted, failures are counted,
// and a success resets the count. An accepted notification leaves nothing (rules#push-leaves-nothing).

import { parseTargetRules, resolveTargetAtRegistration } from "../../effects/webhooks/target_check.ts";
import { assertDefined } from "../../model/assert.ts";
import type { DomainEvent } from "../../model/domain/domain_events.ts";
import type { PushKeys } from "../../model/domain/push_keys.ts";
import { parseIdOrNull } from "../../model/domain/type_ids.ts";
import { formatLimit, LIMITS } from "../../model/limits.ts";
import type { Config } from "../../store/config/all_settings.ts";
import { createBatcher } from "../../store/db/batch_concurrent_calls.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement, type Statement, type StatementRow } from "../../store/db/statement.ts";
import type { Log, PublishedDueAlertPriorities, PushEndpointService } from "../../store/handler_context.ts";
import {
  filterPushDevices,
  findPushDevices,
  recordPushFailures,
  recordPushRecoveries,
  removePushEndpoints,
} from "../../store/queries/push_endpoints.ts";
import { createEncryption } from "../../store/secret/encryption.ts";
import { createOneAttemptPushQueue, PUSH_QUEUE_LIMITS, type QueuedPush } from "./one_attempt_push_queue.ts";
import { createPushFanOut, FAN_OUT_SUBSCRIPTIONS_PER_PAGE, PUSH_ENDPOINTS_PER_PAGE } from "./push_fan_out.ts";
import { createPushSender, type PushOutcome, type PushUrgency } from "./push_sender.ts";
import { createVapid, loadVapidPrivateKey } from "./vapid_keys.ts";

/** The time for running notifications at shutdown; a push service responds within a moment. */
const DRAIN_MS = 1_000;
/**
 * The number of endpoints with a DNS look-up before they are stored. Above it, the look-up of the notification has to
 * do.
 */
const LOOK_UPS = 32;
const LOG_EVERY_MS = 60_000;

const REFUSED =
  `The endpoint must be the https URL of a public push service, at most ${formatLimit("url")} characters long. The ` +
  "operator can allow other hosts with WEB_PUSH_ALLOW_HOSTS.";

export interface PushNotificationDispatcher extends PushEndpointService {
  /** Receives every event after its commit; neither throws nor blocks. */
  published(event: DomainEvent): void;
  cameDue(settled: readonly PublishedDueAlertPriorities[]): void;
  pending(): number;
  close(): Promise<void>;
}

interface PushNotificationServiceOptions {
  orm: Orm;
  secret: string;
  config: Pick<Config, "webPush" | "webPushContact" | "webPushAllowHosts" | "webhookDnsServers">;
  log: Log;
  /** Nothing may be written now. */
  isLow(): boolean;
  metrics: { wakeUps(outcome: PushOutcome | "dropped", count: number): void };
  now(): Date;
}

const urgencyOf = (priority: unknown): PushUrgency => (priority === "normal" ? "normal" : "high");

export async function createPushNotificationService(
  options: PushNotificationServiceOptions,
): Promise<PushNotificationDispatcher> {
  const { orm, secret, config, log, isLow, metrics, now } = options;
  const seal = createEncryption(secret, "push endpoints");
  /** One line, and with keys three. */
  const encryptEndpoint = (endpoint: string, keys: PushKeys | null) =>
    seal.encrypt([new URL(endpoint).href, ...(keys ? [keys.p256dh, keys.auth] : [])].join("\n"));
  if (!config.webPush)
    return {
      publicKey: null,
      checkEndpoint: async () => null,
      encryptEndpoint,
      wake() {},
      published() {},
      cameDue() {},
      pending: () => 0,
      async close() {},
    };

  const kysely = getKysely(orm);
  const rules = parseTargetRules({ allowHosts: config.webPushAllowHosts, dnsServers: config.webhookDnsServers });
  const vapid = createVapid(
    await loadVapidPrivateKey(orm, secret),
    assertDefined(config.webPushContact, "push notifications require a contact"),
    () => now().getTime(),
  );
  const said = createSaid(log);
  const sender = createPushSender({
    rules,
    vapid,
    connections: PUSH_QUEUE_LIMITS.perEndpointIdle,
    refused: (status) =>
      said(
        { status, contact: config.webPushContact },
        config.webPushContact?.startsWith("mailto:")
          ? "a push service rejected this server; check the address in WEB_PUSH_CONTACT and the server's clock"
          : "a push service rejected this server; set WEB_PUSH_CONTACT to a mailto: address or a public https address",
      ),
  });
  let lookUps = 0;

  const dropped = (count: number) => {
    if (count === 0) return;
    metrics.wakeUps("dropped", count);
    said({ dropped: count }, "push notifications dropped: the queue is full, or a push service is not responding");
  };

  const outcomes = createPushOutcomeRecorder(orm, isLow, (error) =>
    said({ err: error }, "push notification results could not be recorded"),
  );
  const wakeUps = createOneAttemptPushQueue<QueuedPush & PushEndpointVersion>({
    send: sender.send,
    sent(version, outcome) {
      metrics.wakeUps(outcome, 1);
      outcomes.record(version, outcome);
    },
    dropped,
  });

  const channels = createPushFanOut({
    async pushPage(pusher_id, after, urgency) {
      const rows = await runStatement(kysely, findPushDevices, {
        pusher_id,
        after,
        look: FAN_OUT_SUBSCRIPTIONS_PER_PAGE,
        limit: PUSH_ENDPOINTS_PER_PAGE,
      });
      add(rows, urgency);
      return assertDefined(rows[0], "a page has a last row").last;
    },
    waitForRoom: () => wakeUps.room(PUSH_ENDPOINTS_PER_PAGE),
    onDropped(error) {
      metrics.wakeUps("dropped", 1);
      said({ err: error }, "a channel's devices could not be read, so they get no push notification");
    },
  });

  function add(
    rows: readonly StatementRow<typeof findPushDevices | typeof filterPushDevices>[],
    urgency: PushUrgency,
  ): void {
    for (const { device_id, endpoint, failing } of rows) {
      if (device_id === null) continue;
      const target = opened(endpoint);
      if (target) wakeUps.add({ deviceId: device_id, sealed: endpoint, failing, ...target, urgency });
    }
  }

  function opened(endpoint: Uint8Array): Pick<QueuedPush, "endpoint" | "keys"> | null {
    try {
      const [url = "", p256dh, auth] = seal.decrypt(endpoint).split("\n");
      return { endpoint: new URL(url), keys: p256dh && auth ? { p256dh, auth } : null };
    } catch {
      // The error is not logged, because it may contain the endpoint.
      said({}, "a push endpoint could not be decrypted");
      return null;
    }
  }

  return {
    publicKey: vapid.publicKey,
    async checkEndpoint(endpoint) {
      const inTime = lookUps >= LOOK_UPS ? { timeoutMs: 0 } : {};
      lookUps++;
      try {
        if ((await resolveTargetAtRegistration(endpoint, rules, inTime)).ok) return null;
        // Apps do not show the setting to their users, so the operator reads it here.
        said({}, "a push endpoint was refused; list its host in WEB_PUSH_ALLOW_HOSTS if you run that push service");
        return REFUSED;
      } finally {
        lookUps--;
      }
    },
    encryptEndpoint,
    wake(pusher_id, devices, priority) {
      runStatement(kysely, filterPushDevices, { pusher_id, devices }).then(
        (rows) => add(rows, urgencyOf(priority)),
        (err) => said({ err }, "the devices for a test alert could not be read, so they get no push notification"),
      );
    },
    published({ event, data }) {
      const channel = event === "alert.sent" ? parseIdOrNull("psh", data.pusher_id) : null;
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
interface PushEndpointVersion {
  deviceId: string;
  /** Names the version: another endpoint that took its place is not judged. */
  sealed: Uint8Array;
  failing: boolean;
}

type OfVersions<More> = Statement<{ devices: readonly string[]; endpoints: readonly Uint8Array[] } & More, unknown>;

interface PushOutcomeRecorder {
  /** Neither throws nor blocks. A lost result is found again with another notification. */
  record(version: PushEndpointVersion, outcome: PushOutcome): void;
  close(): Promise<void>;
}

/** `isLow`: nothing may be written now. `lost`: what could not be written; must not throw. */
function createPushOutcomeRecorder(
  orm: Orm,
  isLow: () => boolean,
  lost: (error: unknown) => void,
): PushOutcomeRecorder {
  const kysely = getKysely(orm);
  const writing = new Set<Promise<void>>();

  const together = <More extends object>(statement: OfVersions<More>, more: More) =>
    createBatcher(
      async (versions: PushEndpointVersion[]) => {
        const devices = versions.map(({ deviceId }) => deviceId);
        await runStatement(kysely, statement, { devices, endpoints: versions.map(({ sealed }) => sealed), ...more });
        return versions;
      },
      { inFlight: 1 },
    );
  const forget = together(removePushEndpoints, {});
  const fail = together(recordPushFailures, { failures: LIMITS.push_failures, days: LIMITS.push_failing_days });
  const recover = together(recordPushRecoveries, {});

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
