// Takes answers of the inbox in: what is new, what was withdrawn, what is too old to keep. Knows nothing of when the service is asked.

import { getAlert, olderPage, type Polled, Refused } from "./api.ts";
import { lookAt } from "./channels.ts";
import { now } from "./clock.ts";
import { seenBefore } from "./rules/moved.ts";
import { compare, sinceJoining, tooOld } from "./rules/taking_in.ts";
import { changed, current } from "./state.ts";
import { amend, getFact, type KeptAlert, type Store, takeIn } from "./store.ts";
import type { Alert } from "./wire.ts";

/** How far back a device that was away long asks. */
const MOST_PAGES = 6;

/** Takes a changed first page in, with older ones until something is known. Answers what is new, and was not read elsewhere. */
export async function takePage(token: string, polled: Polled, signal: AbortSignal): Promise<KeptAlert[]> {
  const { store, alerts } = current();
  if (!store || !polled.page) return [];
  const known = new Map(alerts.map((alert) => [alert.id, alert]));
  const rows = [...polled.page.data];
  let next = polled.page.meta.next_before;
  // What the worker took in alone says nothing of what came before it.
  const meets = ({ id }: Alert) => known.has(id) && !known.get(id)?.pushed;
  const { asKept, settled } = await asNow(store);
  // Of what was sent before the device followed anything of it, one page says enough.
  const allBefore = () => rows.every((row) => settled(asKept(row)).before);
  for (let pages = 1; next !== null && pages < MOST_PAGES && !rows.some(meets) && !allBefore(); pages++) {
    const page = await olderPage(token, next, signal);
    rows.push(...page.data);
    next = page.meta.next_before;
  }
  const { fresh, withdrawn } = compare(rows, next === null, known);
  return keep(fresh, withdrawn, rows, polled.etag);
}

/** Takes in what a stream told, which leads to this validator. */
export async function takeNews({ come, gone }: { come: Alert[]; gone: string[] }, etag: string): Promise<KeptAlert[]> {
  const known = new Map(current().alerts.map((alert) => [alert.id, alert]));
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
export async function fetchText({ id }: KeptAlert): Promise<"here" | "away" | "gone"> {
  const { store, device } = current();
  if (!store || !device) return "away";
  try {
    const { body } = await getAlert(device.token, id);
    await amend(store, [id], ({ body_length: _, ...kept }) => ({ alert: { ...kept, body } }));
    await changed();
    return "here";
  } catch (error) {
    return error instanceof Refused && error.status === 404 ? "gone" : "away";
  }
}

/** How a row that comes now is kept, and what of it the channel's subscription settles. */
async function asNow(store: Store) {
  const { channels } = current();
  const at = now();
  const moved = (await getFact(store, "seen")) ?? null;
  return {
    at,
    asKept: (row: Alert): KeptAlert => ({ ...row, arrived_at: at, ...seenBefore(row, moved) }),
    settled: (alert: KeptAlert) => sinceJoining(alert, channels.get(alert.handle)),
  };
}

/** Keeps what is new and marks what is withdrawn, but for channels that are not followed. `rows`: all that was told. */
async function keep(
  come: readonly Alert[],
  withdrawn: readonly KeptAlert[],
  rows: readonly Alert[],
  etag: string | null,
): Promise<KeptAlert[]> {
  const { store, alerts, channels } = current();
  if (!store) return [];
  const { at, asKept, settled } = await asNow(store);
  const unknown = rows.map(({ handle }) => handle).filter((handle) => !channels.has(handle));
  // Of a channel that is not followed any more nothing was withdrawn.
  const gone = withdrawn.filter(({ handle, test_until }) => !test_until && channels.get(handle)?.subscription !== null);
  const followed = await lookAt(new Set([...gone.map(({ handle }) => handle), ...unknown]));
  const fresh = come.map(asKept);
  const over = withdrawn.filter(({ test_until }) => test_until).map(({ id }) => id);
  const removed = new Set([...tooOld([...alerts, ...fresh.map(settled)]), ...over]);
  await takeIn(store, {
    fresh: fresh.filter(({ id }) => !removed.has(id)),
    withdrawn: gone.flatMap(({ id, handle }) => (followed.has(handle) && !removed.has(id) ? [id] : [])),
    remove: [...removed],
    etag,
    at,
  });
  return fresh.filter(({ id, read_at }) => !removed.has(id) && read_at === null);
}
