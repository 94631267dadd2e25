// What became of the last requests of a key in another program's words (src/api/ingest): for who connects that program and wonders
// why nothing comes. One row a key whatever it sends, and nothing of what was sent.

import { defineEntity, p } from "@mikro-orm/core";
import type { Program } from "../fields/programs.ts";
import { ApiKey } from "./api_key.ts";

/** `nothing`: it asked for nothing to be published, as a ping does. */
export const SENDER_OUTCOMES = ["sent", "scheduled", "draft", "refused", "nothing"] as const;

export interface SenderRequest {
  /** ISO 8601 in UTC. */
  at: string;
  /** Null where nobody could tell. */
  program: Program | null;
  outcome: (typeof SENDER_OUTCOMES)[number];
  /** One sentence of ours. */
  said: string;
  /** As the wire has them; of several alerts the first. */
  alert_id: string | null;
  pusher_id: string | null;
  alerts: number;
  /** What had no counterpart, in sentences of ours. */
  notes: string[];
}

export const SenderLog = defineEntity({
  name: "SenderLog",
  tableName: "sender_log",
  properties: {
    key: () => p.manyToOne(ApiKey).ref().primary().deleteRule("cascade").updateRule("no action"),
    /** The newest first, LIMITS.sender_requests of them at most. */
    requests: p.json<SenderRequest[]>(),
  },
});
