// A bound on the work of one answer, in steps: a count is the same on every machine, and so can be tested. A step is
// about 40 ns of a core.

/** Steps that one answer may spend on all its recurrence rules: about 50 ms. rules#recurrence-rules */
export const MAX_ANSWER_STEPS = 1_250_000;

export class StepBudget {
  #left: number;
  readonly #whole: StepBudget | null;

  /** `whole`: the budget that these steps are spent from as well. */
  constructor(steps: number, whole: StepBudget | null = null) {
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
