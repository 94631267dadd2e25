// The read and confirmed alerts of a person, as part of a device's move: in the part of the link that is sent to no
// server. Everything up to a time is read, with a few exceptions. The newest confirmed alerts are listed by id. Pure.

interface Known {
  id: string;
  sent_at: string;
  read_at: string | null;
  acked_at: string | null;
}

/** The maximum of unread and of confirmed alerts: a code that a camera reads has no room for more. */
const MOST = 60;
/** The end of an id is chance, so it names one of some hundred. */
const NAME = 5;
const nameOf = (id: string) => id.slice(-NAME);

const SEEN = /^([0-9a-z]{1,12})_((?:[0-9a-z]{5})*)_((?:[0-9a-z]{5})*)$/;

/** Null for invalid text. */
export const toValidPackedReadState = (text: string | null): string | null =>
  text !== null && SEEN.test(text) ? text : null;

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

/** The same, up to the time of the move at most: no link can mark future alerts as read. */
export function limitReadStateToTime(seen: string, now: number): string {
  const [until = "", ...names] = seen.split("_");
  return [Math.min(Number.parseInt(until, 36), now).toString(36), ...names].join("_");
}

/** The state of a row of the inbox on the person's previous device; null without one. */
export function getTransferredAlertState(
  { id, sent_at }: Pick<Known, "id" | "sent_at">,
  seen: string | null,
): Pick<Known, "read_at" | "acked_at"> {
  const [, until = "", unread = "", confirmed = ""] = SEEN.exec(seen ?? "") ?? [];
  const has = (names: string) => names.match(/.{5}/g)?.includes(nameOf(id)) ?? false;
  if (until === "" || Date.parse(sent_at) > Number.parseInt(until, 36)) return { read_at: null, acked_at: null };
  return { read_at: has(unread) ? null : sent_at, acked_at: has(confirmed) ? sent_at : null };
}
