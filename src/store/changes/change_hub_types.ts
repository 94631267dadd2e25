// Subjects of the change hub: what has a revision, and who listens to it.

/** The source of a change; a label of the metric `belfry_long_poll_wakeups_total`. */
export type ChangeDetectionSource = "local" | "message" | "scan" | "reconnect" | "timer";

/** `audience`: who may listen to a channel without a subscription. */
export type ChangeSubjectKind = "channel" | "device" | "audience" | "alert";

/** Something with a revision, and the revision that a listener has seen of it. */
export interface SeenRevision {
  kind: ChangeSubjectKind;
  id: string;
  /** Empty after its deletion. */
  revision: string;
  /** Milliseconds until something comes due in it. */
  dueIn?: number;
  /** The channel of an alert: a change of the one may be a change of the other. */
  channel?: string;
}

/** Called with each revision but the one seen last. `revision`: that of the subject now. */
export type RevisionListener = (cause: ChangeDetectionSource, revision: string) => void;

export interface RevisionListenerEntry {
  listener: RevisionListener;
  seen: string;
}

export interface WatchedSubject {
  readonly kind: ChangeSubjectKind;
  readonly id: string;
  /** The ids whose changes may be changes of it. */
  readonly ids: readonly string[];
  /** The newest that is known. */
  revision: string;
  readonly subscriptions: Set<RevisionListenerEntry>;
  /** True if it has scheduled alerts. Also the timer for a near one. */
  isPlanned: boolean;
  /** Something is due in it, and its listeners know that. */
  isDue: boolean;
  timer: NodeJS.Timeout | undefined;
}
