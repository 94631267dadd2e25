// The clock of a time zone for many consecutive reads. Days with one offset are cached, because the query to the
// runtime is the expensive part.

import { localToUtcLenient, utcToLocal } from "../fields/zoned_time_conversion.ts";
import type { RecurrenceStepBudget } from "./recurrence_step_budget.ts";

const HOUR = 3_600_000;
/** No zone moves its clocks by more in one step, in ms. */
export const MAX_ZONE_OFFSET_CHANGE_MS = 3 * HOUR;
/** No zone moves its clocks there and back within as many ms. */
const STEADY = 48 * HOUR;
/** The steps that a query to the runtime costs. */
const ASKED = 100;

export class ZoneClock {
  readonly #zone: string;
  readonly #budget: RecurrenceStepBudget;
  /** The offset is `ahead` ms from `from` to `to`. */
  #known = { from: 0, to: -1, ahead: 0 };

  constructor(zone: string, budget: RecurrenceStepBudget) {
    this.#zone = zone;
    this.#budget = budget;
  }

  /** The time that the clock shows, as if it were UTC's. All times are in ms. */
  localAt(ms: number): number {
    if (ms < this.#known.from || ms > this.#known.to) {
      const [before, ahead, after] = [ms - STEADY, ms, ms + STEADY].map((at) => {
        this.#budget.spend(ASKED);
        return utcToLocal(this.#zone, at) - at;
      }) as [number, number, number];
      const [from, to] = [before === ahead ? ms - STEADY : ms, after === ahead ? ms + STEADY : ms];
      this.#known = { from, to, ahead };
    }
    return ms + this.#known.ahead;
  }

  /**
   * The timestamp at which the clock shows `local`; of a time that it skips or shows twice as
   * rules#recurrence-clocks.
   */
  timestampOf(local: number): number {
    this.localAt(local);
    const { from, to, ahead } = this.#known;
    const near = local - ahead;
    if (near - MAX_ZONE_OFFSET_CHANGE_MS > from && near + MAX_ZONE_OFFSET_CHANGE_MS < to) return near;
    this.#budget.spend(4 * ASKED);
    return localToUtcLenient(this.#zone, local);
  }
}
