// One held poll as it sleeps: what wakes it, and what ends it for good.

import type { Waiter } from "./waited.ts";

/** Why it ends: its time is over, the same device polls anew, nobody waits for the answer any more, the service stops. */
export type End = "time" | "newer" | "gone" | "stop";

export class Sleeper implements Waiter {
  ended: End | null = null;
  #woken: string | null = null;
  #resolve: (() => void) | null = null;
  readonly #told: (cause: string) => void;

  constructor(told: (cause: string) => void) {
    this.#told = told;
  }

  wake(cause: string): void {
    if (this.#woken !== null) return;
    this.#woken = cause;
    this.#told(cause);
    this.#resolve?.();
  }

  end(why: End): void {
    this.ended ??= why;
    this.wake(why);
  }

  listen(): void {
    if (this.ended === null) this.#woken = null;
  }

  /** Resolves when it was woken since `listen`. */
  rest(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#woken === null) this.#resolve = resolve;
      else resolve();
    });
  }
}
