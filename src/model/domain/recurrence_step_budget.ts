// A limit on the work of one answer, in steps. A count is equal on every machine, so it can be tested. A step takes
// about 40 ns of a core.

/** Steps that one response may spend on all its recurrence rules: about 50 ms. rules#recurrence-rules */
export const MAX_RESPONSE_RECURRENCE_STEPS = 1_250_000;

export class RecurrenceStepBudget {
  #left: number;
  readonly #whole: RecurrenceStepBudget | null;

  /** @param whole the outer budget, which these steps also use */
  constructor(steps: number, whole: RecurrenceStepBudget | null = null) {
    this.#left = steps;
    this.#whole = whole;
  }

  /** False once more was spent than there was. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return (this.#whole?.spend(steps) ?? true) && this.#left >= 0;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }
}
