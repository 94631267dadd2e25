// The queue of reports, sent by the app or by its worker, in the order in which they were made. The service counts a
// repeated report once, so a queue that was sent and not cleared does no harm (rules#reports).

import { LIMITS } from "../../../model/limits.ts";
import { ServiceRefusedError, sendReports } from "./handset_api.ts";
import { type LocalStore, oldestReports, removeQueuedReports } from "./local_store.ts";
import { runInOneTab } from "./web_lock.ts";

/** Tag of the browser's event for a network that is back. */
export const REPORT_SYNC = "belfry-reports";

/**
 * Sends the queue. A batch that the service refuses as invalid is dropped (rules#app-keeps-reports).
 * @throws ServiceUnreachableError, or ServiceRefusedError for any other refusal; the queue stays then
 */
export function flushReports(store: LocalStore, token: string, onSent = async () => {}): Promise<void> {
  return runInOneTab("belfry-reports", async () => {
    for (;;) {
      const waiting = await oldestReports(store, LIMITS.reports);
      if (waiting.length === 0) return;
      try {
        const reports = waiting.map(([, report]) => report);
        await sendReports(token, reports);
      } catch (error) {
        if (!(error instanceof ServiceRefusedError) || error.status !== 422) throw error;
      }
      const keys = waiting.map(([key]) => key);
      await removeQueuedReports(store, keys);
      await onSent();
    }
  });
}

/** Only Chromium has it. */
interface SyncRegistration {
  sync?: { register(tag: string): Promise<void> };
}

/** Has the browser wake the worker when the network is back, also after the app was closed. */
export async function requestReportSync(registration: ServiceWorkerRegistration | undefined): Promise<void> {
  await (registration as SyncRegistration | undefined)?.sync?.register(REPORT_SYNC).catch(() => {});
}
