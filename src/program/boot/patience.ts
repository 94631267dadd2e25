// A call that waits, as its request is counted: it is not in flight meanwhile, and its time is none that somebody worked.

import type { Patience } from "../../store/patience.ts";
import type { Pass } from "./admission.ts";

export const patience = (request: Request, state: { pass: Pass | null; heldMs: number }): Patience => ({
  // Made when it is asked for, and nearly no call waits.
  get signal() {
    return request.signal;
  },
  async rest(waiting) {
    state.pass?.leave();
    const since = performance.now();
    await waiting;
    state.heldMs += performance.now() - since;
  },
});
