// Who goes next: the places that deliveries take and the room in which others wait, shared fairly between endpoints.
// A data structure and nothing else: must not know the network, storage, logs or the clock.

export interface LaneLimits {
  /** Deliveries under way at once, over all endpoints. */
  inFlight: number;
  /** Deliveries that wait for a place; each holds one body. */
  waiting: number;
  /** Under way to one endpoint, while less than half of `inFlight` is taken. */
  perEndpointIdle: number;
  /** The same, once half of `inFlight` is taken. */
  perEndpointBusy: number;
  /** The same, after a failure, until the next success. */
  perEndpointFailing: number;
}

/**
 * A burst to one receiver goes out at once; twenty that never answer leave room for the rest: two of them fill the first
 * half of the places, and the others hold four each of the second.
 */
export const LANE_LIMITS: LaneLimits = {
  inFlight: 256,
  waiting: 10_000,
  perEndpointIdle: 64,
  perEndpointBusy: 4,
  perEndpointFailing: 2,
};

export interface Lanes<T> {
  /** Lets an item wait. Over the limit one item goes, and the id of its endpoint is returned. */
  add(endpointId: string, item: T): string | undefined;
  /** Takes a place for the next item; undefined while none is free or nothing may start. */
  take(): { endpointId: string; item: T } | undefined;
  /** Remembers how the delivery ended; the place stays taken. */
  judge(endpointId: string, ok: boolean): void;
  /** Gives a place back. */
  release(endpointId: string): void;
  /** Lets nothing of this endpoint wait any longer. */
  forget(endpointId: string): void;
  /** Lets nothing wait any longer. */
  clear(): void;
  waiting(): number;
  inFlight(): number;
}

interface Lane<T> {
  endpointId: string;
  items: T[];
  inFlight: number;
  failing: boolean;
}

export function createLanes<T>(limits: LaneLimits): Lanes<T> {
  /** Holds an endpoint only while it has something waiting or under way. */
  const lanes = new Map<string, Lane<T>>();
  /** Those with something waiting, the one served longest ago first. */
  const turns = new Set<Lane<T>>();
  let waiting = 0;
  let inFlight = 0;

  function room(lane: Lane<T>): number {
    if (lane.failing) return limits.perEndpointFailing;
    return inFlight < limits.inFlight / 2 ? limits.perEndpointIdle : limits.perEndpointBusy;
  }

  function tidy(lane: Lane<T>): void {
    if (lane.items.length > 0) return;
    turns.delete(lane);
    if (lane.inFlight === 0) lanes.delete(lane.endpointId);
  }

  /** The endpoint with the most waiting pays, with its oldest: the slowest receiver, not whoever came last. */
  function dropOne(): string | undefined {
    let longest: Lane<T> | undefined;
    for (const lane of turns) {
      if (longest === undefined || lane.items.length > longest.items.length) longest = lane;
    }
    if (longest === undefined) return undefined;
    longest.items.shift();
    waiting -= 1;
    tidy(longest);
    return longest.endpointId;
  }

  function forget(endpointId: string): void {
    const lane = lanes.get(endpointId);
    if (lane === undefined) return;
    waiting -= lane.items.length;
    lane.items = [];
    tidy(lane);
  }

  return {
    add(endpointId, item) {
      let lane = lanes.get(endpointId);
      if (lane === undefined) {
        lane = { endpointId, items: [], inFlight: 0, failing: false };
        lanes.set(endpointId, lane);
      }
      lane.items.push(item);
      turns.add(lane);
      waiting += 1;
      return waiting > limits.waiting ? dropOne() : undefined;
    },
    take() {
      if (inFlight >= limits.inFlight) return undefined;
      for (const lane of turns) {
        if (lane.inFlight >= room(lane)) continue;
        const item = lane.items.shift() as T;
        turns.delete(lane);
        if (lane.items.length > 0) turns.add(lane);
        waiting -= 1;
        inFlight += 1;
        lane.inFlight += 1;
        return { endpointId: lane.endpointId, item };
      }
      return undefined;
    },
    judge(endpointId, ok) {
      const lane = lanes.get(endpointId);
      if (lane !== undefined) lane.failing = !ok;
    },
    release(endpointId) {
      const lane = lanes.get(endpointId);
      if (lane === undefined) return;
      lane.inFlight -= 1;
      inFlight -= 1;
      tidy(lane);
    },
    forget,
    clear() {
      for (const endpointId of [...lanes.keys()]) forget(endpointId);
    },
    waiting: () => waiting,
    inFlight: () => inFlight,
  };
}
