// A call that waits: for what, how long it may, and who listens.

/**
 * A wait for another version of an alert than `updated_at`, for at most `ms`. With `replies`, also for other counts of
 * its replies.
 */
export interface AlertChangeWaitOptions {
  alertId: string;
  pusherId: string;
  version: string;
  replies?: readonly number[];
  ms: number;
  /** The subject of the limit on simultaneous waits. */
  subject: string;
  signal: AbortSignal;
}

/** The context of a call that may wait. */
export interface WaitContext {
  signal: AbortSignal;
  /** Suspends the call until the promise resolves or rejects. */
  rest(waiting: Promise<void>): Promise<void>;
}
