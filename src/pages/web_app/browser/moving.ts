// How what is followed goes from one browser to another: as a file, which holds no secret and so no private channel, or by a code,
// which moves everything once.

import { LIMITS } from "../../../model/limits.ts";
import { type Exported, exportPage, importPart, listSubscriptions, makeTransfer, takeOver } from "./api.ts";
import { keep } from "./channels.ts";
import { now } from "./clock.ts";
import { ownDevice } from "./device.ts";
import { boundSeen, packSeen } from "./rules/moved.ts";
import { changed, current } from "./state.ts";
import { getFact, setFact } from "./store.ts";
import { hurry } from "./tabs.ts";
import type { Page } from "./wire.ts";

/** As many as the service takes at once. */
const PART = LIMITS.import;
/** More than any device follows. */
const MOST_BYTES = 2_000_000;

export class NoSuchFile extends Error {}

/** Everything that is followed, as the text of a file. */
export async function written(): Promise<string> {
  const { token } = await ownDevice();
  const data: Exported["data"] = [];
  for await (const page of pages((before) => exportPage(token, before))) data.push(...page.data);
  return JSON.stringify({ version: 1, data }, null, 2);
}

/**
 * Follows what a file names. @throws NoSuchFile for what is none of ours.
 * @returns how many were joined, and those that want an invite or are gone
 */
export async function readBack(file: Blob): Promise<{ joined: number; skipped: string[] }> {
  const { data } = exportedIn(file.size > MOST_BYTES ? "" : await file.text());
  const { token } = await ownDevice();
  let joined = 0;
  const skipped: string[] = [];
  for (let at = 0; at < data.length; at += PART) {
    const part = await importPart(token, { version: 1, data: data.slice(at, at + PART) });
    joined += part.joined;
    skipped.push(...part.skipped);
  }
  await keepFollowed(token);
  return { joined, skipped };
}

function exportedIn(text: string): Exported {
  try {
    const read = JSON.parse(text) as Partial<Exported> | null;
    if (read?.version !== 1 || !Array.isArray(read.data)) throw new NoSuchFile();
    return { version: 1, data: read.data };
  } catch {
    throw new NoSuchFile();
  }
}

/** A link that works once: whoever opens it takes over everything that is followed here, and what was read and confirmed of it. */
export async function linkToMove(): Promise<string> {
  const { token } = await ownDevice();
  const { url, expires_at } = await makeTransfer(token);
  const { store, alerts } = current();
  if (store) await setFact(store, "moving", expires_at);
  return `${url}&seen=${packSeen(alerts)}`;
}

/** After a link was made: notes what has gone by it. */
export async function learnMoved(token: string): Promise<void> {
  const { store, channels } = current();
  const until = store && (await getFact(store, "moving"));
  if (!store || !until) return;
  const followed = new Set<string>();
  for await (const { data } of pages((before) => listSubscriptions(token, before)))
    for (const { handle } of data) followed.add(handle);
  for (const card of channels.values())
    if (card.subscription && !followed.has(card.handle)) await keep({ ...card, subscription: null });
  if (followed.size > 0 && Date.parse(until) < now()) await store.delete("facts", "moving");
  await changed();
}

/** @returns how many channels came. @throws Refused with 404 for a code that moves nothing. */
export async function moveHere(code: string, seen: string | null): Promise<number> {
  const { token } = await ownDevice();
  const { store } = current();
  // Before anything comes: what is taken in is seen in its light.
  if (store && seen !== null) await setFact(store, "seen", boundSeen(seen, now()));
  const { moved } = await takeOver(token, code).catch(async (error) => {
    await store?.delete("facts", "seen");
    throw error;
  });
  await keepFollowed(token);
  return moved;
}

/** Keeps the cards of everything that the service says is followed. */
async function keepFollowed(token: string): Promise<void> {
  for await (const { data } of pages((before) => listSubscriptions(token, before)))
    for (const card of data) await keep(card);
  await changed();
  hurry();
}

/** Every page of a list, the newest first. */
async function* pages<One extends Pick<Page<unknown>, "meta">>(ask: (before: string | null) => Promise<One>) {
  for (let before: string | null = null; ; ) {
    const page: One = await ask(before);
    yield page;
    before = page.meta.next_before;
    if (before === null) return;
  }
}
