// Step-up for assistants that hold a refresh token. Those of SDK 1 answer "insufficient_scope" by refreshing, which gives
// the same scopes again, and then give up. So the refresh that follows such an answer at once is refused with a word that
// sends them to the person; any other refresh is none of this.

import { parseId } from "../../model/domain/ids.ts";
import type { Caller } from "../../store/context.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import { askForMore, takeStepUp } from "../../store/queries/oauth_clients.ts";
import { hashSecret } from "./clients.ts";
import { OAuthError } from "./oauth_error.ts";

/** A client that means to step up comes back at once. */
const WITHIN_SECONDS = 15;

export type StepUps = ReturnType<typeof createStepUps>;

/** `isLow`: nothing may be written now; no token is refreshed meanwhile either. */
export function createStepUps({ orm, isLow }: { orm: Orm; isLow: () => boolean }) {
  const kysely = databaseOf(orm);
  return {
    /** Remembers that this caller was told which scopes it lacks; nothing for one that cannot ask for more. */
    async remember({ credential }: Caller): Promise<void> {
      if (isLow()) return;
      const connection = credential.type === "oauth" ? parseId("con", credential.id) : null;
      if (connection) await run(kysely, askForMore, { connection_id: connection });
    },

    /** @throws OAuthError once, when the holder of this refresh token was told just now. */
    async refuseRefresh(token: string): Promise<void> {
      const [taken] = await run(kysely, takeStepUp, {
        token: await hashSecret(token),
        seconds: WITHIN_SECONDS,
      });
      if (taken)
        throw new OAuthError(
          "interaction_required",
          "Refreshing gives the scopes that were granted; a person must grant more: send them to authorize.",
        );
    },
  };
}
