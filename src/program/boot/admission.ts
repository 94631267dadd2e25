// Admission of requests: the number that run at once, and the share of one address. A request runs once its body has
// arrived. Until then it waits for its client, with a separate limit and a smaller share for each address. A call that
// waits for something else does not count as running, and its wait is not counted as work.

import type { IncomingMessage } from "node:http";
import { createSlots } from "../../store/rate_limits/slots.ts";
import type { WaitContext } from "../../store/wait_context.ts";

/**
 * The share of one address: half of the running requests, and a quarter of the waiting bodies, which cost an attacker
 * nothing.
 */
const SHARE_OF_WORK = 1 / 2;
const SHARE_OF_BODIES = 1 / 4;

const shareOf = (max: number, share: number) => Math.max(1, Math.floor(max * share));

/** One admitted request. `leave`: it is no longer running, because it waits or has its response. */
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
    /** Counts work that must run under any load. */
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
  // Created on access, because few calls wait.
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
