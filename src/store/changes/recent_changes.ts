// The ids that changed a short time ago, in order, so that a reading can be compared with the changes after its begin.

/** More than this are forgotten at once: a reading that began before counts as older than a change. */
const MAX_IDS = 1_000;

export class RecentChanges {
  readonly #changedAt = new Map<string, number>();
  #now = 0;
  /** Changes before this moment are no longer known. */
  #knownFrom = 0;

  /** Grows with each change; no time. */
  get now(): number {
    return this.#now;
  }

  /** Begins a new moment, in which these ids changed. */
  add(ids: readonly string[] = []): void {
    this.#now++;
    for (const id of ids) {
      if (this.#changedAt.size >= MAX_IDS) {
        this.#changedAt.clear();
        this.#knownFrom = this.#now;
      }
      this.#changedAt.set(id, this.#now);
    }
  }

  /** Whether one of the ids changed after the moment, or may have. */
  hasChanged(ids: readonly string[], since: number): boolean {
    return since < this.#knownFrom || ids.some((id) => (this.#changedAt.get(id) ?? 0) > since);
  }
}
