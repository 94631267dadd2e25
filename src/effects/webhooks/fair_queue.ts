// A fair queue: delivery slots and waiting space are shared fairly between workspaces, and between the endpoints of
// each. It is a pure data structure without network, storage, logs or clock.

import { LIMITS } from "../../model/limits.ts";

/**
 * A burst to one receiver is sent at once. Twenty silent receivers leave space for others. Two of them fill the first
 * half of the slots, and the others keep four each of the second. With several workspaces and half of the slots in use,
 * each may use its share as if there was one workspace more. The next one then finds a free share.
 */
export const FAIR_QUEUE_LIMITS = {
  /** Deliveries under way at once, over all endpoints. */
  inFlight: 256,
  /** Deliveries that wait for a slot, each with a body. */
  waiting: LIMITS.waiting_deliveries as number,
  /** Under way to one endpoint, while less than half of `inFlight` is taken. */
  perEndpointIdle: 64,
  /** The same, once half of `inFlight` is taken. */
  perEndpointBusy: 4,
  /** The same, after a failure, until the next success. */
  perEndpointFailing: 2,
};
export type FairQueueLimits = typeof FAIR_QUEUE_LIMITS;

/** A workspace, as long as it has something waiting or under way. */
interface WorkspaceQueue<T> {
  workspaceId: string;
  waiting: number;
  inFlight: number;
  /** Its endpoints with something waiting, the one served longest ago first. */
  turns: Set<EndpointQueue<T>>;
}

interface EndpointQueue<T> {
  endpointId: string;
  group: WorkspaceQueue<T>;
  items: T[];
  inFlight: number;
}

/** The number of remembered failing endpoints; the oldest failure is forgotten first. */
const MOST_FAILING = 10_000;

export function createFairQueue<T>(limits: FairQueueLimits) {
  /** Contains an endpoint only while it has waiting or running deliveries. */
  const lanes = new Map<string, EndpointQueue<T>>();
  const failing = new Set<string>();
  const groups = new Map<string, WorkspaceQueue<T>>();
  /** Those with something waiting, the one served longest ago first. */
  const turns = new Set<WorkspaceQueue<T>>();
  let waiting = 0;
  let inFlight = 0;

  const busy = () => inFlight >= limits.inFlight / 2;

  function laneHasRoom(lane: EndpointQueue<T>): boolean {
    if (failing.has(lane.endpointId)) return lane.inFlight < limits.perEndpointFailing;
    return lane.inFlight < (busy() ? limits.perEndpointBusy : limits.perEndpointIdle);
  }

  function groupHasRoom(group: WorkspaceQueue<T>): boolean {
    if (!busy() || groups.size === 1) return true;
    return group.inFlight < Math.max(1, Math.floor(limits.inFlight / (groups.size + 1)));
  }

  function laneOf(workspaceId: string, endpointId: string): EndpointQueue<T> {
    const known = lanes.get(endpointId);
    if (known) return known;
    let group = groups.get(workspaceId);
    if (!group) {
      group = { workspaceId, waiting: 0, inFlight: 0, turns: new Set() };
      groups.set(workspaceId, group);
    }
    const lane = { endpointId, group, items: [], inFlight: 0 };
    lanes.set(endpointId, lane);
    return lane;
  }

  function count(lane: EndpointQueue<T>, change: number): void {
    lane.group.waiting += change;
    waiting += change;
  }

  function tidy(lane: EndpointQueue<T>): void {
    const { group } = lane;
    if (lane.items.length === 0) {
      group.turns.delete(lane);
      if (lane.inFlight === 0) lanes.delete(lane.endpointId);
    }
    if (group.waiting > 0) return;
    turns.delete(group);
    if (group.inFlight === 0) groups.delete(group.workspaceId);
  }

  /** Drops the oldest item of the slowest receiver in the workspace with the most waiting ones. */
  function dropOne(): { endpointId: string; item: T } | undefined {
    let most: WorkspaceQueue<T> | undefined;
    for (const group of turns) if (!most || group.waiting > most.waiting) most = group;
    let longest: EndpointQueue<T> | undefined;
    for (const lane of most?.turns ?? []) if (!longest || lane.items.length > longest.items.length) longest = lane;
    if (!longest) return undefined;
    const item = longest.items.shift() as T;
    count(longest, -1);
    tidy(longest);
    return { endpointId: longest.endpointId, item };
  }

  /** Drops the waiting deliveries of this endpoint, except kept ones, and forgets its failures; returns the dropped. */
  function forget(endpointId: string, keeps: (item: T) => boolean = () => false): T[] {
    failing.delete(endpointId);
    const lane = lanes.get(endpointId);
    if (lane === undefined) return [];
    const dropped = lane.items.filter((item) => !keeps(item));
    count(lane, -dropped.length);
    lane.items = lane.items.filter(keeps);
    tidy(lane);
    return dropped;
  }

  function rotate<V>(queue: Set<V>, served: V, waits: boolean): void {
    queue.delete(served);
    if (waits) queue.add(served);
  }

  return {
    /** Adds an item. Above the limit, one item is dropped and returned with the id of its endpoint. */
    add(workspaceId: string, endpointId: string, item: T) {
      const lane = laneOf(workspaceId, endpointId);
      lane.items.push(item);
      lane.group.turns.add(lane);
      turns.add(lane.group);
      count(lane, 1);
      return waiting > limits.waiting ? dropOne() : undefined;
    },
    take(): { endpointId: string; item: T } | undefined {
      if (inFlight >= limits.inFlight) return undefined;
      for (const group of turns) {
        if (!groupHasRoom(group)) continue;
        for (const lane of group.turns) {
          if (!laneHasRoom(lane)) continue;
          const item = lane.items.shift() as T;
          count(lane, -1);
          rotate(group.turns, lane, lane.items.length > 0);
          rotate(turns, group, group.waiting > 0);
          inFlight += 1;
          group.inFlight += 1;
          lane.inFlight += 1;
          return { endpointId: lane.endpointId, item };
        }
      }
      return undefined;
    },
    /** Remembers how the delivery ended, until the endpoint is forgotten; the place stays taken. */
    judge(endpointId: string, ok: boolean): void {
      failing.delete(endpointId);
      if (!ok) failing.add(endpointId);
      const [oldest] = failing;
      if (oldest && failing.size > MOST_FAILING) failing.delete(oldest);
    },
    release(endpointId: string): void {
      const lane = lanes.get(endpointId);
      if (lane === undefined) return;
      lane.inFlight -= 1;
      lane.group.inFlight -= 1;
      inFlight -= 1;
      tidy(lane);
    },
    forget,
    clear(): void {
      for (const endpointId of [...lanes.keys()]) forget(endpointId);
    },
    waiting: () => waiting,
    inFlight: () => inFlight,
  };
}
