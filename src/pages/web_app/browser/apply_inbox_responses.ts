// Applies responses of the inbox: new, withdrawn and outdated alerts. It does not schedule requests.

import type { FetchedInboxAlert } from "./api_types.ts";
import { getAppState, reloadStateInAllTabs } from "./app_state.ts";
import { refreshChannelCards } from "./channel_actions.ts";
import { now } from "./current_time.ts";
import { fetchAlert, fetchOlderInboxPage, type PollResponse, ServiceRefusedError } from "./handset_api.ts";
import { applyInboxChanges, getStoredFact, type LocalStore, type StoredAlert, updateAlerts } from "./local_store.ts";
import { findAlertsBeyondLimits, findInboxDifference, markAlertSentBeforeJoining } from "./rules/merge_inbox.ts";
import { getTransferredAlertState } from "./rules/read_state_transfer.ts";

/** The period that a device requests after a long absence. */
const MOST_PAGES = 6;

/**
 * Applies a changed first page, with older ones until a known alert. Returns new alerts that were not read elsewhere.
 */
export async function applyInboxPage(token: string, polled: PollResponse, signal: AbortSignal): Promise<StoredAlert[]> {
  const { store, alerts } = getAppState();
  if (!store || !polled.page) return [];
  const known = new Map(alerts.map((alert) => [alert.id, alert]));
  const rows = [...polled.page.data];
  let next = polled.page.meta.next_before;
  // Alerts that only the worker received do not cover the time before them.
  const meets = ({ id }: FetchedInboxAlert) => known.has(id) && !known.get(id)?.pushed;
  const { asKept, settled } = await asNow(store);
  // For alerts before the device followed anything, one page is enough.
  const allBefore = () => rows.every((row) => settled(asKept(row)).before);
  for (let pages = 1; next !== null && pages < MOST_PAGES && !rows.some(meets) && !allBefore(); pages++) {
    const page = await fetchOlderInboxPage(token, next, signal);
    rows.push(...page.data);
    next = page.meta.next_before;
  }
  const { fresh, withdrawn } = findInboxDifference(rows, next === null, known);
  return keep(fresh, withdrawn, rows, polled.etag);
}

/** Applies a stream's changes, which lead to this validator. */
export async function applyStreamChanges(
  { come, gone }: { come: FetchedInboxAlert[]; gone: string[] },
  etag: string,
): Promise<StoredAlert[]> {
  const known = new Map(getAppState().alerts.map((alert) => [alert.id, alert]));
  const withdrawn = gone.flatMap((id) => known.get(id) ?? []);
  return keep(
    come.filter(({ id }) => !known.has(id)),
    withdrawn,
    come,
    etag,
  );
}

/**
 * Fetches the whole text of an alert that was cut, and keeps it.
 * @returns `away` while the service cannot be reached, `gone` where it has the alert no more
 */
export async function fetchAndStoreFullText({ id }: StoredAlert): Promise<"here" | "away" | "gone"> {
  const { store, device } = getAppState();
  if (!store || !device) return "away";
  try {
    const { body } = await fetchAlert(device.token, id);
    await updateAlerts(store, [id], ({ body_length: _, ...kept }) => ({ alert: { ...kept, body } }));
    await reloadStateInAllTabs();
    return "here";
  } catch (error) {
    return error instanceof ServiceRefusedError && error.status === 404 ? "gone" : "away";
  }
}

/** The stored form of an incoming row, and the state that the channel's subscription determines. */
async function asNow(store: LocalStore) {
  const { channels } = getAppState();
  const at = now();
  const moved = (await getStoredFact(store, "seen")) ?? null;
  return {
    at,
    asKept: (row: FetchedInboxAlert): StoredAlert => ({
      ...row,
      arrived_at: at,
      ...getTransferredAlertState(row, moved),
    }),
    settled: (alert: StoredAlert) => markAlertSentBeforeJoining(alert, channels.get(alert.handle)),
  };
}

/** Stores new alerts and marks withdrawn ones, except for channels that are not followed. `rows`: all received rows. */
async function keep(
  come: readonly FetchedInboxAlert[],
  withdrawn: readonly StoredAlert[],
  rows: readonly FetchedInboxAlert[],
  etag: string | null,
): Promise<StoredAlert[]> {
  const { store, alerts, channels } = getAppState();
  if (!store) return [];
  const { at, asKept, settled } = await asNow(store);
  const unknown = rows.map(({ handle }) => handle).filter((handle) => !channels.has(handle));
  // A channel that is not followed any more has no withdrawn alerts.
  const gone = withdrawn.filter(({ handle, test_until }) => !test_until && channels.get(handle)?.subscription !== null);
  const followed = await refreshChannelCards(new Set([...gone.map(({ handle }) => handle), ...unknown]));
  const fresh = come.map(asKept);
  const over = withdrawn.filter(({ test_until }) => test_until).map(({ id }) => id);
  const removed = new Set([...findAlertsBeyondLimits([...alerts, ...fresh.map(settled)]), ...over]);
  await applyInboxChanges(store, {
    fresh: fresh.filter(({ id }) => !removed.has(id)),
    withdrawn: gone.flatMap(({ id, handle }) => (followed.has(handle) && !removed.has(id) ? [id] : [])),
    remove: [...removed],
    etag,
    at,
  });
  return fresh.filter(({ id, read_at }) => !removed.has(id) && read_at === null);
}
