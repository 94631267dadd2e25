// The only component that knows the changes of channels, devices and alerts, and their listeners. Listeners are long
// polls, streams, ntfy clients and calls that wait for people. It learns of changes from commits of this process, from
// messages of others, and at the time of a scheduled alert. A check of the database once a second alone is sufficient.
// rules#held-wakes

import type { MessageBus } from "../bus/message_bus.ts";
import { createBatcher } from "../db/batch_concurrent_calls.ts";
import type { Orm } from "../db/orm.ts";
import { getKysely, runStatement } from "../db/statement.ts";
import type { Log } from "../handler_context.ts";
import { findChangedRevisions, readSnapshot } from "../queries/changed_revisions.ts";
import type {
  ChangeDetectionSource,
  ChangeSubjectKind,
  RevisionListener,
  RevisionListenerEntry,
  SeenRevision,
  WatchedSubject,
} from "./change_hub_types.ts";
import { createChangeMessages } from "./change_messages.ts";

/** From the end of one round to the next: longer where two in a row took more than a tenth of that. */
const ROUND_MS = 1_000;
const LONGEST_ROUND_MS = 2_000;

/** A time that is further away is set by a later round. */
const NEAR_MS = 60_000;

interface HubOptions {
  orm: Orm;
  log: Log;
  /** Null where no other process changes the database. */
  bus: MessageBus | null;
}

