// What the answers of push services say about endpoints, written down beside the service's work: one that is gone is
// forgotten, one that fails is counted, one that works again counts from the beginning. A wake-up that was taken leaves
// nothing (docs/rules.md#push-leaves-nothing).

import { LIMITS } from "../../model/limits.ts";
import { batched } from "../../store/db/batch.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run, type Statement } from "../../store/db/statement.ts";
import { forgetEndpoints, noteFailures, noteRecoveries } from "../../store/queries/push.ts";
import type { Outcome } from "./endpoint.ts";

/** An endpoint as it was read. */
export interface Version {
  deviceId: string;
  /** Names the version: another endpoint that took its place is not judged. */
  sealed: Uint8Array;
  failing: boolean;
}

type OfVersions<More> = Statement<
  { devices: readonly string[]; endpoints: readonly Uint8Array[] } & More,
  unknown
>;

export interface EndpointOutcomes {
  /** Neither throws nor blocks. What cannot be written is seen again with another wake-up. */
  record(version: Version, outcome: Outcome): void;
  close(): Promise<void>;
}

/** `isLow`: nothing may be written now. `lost`: what could not be written; must not throw. */
export function createEndpointOutcomes(
  orm: Orm,
  isLow: () => boolean,
  lost: (error: unknown) => void,
): EndpointOutcomes {
  const kysely = databaseOf(orm);
  const writing = new Set<Promise<void>>();

  const together = <More extends object>(statement: OfVersions<More>, more: More) =>
    batched(
      async (versions: Version[]) => {
        const devices = versions.map(({ deviceId }) => deviceId);
        await run(kysely, statement, { devices, endpoints: versions.map(({ sealed }) => sealed), ...more });
        return versions;
      },
      { inFlight: 1 },
    );
  const forget = together(forgetEndpoints, {});
  const fail = together(noteFailures, { failures: LIMITS.push_failures, days: LIMITS.push_failing_days });
  const recover = together(noteRecoveries, {});

  return {
    record(version, outcome) {
      if (isLow() || (outcome === "accepted" && !version.failing)) return;
      const write = outcome === "gone" ? forget : outcome === "accepted" ? recover : fail;
      const written = write(version)
        .then(() => {}, lost)
        .finally(() => writing.delete(written));
      writing.add(written);
    },
    async close() {
      await Promise.all(writing);
    },
  };
}
