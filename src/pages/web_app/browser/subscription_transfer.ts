// Transfers followed channels from one browser to another. A file contains no secret and so no private channel. A code
// moves everything once.

import { LIMITS } from "../../../model/limits.ts";
import type { ApiPage } from "./api_types.ts";
import { getAppState, reloadStateInAllTabs } from "./app_state.ts";
import { storeChannel } from "./channel_actions.ts";
import { now } from "./current_time.ts";
import { ensureDevice } from "./device.ts";
import {
  createSubscriptionTransfer,
  fetchSubscriptionExportPage,
  importSubscriptions,
  listSubscriptions,
  type SubscriptionExport,
  takeOverSubscriptionsOnServer,
} from "./handset_api.ts";
import { getStoredFact, setStoredFact } from "./local_store.ts";
import { limitReadStateToTime, packReadState } from "./rules/read_state_transfer.ts";
import { requestImmediateSync } from "./tab_leader.ts";

/** As many as the service takes at once. */
const PART = LIMITS.import;
/** More than any device follows. */
const MOST_BYTES = 2_000_000;

export class InvalidExportFileError extends Error {}

/** Everything that is followed, as the text of a file. */
export async function exportSubscriptionsToText(): Promise<string> {
  const { token } = await ensureDevice();
  const data: SubscriptionExport["data"] = [];
  for await (const page of pages((before) => fetchSubscriptionExportPage(token, before))) data.push(...page.data);
  return JSON.stringify({ version: 1, data }, null, 2);
}

/**
 * Follows what a file names. @throws InvalidExportFileError for a file of another program.
 * @returns how many were joined, and those that need an invite or no longer exist
 */
export async function importSubscriptionsFromFile(file: Blob): Promise<{ joined: number; skipped: string[] }> {
  const { data } = exportedIn(file.size > MOST_BYTES ? "" : await file.text());
  const { token } = await ensureDevice();
  let joined = 0;
  const skipped: string[] = [];
  for (let at = 0; at < data.length; at += PART) {
    const part = await importSubscriptions(token, { version: 1, data: data.slice(at, at + PART) });
    joined += part.joined;
    skipped.push(...part.skipped);
  }
  await keepFollowed(token);
  return { joined, skipped };
}

function exportedIn(text: string): SubscriptionExport {
  try {
    const read = JSON.parse(text) as Partial<SubscriptionExport> | null;
    if (read?.version !== 1 || !Array.isArray(read.data)) throw new InvalidExportFileError();
    return { version: 1, data: read.data };
  } catch {
    throw new InvalidExportFileError();
  }
}

/**
 * A link that works once. The browser that opens it takes over everything that is followed here, with its read and
 * confirmed state.
 */
export async function createSubscriptionTransferLink(): Promise<string> {
  const { token } = await ensureDevice();
  const { url, expires_at } = await createSubscriptionTransfer(token);
  const { store, alerts } = getAppState();
  if (store) await setStoredFact(store, "moving", expires_at);
  return `${url}&seen=${packReadState(alerts)}`;
}

/** After a link was made: notes what has moved by it. */
export async function noteCompletedTransfer(token: string): Promise<void> {
  const { store, channels } = getAppState();
  const until = store && (await getStoredFact(store, "moving"));
  if (!store || !until) return;
  const followed = new Set<string>();
  for await (const { data } of pages((before) => listSubscriptions(token, before)))
    for (const { handle } of data) followed.add(handle);
  for (const card of channels.values())
    if (card.subscription && !followed.has(card.handle)) await storeChannel({ ...card, subscription: null });
  if (followed.size > 0 && Date.parse(until) < now()) await store.delete("facts", "moving");
  await reloadStateInAllTabs();
}

/** @returns how many channels came. @throws Refused with 404 for a code that moves nothing. */
export async function receiveTransferredSubscriptions(code: string, seen: string | null): Promise<number> {
  const { token } = await ensureDevice();
  const { store } = getAppState();
  // Before anything comes: what is taken in is seen in its light.
  if (store && seen !== null) await setStoredFact(store, "seen", limitReadStateToTime(seen, now()));
  const { moved } = await takeOverSubscriptionsOnServer(token, code).catch(async (error) => {
    await store?.delete("facts", "seen");
    throw error;
  });
  await keepFollowed(token);
  return moved;
}

/** Stores the cards of everything that the service reports as followed. */
async function keepFollowed(token: string): Promise<void> {
  for await (const { data } of pages((before) => listSubscriptions(token, before)))
    for (const card of data) await storeChannel(card);
  await reloadStateInAllTabs();
  requestImmediateSync();
}

/** Every page of a list, the newest first. */
async function* pages<One extends Pick<ApiPage<unknown>, "meta">>(ask: (before: string | null) => Promise<One>) {
  for (let before: string | null = null; ; ) {
    const page: One = await ask(before);
    yield page;
    before = page.meta.next_before;
    if (before === null) return;
  }
}
