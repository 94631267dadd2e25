// How much is worked on at once, and how much of it for one address. A request is in flight when its body is in:
// until then it waits for its client, in a bound of its own, of which one address has a smaller share. A call that
// waits for something else is not in flight meanwhile, and its time is none that somebody worked.

import type { IncomingMessage } from "node:http";
import { createSlots } from "../../store/rate_limits/slots.ts";
import type { WaitContext } from "../../store/wait_context.ts";

/**
 * What one address has of all at most: of the work a half, of the waiting for bodies, which costs it nothing, a
 * quarter.
 */
const SHARE_OF_WORK = 1 / 2;
const SHARE_OF_BODIES = 1 / 4;

const shareOf = (max: number, share: number) => Math.max(1, Math.floor(max * share));

/** One request that was let in. `leave`: nobody works on it from now on: it is held, or answered. */
export type AdmissionPass = { leave(): void };

export function createAdmission(max: number) {
  const inFlight = createSlots(max, shareOf(max, SHARE_OF_WORK));
  const bodies = createSlots(max, shareOf(max, SHARE_OF_BODIES));
  return {
    /**
     * Null: there is too much to do already, in all or for this address. `incoming`: what its body comes by, if it
     * has one.
     */
    enter(subject: string | null, incoming: IncomingMessage | null): AdmissionPass | null {
      const comes = incoming !== null && !incoming.complete;
      const places = comes ? bodies : inFlight;
      if (!places.hasRoom(subject)) return null;
      let leave = places.acquire(subject);
      let over = false;
      if (comes)
        incoming.once("end", () => {
          if (over) return;
          leave();
          leave = inFlight.acquire(subject);
        });
      return {
        leave() {
          over = true;
          leave();
        },
      };
    },
    /** Counts what must be done, however much there is to do. */
    async during<T>(work: () => Promise<T>): Promise<T> {
      const leave = inFlight.acquire(null);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

export type Admission = ReturnType<typeof createAdmission>;

export const createWaitContext = (
  request: Request,
  state: { pass: AdmissionPass | null; heldMs: number },
): WaitContext => ({
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
