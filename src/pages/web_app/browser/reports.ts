// Reports to channels: that an alert was read, that it was confirmed, and the reply. They are stored in order while
// offline, and sent in batches by one tab at a time. Where the person disabled them, none are made.

import { LIMITS } from "../../../model/limits.ts";
import type { ReportKind } from "./api_types.ts";
import { getAppState, reloadStateInAllTabs, updateAppState } from "./app_state.ts";
import { now } from "./current_time.ts";
import { fillStoredAlertDefaults } from "./field_defaults.ts";
import { deleteReportsBefore, ServiceUnreachableError } from "./handset_api.ts";
import {
  DEFAULT_SETTINGS,
  getStoredFact,
  type QueuedReport,
  type StoredAlert,
  setStoredFact,
  updateAlerts,
} from "./local_store.ts";
import { flushReports, requestReportSync } from "./report_queue.ts";
import { isOpenForReplies } from "./rules/replies.ts";
import { requestImmediateSync } from "./tab_leader.ts";
import { runInOneTab } from "./web_lock.ts";

const DAY_MS = 86_400_000;
/** The time of a report is deleted after this period; the report stays counted. */
const REMEMBERED_MS = LIMITS.app_reports_days * DAY_MS;

/**
 * Notes what the person did with alerts, as they are kept now; any action marks them as read. If `after` returns null,
 * nothing is done. `told`: the report of each, where the person chose to report.
 */
async function note(
  alerts: readonly StoredAlert[],
  after: (kept: StoredAlert, at: string) => Partial<StoredAlert> | null,
  told: readonly Omit<QueuedReport, "alert_id">[] = [],
): Promise<void> {
  const { store, settings } = getAppState();
  if (!store) return;
  const at = new Date(now()).toISOString();
  const ids = alerts.map(({ id }) => id);
  await updateAlerts(store, ids, (found) => {
    const kept = fillStoredAlertDefaults(found);
    const part = after(kept, at);
    const reports = settings.reports && !kept.test_until ? told : [];
    return (
      part && {
        alert: { ...kept, read_at: kept.read_at ?? at, ...part },
        reports: reports.map((report) => ({ alert_id: kept.id, ...report })),
      }
    );
  });
  await reloadStateInAllTabs();
  if (told.length > 0) void sendQueuedReports();
}

/** Notes that the person read or confirmed an alert, and queues the reports that they chose to send. */
export async function recordReadOrAck(alert: StoredAlert, kind: "read" | "ack"): Promise<void> {
  const isDone = (one: StoredAlert) => (kind === "ack" ? one.acked_at : one.read_at) !== null;
  // Confirming includes reading. Repeated reports are not counted.
  const kinds: ReportKind[] = kind === "ack" ? ["read", "ack"] : [kind];
  if (!isDone(alert))
    await note(
      [alert],
      (kept, at) => (isDone(kept) ? null : kind === "ack" ? { acked_at: at } : {}),
      kinds.map((one) => ({ kind: one })),
    );
}

/** Stores the person's reply, which replaces an earlier one. */
export async function recordReply(alert: StoredAlert, choice: string): Promise<void> {
  if (isOpenForReplies(alert, now()))
    await note([alert], (kept) => (kept.reply === choice ? null : { reply: choice }), [{ kind: "reply", choice }]);
}

/** Marks these as read. Channels receive reports of opened alerts only, so these are not reported. */
export const markReadWithoutReport = (alerts: readonly StoredAlert[]): Promise<void> => note(alerts, () => ({}));

type Marks = Partial<Pick<StoredAlert, "dismissed" | "archived" | "snoozed_until" | "reminded" | "read_at">>;

/** Puts an alert aside, with an offer to undo it. Nothing of it is reported. `text`: what was done. */
export async function markAlertWithUndo(alert: StoredAlert, marks: Marks, text: string): Promise<void> {
  const { dismissed = false, archived = false, snoozed_until = null, reminded = false, read_at } = alert;
  await note([alert], () => marks);
  const undo = () => note([alert], () => ({ dismissed, archived, snoozed_until, reminded, read_at }));
  updateAppState({ undo: { text, undo } });
}

/**
 * Moves an alert out of the spotlight, as read, or back into it. In the history it keeps waiting for its confirmation.
 */
export const setDismissed = (alert: StoredAlert, dismissed: boolean): Promise<void> =>
  note([alert], () => ({ dismissed }));

/** Sends the queue; without the service it is tried again later, also by the worker of a closed app. */
export async function sendQueuedReports(): Promise<void> {
  const { store, device } = getAppState();
  if (!store || !device || device.refused) return;
  try {
    await flushReports(store, device.token, reloadStateInAllTabs);
  } catch (error) {
    // The list shows the connection; a poll corrects it.
    if (error instanceof ServiceUnreachableError && getAppState().connection === "live") requestImmediateSync();
    await requestReportSync(await navigator.serviceWorker?.getRegistration());
  }
}

/** Once a day the device forgets at the service when it reported long ago. */
export async function pruneReportsOnServerDaily(): Promise<void> {
  const { store, device } = getAppState();
  if (!store || !device || device.refused) return;
  const at = now();
  if (at - ((await getStoredFact(store, "pruned_at")) ?? 0) < DAY_MS) return;
  await deleteReportsBefore(device.token, new Date(at - REMEMBERED_MS).toISOString());
  await setStoredFact(store, "pruned_at", at);
}

/** Disabling takes effect at once: pending reports are also dropped. */
export async function setReporting(on: boolean): Promise<void> {
  const { store, settings } = getAppState();
  if (!store) return;
  await setStoredFact(store, "settings", { ...DEFAULT_SETTINGS, ...settings, reports: on });
  if (!on) await runInOneTab("belfry-reports", () => store.clear("reports"));
  await reloadStateInAllTabs();
  updateAppState({ said: null });
}
