// A call that waits: for what, how long it may, and who listens.

/**
 * A call that waits for an alert to become another version than this one, which is `updated_at` of its row, for at
 * most `ms`; with `replies` also until these are no longer the counts of its replies.
 */
export interface AlertWait {
  alertId: string;
  pusherId: string;
  version: string;
  replies?: readonly number[];
  ms: number;
  /** Whose calls are bounded together. */
  subject: string;
  signal: AbortSignal;
}

/** What a call is given that may wait. */
export interface WaitContext {
  signal: AbortSignal;
  /** Nobody works on the call until this is over. */
  rest(waiting: Promise<void>): Promise<void>;
}
