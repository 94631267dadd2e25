// What one process says to the others after a commit: ids that may have changed, and who says it. It carries nothing secret,
// and whoever may write to the database, or to what carries it, is trusted; it is read with care all the same, and can only ever cause a look.

/** PostgreSQL takes less than 8,000 bytes; an id has at most 36. */
const IDS_IN_ONE = 200;

/** A channel's uuid or a device's number. */
const ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{1,19})$/;
const ORIGIN = /^[0-9a-f]{8}$/;

export const isChannel = (id: string): boolean => id.includes("-");

export function writeWords(origin: string, ids: Iterable<string>): string[] {
  const all = [...ids];
  const words: string[] = [];
  for (let at = 0; at < all.length; at += IDS_IN_ONE)
    words.push([origin, ...all.slice(at, at + IDS_IN_ONE)].join(" "));
  return words;
}

/** The ids of what another process said; none of one's own words, nor of what is no such word. */
export function readWords(own: string, payload: string): string[] {
  const [origin = "", ...ids] = payload.split(" ");
  if (!ORIGIN.test(origin) || origin === own || ids.length > IDS_IN_ONE) return [];
  return ids.filter((id) => ID.test(id));
}
