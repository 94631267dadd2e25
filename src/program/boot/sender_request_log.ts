// Stores the outcome of each request in another program's format with its key, for the key's owner. rules#sender-log,
// rules#failing-senders

import type { IngestDeps } from "../../api/ingest/handle_ingest_request.ts";
import { API_KEY_PREFIX, hashTokenToHex, looksLikeToken } from "../../identity/auth/bearer_authentication.ts";
import { parseIdOrNull } from "../../model/domain/type_ids.ts";
import { type getKysely, runStatement } from "../../store/db/statement.ts";
import type { Caller, Log } from "../../store/handler_context.ts";
import { noteSenderRequest, noteSenderRequestOfEndedKey } from "../../store/queries/api_keys.ts";
import type { Metrics } from "./metrics.ts";

interface Options {
  db: ReturnType<typeof getKysely>;
  log: Log;
  /** True while nothing may be written. */
  isLow(): boolean;
  metrics: Pick<Metrics, "sender">;
  /** The id of a channel as the wire has it; null where the caller sees no such channel. */
  findVisibleChannelId(caller: Caller, channel: string): Promise<string | null>;
}

/** The owner reads it. The sender gets the same answer as with an unknown key. */
const ENDED_KEY = "The key has expired or was revoked. Create a new key for this sender.";

/** A request is answered although its outcome could not be stored. */
export function createSenderRequestLog({
  db,
  log,
  isLow,
  metrics,
  findVisibleChannelId,
}: Options): Pick<IngestDeps, "note" | "noteEndedKey"> {
  const warn = (error: unknown) => log.warn({ err: error }, "a sender request could not be recorded");
  return {
    async note(caller, request, channel) {
      metrics.sender(request.program, request.outcome);
      const key_id = parseIdOrNull("key", caller.credential.id);
      if (key_id === null || isLow()) return;
      try {
        // A key that is restricted to one channel determines the channel.
        if (request.pusher_id === null && channel !== null && caller.credential.pusherId === null)
          request.pusher_id = await findVisibleChannelId(caller, channel);
        await runStatement(db, noteSenderRequest, { key_id, request });
      } catch (error) {
        warn(error);
      }
    },
    async noteEndedKey(secret, request) {
      if (!looksLikeToken(API_KEY_PREFIX, secret) || isLow()) return;
      const refusal = { hash: hashTokenToHex(secret), request: { ...request, said: ENDED_KEY } };
      try {
        const noted = await runStatement(db, noteSenderRequestOfEndedKey, refusal);
        if (noted.length > 0) metrics.sender(request.program, request.outcome);
      } catch (error) {
        warn(error);
      }
    },
  };
}
