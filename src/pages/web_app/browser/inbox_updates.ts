// Takes answers of the inbox in: what is new, what was withdrawn, what is too old to keep. Knows nothing of when the
// service is asked.

import type { InboxAlert } from "./api_types.ts";
import { getState, notifyStoreChanged } from "./app_state.ts";
import { refreshChannels } from "./channel_actions.ts";
import { now } from "./clock.ts";
import { fetchOlderInboxPage, getAlert, type PollResponse, ServiceRefused } from "./handset_api.ts";
import { type AppStore, applyInboxChanges, getFact, type StoredAlert, updateAlerts } from "./local_store.ts";
import { compareInbox, findOverflow, markBeforeJoining } from "./rules/merge_inbox.ts";
import { findReadState } from "./rules/read_state_transfer.ts";

/** How far back a device that was away long asks. */
const MOST_PAGES = 6;

/**
 * Takes a changed first page in, with older ones until something is known. Answers what is new, and was not read
 * elsewhere.
 */
export async function applyInboxPage(token: string, polled: PollResponse, signal: AbortSignal): Promise<StoredAlert[]> {
  const { store, alerts } = getState();
  if (!store || !polled.page) return [];
  const known = new Map(alerts.map((alert) => [alert.id, alert]));
  const rows = [...polled.page.data];
  let next = polled.page.meta.next_before;
  // What the worker took in alone says nothing of what came before it.
  const meets = ({ id }: InboxAlert) => known.has(id) && !known.get(id)?.pushed;
  const { asKept, settled } = await asNow(store);
  // Of what was sent before the device followed anything of it, one page says enough.
  const allBefore = () => rows.every((row) => settled(asKept(row)).before);
  for (let pages = 1; next !== null && pages < MOST_PAGES && !rows.some(meets) && !allBefore(); pages++) {
    const page = await fetchOlderInboxPage(token, next, signal);
    rows.push(...page.data);
    next = page.meta.next_before;
  }
  const { fresh, withdrawn } = compareInbox(rows, next === null, known);
  return keep(fresh, withdrawn, rows, polled.etag);
}

/** Takes in what a stream told, which leads to this validator. */
export async function applyStreamChanges(
  { come, gone }: { come: InboxAlert[]; gone: string[] },
  etag: string,
): Promise<StoredAlert[]> {
  const known = new Map(getState().alerts.map((alert) => [alert.id, alert]));
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
export async function fetchFullText({ id }: StoredAlert): Promise<"here" | "away" | "gone"> {
  const { store, device } = getState();
  if (!store || !device) return "away";
  try {
    const { body } = await getAlert(device.token, id);
    await updateAlerts(store, [id], ({ body_length: _, ...kept }) => ({ alert: { ...kept, body } }));
    await notifyStoreChanged();
    return "here";
  } catch (error) {
    return error instanceof ServiceRefused && error.status === 404 ? "gone" : "away";
  }
}

/** How a row that comes now is kept, and what of it the channel's subscription settles. */
async function asNow(store: AppStore) {
  const { channels } = getState();
  const at = now();
  const moved = (await getFact(store, "seen")) ?? null;
  return {
    at,
    asKept: (row: InboxAlert): StoredAlert => ({ ...row, arrived_at: at, ...findReadState(row, moved) }),
    settled: (alert: StoredAlert) => markBeforeJoining(alert, channels.get(alert.handle)),
  };
}

/** Keeps what is new and marks what is withdrawn, but for channels that are not followed. `rows`: all that was told. */
async function keep(
  come: readonly InboxAlert[],
  withdrawn: readonly StoredAlert[],
  rows: readonly InboxAlert[],
  etag: string | null,
): Promise<StoredAlert[]> {
  const { store, alerts, channels } = getState();
  if (!store) return [];
  const { at, asKept, settled } = await asNow(store);
  const unknown = rows.map(({ handle }) => handle).filter((handle) => !channels.has(handle));
  // Of a channel that is not followed any more nothing was withdrawn.
  const gone = withdrawn.filter(({ handle, test_until }) => !test_until && channels.get(handle)?.subscription !== null);
  const followed = await refreshChannels(new Set([...gone.map(({ handle }) => handle), ...unknown]));
  const fresh = come.map(asKept);
  const over = withdrawn.filter(({ test_until }) => test_until).map(({ id }) => id);
  const removed = new Set([...findOverflow([...alerts, ...fresh.map(settled)]), ...over]);
  await applyInboxChanges(store, {
    fresh: fresh.filter(({ id }) => !removed.has(id)),
    withdrawn: gone.flatMap(({ id, handle }) => (followed.has(handle) && !removed.has(id) ? [id] : [])),
    remove: [...removed],
    etag,
    at,
  });
  return fresh.filter(({ id, read_at }) => !removed.has(id) && read_at === null);
}