export function createChangeHub({ orm, log, bus }: HubOptions) {
  const kysely = getKysely(orm);
  const messages = bus && createChangeMessages(bus);
  const subjects = new Map<string, WatchedSubject>();
  const byId = new Map<string, Set<WatchedSubject>>();
  let size = 0;
  let planned = 0;
  let isListening = false;
  let isClosed = false;
  let isFailing = false;
  /** A look failed, so a listener may have seen another revision than the one known here. */
  let isUnsure = false;
  /** The state of the database when everything was last compared. */
  let comparedSnapshot = "";
  let epoch = "";
  /** Milliseconds that the last round took. */
  let took = 0;
  let round: NodeJS.Timeout | undefined;

  function subjectOf({ kind, id, revision, channel, dueIn }: SeenRevision): WatchedSubject {
    const key = `${kind} ${id}`;
    const known = subjects.get(key);
    if (known) {
      if (dueIn !== undefined) plan(known, dueIn);
      return known;
    }
    const ids = channel === undefined ? [id] : [id, channel];
    const subscriptions = new Set<RevisionListenerEntry>();
    const planning = { isPlanned: false, isDue: false, timer: undefined };
    const subject: WatchedSubject = { kind, id, ids, revision, subscriptions, ...planning };
    subjects.set(key, subject);
    for (const one of ids) byId.set(one, (byId.get(one) ?? new Set()).add(subject));
    plan(subject, dueIn);
    return subject;
  }

  function remove(subject: WatchedSubject): void {
    plan(subject);
    subjects.delete(`${subject.kind} ${subject.id}`);
    for (const id of subject.ids) {
      const others = byId.get(id);
      others?.delete(subject);
      if (others?.size === 0) byId.delete(id);
    }
  }

  function plan(subject: WatchedSubject, dueIn = Number.POSITIVE_INFINITY): void {
    const isPlanned = Number.isFinite(dueIn);
    planned += Number(isPlanned) - Number(subject.isPlanned);
    subject.isPlanned = isPlanned;
    subject.isDue = dueIn <= 0;
    clearTimeout(subject.timer);
    // Listeners are notified of what is already due. If it stays due, the next round notifies them again.
    const isAhead = dueIn > 0 && dueIn <= NEAR_MS;
    subject.timer = isAhead
      ? setTimeout(() => void look({ subjects: [subject], cause: "timer" }), Math.ceil(dueIn) + 1).unref()
      : undefined;
  }

  /** `always`: listeners are notified even if it is the revision that they have seen. */
  function notify(subject: WatchedSubject, cause: ChangeDetectionSource, always = false): void {
    const { revision } = subject;
    for (const subscription of subject.subscriptions) {
      if (subscription.seen === revision && !always) continue;
      subscription.seen = revision;
      subscription.listener(cause, revision);
    }
  }

  /**
   * Compares subjects with the database. False when it does not answer: the next round compares them. A round
   * notifies again of what stays due; any other look also reads when something comes due, however far away.
   */
  async function compare(
    asked: Iterable<WatchedSubject>,
    causeOf: (subject: WatchedSubject) => ChangeDetectionSource,
    isRound: boolean,
  ): Promise<boolean> {
    const byKind = Map.groupBy(asked, ({ kind }) => kind);
    const ofKind = (kind: ChangeSubjectKind) => byKind.get(kind) ?? [];
    const columns = (kind: ChangeSubjectKind) => [
      ofKind(kind).map(({ id }) => id),
      ofKind(kind).map(({ revision }) => revision),
    ];
    const [channels = [], channel_revs = []] = columns("channel");
    const [devices = [], device_revs = []] = columns("device");
    const [audiences = [], audience_revs = []] = columns("audience");
    const [alerts = [], alert_revs = []] = columns("alert");
    try {
      const rows = await runStatement(kysely, findChangedRevisions, {
        ...{ channels, channel_revs, devices, device_revs, audiences, audience_revs, alerts, alert_revs },
        channel_planned: ofKind("channel").map(({ isPlanned }) => isPlanned),
        planned: !isRound,
      });
      for (const { kind, id, revision, due_in } of rows) {
        const subject = subjects.get(`${kind} ${id}`);
        if (!subject) continue;
        const isChanged = subject.revision !== (revision ?? "");
        // A listener that begins knows what is due. To notify it would have it begin again at once.
        const isDue = due_in <= 0 && (isRound || !subject.isDue);
        subject.revision = revision ?? "";
        plan(subject, due_in);
        if (isChanged || isDue) notify(subject, isChanged ? causeOf(subject) : "timer", isDue);
      }
      isFailing = false;
      return true;
    } catch (error) {
      if (!isFailing && !isClosed) log.warn({ err: error }, "changes for long polls could not be read; retrying");
      isFailing = isUnsure = true;
      comparedSnapshot = "";
      return false;
    }
  }

  /** Checks that begin at the same moment share one statement. */
  const look = createBatcher<{ subjects: Iterable<WatchedSubject>; cause: ChangeDetectionSource }, void>(
    async (items) => {
      const causes = new Map<WatchedSubject, ChangeDetectionSource>();
      for (const { subjects, cause } of items)
        for (const one of subjects) if (one.subscriptions.size > 0) causes.set(one, cause);
      if (causes.size > 0 && !isClosed) await compare(causes.keys(), (subject) => causes.get(subject) ?? "scan", false);
      return items.map(() => undefined);
    },
    { inFlight: 1, lateMs: 250 },
  );

  /**
   * Something may have changed here. No revision reports what a device itself did, so its listeners look for
   * themselves.
   */
  function compareChanged(ids: readonly string[], cause: ChangeDetectionSource): void {
    const found = new Set(ids.flatMap((id) => [...(byId.get(id) ?? [])]));
    if (found.size === 0) return;
    const devices = [...found].filter(({ kind }) => kind === "device");
    const before = devices.map(({ revision }) => revision);
    void look({ subjects: found, cause }).then(() => {
      for (const [i, device] of devices.entries()) if (device.revision === before[i]) notify(device, cause, true);
    });
  }

  /** Compares everything, unless nothing at all has changed in the database since that was done. */
  async function compareAll(cause: ChangeDetectionSource): Promise<void> {
    clearTimeout(round);
    round = undefined;
    const began = performance.now();
    if (size === 0 || isClosed) return;
    const [now = { seen: "", epoch: "" }] = await runStatement(kysely, readSnapshot, {}).catch(() => []);
    if (now.epoch !== epoch && now.epoch !== "") {
      if (epoch !== "") for (const subject of subjects.values()) notify(subject, cause, true);
      epoch = now.epoch;
    }
    if (now.seen === "" || now.seen !== comparedSnapshot || planned > 0) {
      comparedSnapshot = now.seen;
      const wasUnsure = isUnsure;
      isUnsure = false;
      if ((await compare(subjects.values(), () => cause, true)) && wasUnsure)
        for (const subject of subjects.values()) notify(subject, cause);
    }
    const lastTook = took;
    took = performance.now() - began;
    // A slow round reports a moment that is over.
    planRound(Math.min(LONGEST_ROUND_MS, Math.max(ROUND_MS, 10 * Math.min(took, lastTook))));
  }

  function planRound(ms: number): void {
    if (!isClosed) round ??= setTimeout(() => void compareAll("scan"), ms).unref();
  }

  function begin(): void {
    planRound(ROUND_MS);
    if (isListening || isClosed) return;
    isListening = true;
    messages?.listen(
      (ids) => compareChanged(ids, "message"),
      () => void compareAll("reconnect"),
    );
  }

  return {
    /**
     * Calls `listener` for each revision other than the one seen. The first comparison with the database is immediate.
     * So a change between the read of these revisions and this call is not missed.
     * @returns a function that ends it
     */
    listen(seen: readonly SeenRevision[], listener: RevisionListener): () => void {
      begin();
      const mine = seen.map((one) => {
        const subject = subjectOf(one);
        const subscription = { listener, seen: one.revision };
        subject.subscriptions.add(subscription);
        return { subject, subscription };
      });
      size += mine.length;
      void look({ subjects: mine.map(({ subject }) => subject), cause: "scan" }).then(() => {
        for (const { subject, subscription } of mine) {
          if (!subject.subscriptions.has(subscription) || subscription.seen === subject.revision) continue;
          subscription.seen = subject.revision;
          listener("scan", subject.revision);
        }
      });
      return () => {
        size -= mine.length;
        for (const { subject, subscription } of mine.splice(0)) {
          subject.subscriptions.delete(subscription);
          if (subject.subscriptions.size === 0) remove(subject);
        }
      };
    },
    /**
     * Reports that a commit of this process may have changed these channels, devices and alerts, and notifies the other
     * processes.
     * @example
     * ```ts
     * const stop = hub.listen([{ kind: "device", id, revision }], (cause) => poll.wake(cause));
     * hub.changed([channelId]); // after the commit
     * stop();
     * ```
     */
    changed(ids: readonly string[]): void {
      compareChanged(ids, "local");
      messages?.send(ids);
    },
    /** The same for what other processes find by themselves. */
    changedLocally: (ids: readonly string[]): void => compareChanged(ids, "local"),
    /** Subjects of all listeners together. */
    subjectCount: () => size,
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(round);
      for (const subject of subjects.values()) plan(subject);
      await messages?.close();
    },
  };
}

export type ChangeHub = ReturnType<typeof createChangeHub>;
