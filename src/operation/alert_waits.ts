// Calls that wait for people. They end when their alert gets another version or other replies, after a timeout, or when
// the client leaves. They need no database connection during the wait. rules#review-wait

import { LIMITS } from "../model/limits.ts";
import type { ChangeHub } from "../store/changes/change_hub.ts";
import { formatAlertRevision } from "../store/queries/changed_revisions.ts";
import { createSlots, type Leases } from "../store/rate_limits/in_memory_concurrency_limits.ts";
import type { AlertChangeWaitOptions } from "../store/wait_context.ts";

interface AlertWaitsOptions {
  hub: Pick<ChangeHub, "listen">;
  /** Calls that wait at once in this process. */
  max: number;
  leases: Leases;
}

export function createAlertWaits({ hub, max, leases }: AlertWaitsOptions) {
  const places = createSlots(max, Number.POSITIVE_INFINITY);
  const stopping = new AbortController();

  return {
    /**
     * Resolves when the alert may be another version or have other replies; at once where too many calls wait
     * already.
     */
    async untilChanged({
      ms,
      subject,
      signal,
      alertId,
      pusherId,
      version,
      replies,
    }: AlertChangeWaitOptions): Promise<void> {
      const ended = AbortSignal.any([signal, stopping.signal]);
      if (ended.aborted || ms <= 0 || !places.hasRoom(null)) return;
      const leave = places.acquire(null);
      const release = await leases.acquire("review waits", subject, LIMITS.review_waits);
      if (!release || ended.aborted) {
        release?.();
        return leave();
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      const end = () => resolve();
      ended.addEventListener("abort", end);
      // Without the counts, a reply changes nothing.
      const seen = formatAlertRevision(version, replies ?? []);
      const isNews = (revision: string) => replies !== undefined || !revision.startsWith(seen);
      const alert = { kind: "alert", id: alertId, channel: pusherId, revision: seen } as const;
      const close = hub.listen([alert], (_, revision) => isNews(revision) && resolve());
      await promise;
      close();
      clearTimeout(timer);
      // A signal of others is kept for as long as it has a listener.
      ended.removeEventListener("abort", end);
      leave();
      release();
    },
    stop: (): void => stopping.abort(),
  };
}

export type AlertWaits = ReturnType<typeof createAlertWaits>;
