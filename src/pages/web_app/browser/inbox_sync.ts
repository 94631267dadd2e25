// Schedules requests to the service: long polls while the page is visible, occasional polls otherwise, with growing
// pauses on failure. Runs in one tab of the device (tab_leader.ts). Changes of the inbox's stream
// (docs/reference/handset-api.md) are applied if they fit the stored state. Otherwise, and without a stream, the inbox
// is requested.

import { announceAlerts } from "./alert_effects.ts";
import { getAppState, reloadStateInAllTabs, updateAppState, waitForAppState } from "./app_state.ts";
import { applyInboxPage, applyStreamChanges } from "./apply_inbox_responses.ts";
import { now } from "./current_time.ts";
import { fillInboxAlertDefaults } from "./field_defaults.ts";
import { fetchInboxIfChanged, fetchInboxStream, ServiceRefusedError, ServiceUnreachableError } from "./handset_api.ts";
import { getStoredFact, type StoredAlert, setStoredFact } from "./local_store.ts";
import { pruneReportsOnServerDaily, sendQueuedReports } from "./reports.ts";
import { getReconnectDelay } from "./rules/merge_inbox.ts";
import { noteCompletedTransfer } from "./subscription_transfer.ts";
import { isTabVisible } from "./tab_leader.ts";

/** A stream that is silent for this long is dead. */
const SILENT_MS = 60_000;

/**
 * Follows the stream until a request is needed. Returns false without a stream. `onSign` runs when the service
 * responds, `onNews` with each event's changes, once they are stored.
 */
async function readInboxStream(
  token: string,
  turn: AbortSignal,
  onSign: () => void,
  onNews: (fresh: StoredAlert[]) => Promise<void>,
): Promise<boolean> {
  const { store } = getAppState();
  const etag = store && ((await getStoredFact(store, "etag")) ?? null);
  if (!store || etag === null) return false;
  const ends = new AbortController();
  const body = await fetchInboxStream(token, etag, AbortSignal.any([turn, ends.signal]));
  if (body === null) return false;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let timer: number | undefined;
  try {
    for (let held = etag, text = ""; ; ) {
      clearTimeout(timer);
      timer = setTimeout(() => ends.abort(), SILENT_MS);
      const { done, value } = await reader.read();
      if (done) return true;
      onSign();
      const blocks = (text + decoder.decode(value, { stream: true })).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const { event, data, from, id } = fieldsOf(block);
        if (event === undefined || id === held) continue;
        if (id === undefined || from !== held) return true;
        const said: unknown = JSON.parse(data ?? "null");
        const news =
          event === "alert" ? { come: [fillInboxAlertDefaults(said as StoredAlert)] } : { gone: said as string[] };
        await onNews(await applyStreamChanges({ come: [], gone: [], ...news }, id));
        held = id;
      }
    }
  } catch {
    // The connection was cut, or this tab is no longer the leader: the leader sends the next request.
    return true;
  } finally {
    clearTimeout(timer);
    ends.abort();
  }
}

const fieldsOf = (block: string): Record<string, string | undefined> =>
  Object.fromEntries(
    block
      .split("\n")
      .map((line) => [line, line.indexOf(": ")] as const)
      .filter(([, at]) => at > 0)
      .map(([line, at]) => [line.slice(0, at), line.slice(at + 2)]),
  );

/** Between polls without a delay, unless the service gives a time. */
const UNHELD_SECONDS = 3;
/** Between polls of a hidden page. */
const HIDDEN_MS = 60_000;

/** After a service was found to have no stream, until it is tried again. */
const NO_STREAM_MS = 300_000;
/** A stream that ends sooner is followed by a pause. */
const SHORT_MS = 1_000;

/** Polls until the turn is over. */
export async function runInboxSyncLoop(turn: AbortSignal): Promise<void> {
  let failures = 0;
  let asked = false;
  let streamsFrom = 0;
  while (!turn.aborted) {
    await waitForAppState(({ store, device }) => store !== null && device !== null && !device.refused, turn);
    if (turn.aborted) return;
    try {
      const began = now();
      const tries = asked && isTabVisible() && began >= streamsFrom;
      const streamed = tries && (await stream(turn));
      if (streamed && now() - began < SHORT_MS) await pause(getReconnectDelay(0, Math.random()), turn);
      if (tries && !streamed) streamsFrom = began + NO_STREAM_MS;
      // The first poll of a leader catches up, so it is not delayed; nor is one after the end of a stream.
      const { held, news, again } = await once(asked && !streamed && isTabVisible(), turn);
      const caughtUp = !asked;
      asked = true;
      failures = 0;
      if (!isTabVisible()) await pause(HIDDEN_MS, turn);
      else if (!held && !news && !caughtUp && !streamed) await pause((again ?? UNHELD_SECONDS) * 1000, turn);
    } catch (error) {
      if (turn.aborted) return;
      if (error instanceof ServiceRefusedError && error.status === 401) await refusedDevice();
      else {
        if (getAppState().connection !== "away") updateAppState({ connection: "away" });
        const wait = error instanceof ServiceRefusedError ? error.retryAfter * 1000 : 0;
        await pause(Math.max(wait, getReconnectDelay(failures++, Math.random())), turn);
      }
      asked = false;
    }
  }
}

const live = () => updateAppState({ connection: "live", currentAt: now(), at: now() });

/** Follows the stream until a request is needed; false without a stream. */
async function stream(turn: AbortSignal): Promise<boolean> {
  const { device } = getAppState();
  if (!device) return false;
  return readInboxStream(device.token, turn, live, async (fresh) => {
    await reloadStateInAllTabs();
    await announceAlerts(fresh);
  });
}

async function once(hold: boolean, turn: AbortSignal): Promise<{ held: boolean; news: boolean; again: number | null }> {
  const { store, device } = getAppState();
  if (!store || !device) return { held: false, news: false, again: null };
  const polled = await fetchInboxIfChanged(device.token, (await getStoredFact(store, "etag")) ?? null, hold, turn);
  if (polled.page) {
    await noteCompletedTransfer(device.token);
    const fresh = await applyInboxPage(device.token, polled, turn);
    await reloadStateInAllTabs();
    await announceAlerts(fresh);
  } else await setStoredFact(store, "current_at", now());
  live();
  void sendQueuedReports();
  void pruneReportsOnServerDaily().catch(ignoreAway);
  return { held: polled.held, news: polled.page !== null, again: polled.again };
}

/** Failures that are retried. */
function ignoreAway(error: unknown): void {
  if (!(error instanceof ServiceUnreachableError || error instanceof ServiceRefusedError)) throw error;
}

async function refusedDevice(): Promise<void> {
  const { store, device } = getAppState();
  if (!store || !device) return;
  await setStoredFact(store, "device", { ...device, refused: true });
  await reloadStateInAllTabs();
}

function pause(ms: number, turn: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      turn.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    turn.addEventListener("abort", end);
  });
}
