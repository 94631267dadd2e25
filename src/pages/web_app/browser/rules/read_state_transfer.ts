// What a person had read and confirmed, as it goes along when their device moves: in the part of the link that is
// sent to no server. Everything up to an instant is read but for a few; of the newest that were confirmed the names
// go along. Pure.

interface Known {
  id: string;
  sent_at: string;
  read_at: string | null;
  acked_at: string | null;
}

/** So many unread ones, and so many confirmed: a code that a camera reads holds no more. */
const MOST = 60;
/** The end of an id is chance, so it names one of some hundred. */
const NAME = 5;
const nameOf = (id: string) => id.slice(-NAME);

const SEEN = /^([0-9a-z]{1,12})_((?:[0-9a-z]{5})*)_((?:[0-9a-z]{5})*)$/;

/** Null for what is none. */
export const parseReadState = (text: string | null): string | null => (text !== null && SEEN.test(text) ? text : null);

export function packReadState(alerts: readonly Known[]): string {
  const newest = alerts.toSorted((a, b) => (a.sent_at < b.sent_at ? 1 : -1));
  const names = (of: Known[]) =>
    of
      .slice(0, MOST)
      .map(({ id }) => nameOf(id))
      .join("");
  const until = newest[0] ? Date.parse(newest[0].sent_at) : 0;
  const unread = newest.filter(({ read_at }) => read_at === null);
  const confirmed = newest.filter(({ acked_at }) => acked_at !== null);
  return `${until.toString(36)}_${names(unread)}_${names(confirmed)}`;
}

/** The same, up to the instant of the move at most: no link says of what is yet to come that it was read. */
export function limitReadState(seen: string, now: number): string {
  const [until = "", ...names] = seen.split("_");
  return [Math.min(Number.parseInt(until, 36), now).toString(36), ...names].join("_");
}

/** What a row of the inbox was to the person on the device that they came from; null: they came from none. */
export function findReadState(
  { id, sent_at }: Pick<Known, "id" | "sent_at">,
  seen: string | null,
): Pick<Known, "read_at" | "acked_at"> {
  const [, until = "", unread = "", confirmed = ""] = SEEN.exec(seen ?? "") ?? [];
  const has = (names: string) => names.match(/.{5}/g)?.includes(nameOf(id)) ?? false;
  if (until === "" || Date.parse(sent_at) > Number.parseInt(until, 36)) return { read_at: null, acked_at: null };
  return { read_at: has(unread) ? null : sent_at, acked_at: has(confirmed) ? sent_at : null };
}
