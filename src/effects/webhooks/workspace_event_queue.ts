// The backlog of events that wait for the look-up of their endpoints, fair between workspaces. Thousands of events of
// one do not delay those of another. If it is full, the workspace with the most events loses some. It is a pure data
// structure without network, storage, logs or clock.

import { assertDefined } from "../../model/assert.ts";
import type { DomainEvent } from "../../model/domain/domain_events.ts";
import type { Span } from "../../store/trace_spans.ts";

export interface WebhookEvent {
  /** A uuid, the same in every delivery of the event. */
  id: string;
  event: DomainEvent["event"];
  created_at: string;
  /** The request that made it true; not sent. */
  requestId?: string;
  data: { pusher_id: string; [field: string]: unknown };
}

/**
 * Consecutive events of one name and channel of a workspace. They have the same endpoints, which are looked up once.
 */
export interface WebhookEventBatch {
  workspaceId: string;
  event: WebhookEvent;
  events: { id: string; body: string; from: EventTraceContext }[];
  dropped: number;
}

/** The origin of an event, for traces. */
export interface EventTraceContext {
  requestId: string | undefined;
  span: Span | undefined;
}

/** `max` events in all. */
export function createWorkspaceEventQueue(max: number) {
  /** The workspace that was served longest ago first; only those that have something waiting. */
  const queues = new Map<string, { runs: WebhookEventBatch[]; size: number }>();
  let size = 0;

  function dropOldest(): void {
    let longest: [string, { runs: WebhookEventBatch[]; size: number }] | undefined;
    for (const entry of queues) if (!longest || entry[1].size > longest[1].size) longest = entry;
    if (!longest) return;
    const [workspaceId, queue] = longest;
    const oldest = assertDefined(queue.runs[0], "the longest queue contains a run");
    oldest.events.shift();
    oldest.dropped += 1;
    queue.size -= 1;
    size -= 1;
    if (oldest.events.length > 0) return;
    queue.runs.shift();
    if (queue.size === 0) queues.delete(workspaceId);
  }

  return {
    add(workspaceId: string, event: WebhookEvent, body: string, from: EventTraceContext): boolean {
      const queue = queues.get(workspaceId) ?? { runs: [], size: 0 };
      queues.set(workspaceId, queue);
      const last = queue.runs.at(-1);
      if (last && last.event.event === event.event && last.event.data.pusher_id === event.data.pusher_id)
        last.events.push({ id: event.id, body, from });
      else queue.runs.push({ workspaceId, event, events: [{ id: event.id, body, from }], dropped: 0 });
      queue.size += 1;
      size += 1;
      if (size <= max) return false;
      dropOldest();
      return true;
    },
    take(): WebhookEventBatch | undefined {
      const [next] = queues;
      if (!next) return undefined;
      const [workspaceId, queue] = next;
      const run = assertDefined(queue.runs.shift(), "an empty queue is removed");
      queue.size -= run.events.length;
      size -= run.events.length;
      queues.delete(workspaceId);
      if (queue.size > 0) queues.set(workspaceId, queue);
      return run;
    },
    clear() {
      queues.clear();
      size = 0;
    },
    size: () => size,
  };
}
