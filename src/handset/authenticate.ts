// Who a handset is. Look-ups of requests that arrive together go together; the inbox's also fetch the revision that
// decides a 304, so that an unchanged inbox costs one share of one statement. What has come due is settled here, before
// anything is said of it.

import { DEVICE_PREFIX, hashToken, looksLikeToken } from "../auth/tokens.ts";
import type { Anyone, DeviceCaller, DeviceWithRevision } from "../context.ts";
import { batched } from "../db/batch.ts";
import type { Orm } from "../db/orm.ts";
import { ownStatements, run, type Statement } from "../db/statement.ts";
import { unauthorized } from "../errors.ts";
import type { HandsetAuth } from "../operation/tool.ts";
import { findDevices, findDevicesWithDue, findDevicesWithRevision } from "../queries/handset.ts";
import type { Seen } from "./seen.ts";
import type { Settler } from "./settle.ts";

/** @throws 401 for a missing or unknown device token, where one is needed. */
export type HandsetAuthenticator = (
  auth: keyof HandsetAuth,
  token: string | null,
  address: string | null,
) => Promise<Anyone | DeviceCaller | DeviceWithRevision>;

export function createHandsetAuthenticator(
  orm: Orm,
  seen: Pick<Seen, "note">,
  { settle }: Pick<Settler, "settle">,
): HandsetAuthenticator {
  const kysely = ownStatements(orm);

  function lookUp<Row extends { position: number }>(
    statement: Statement<{ hashes: readonly string[] }, Row>,
  ) {
    return batched<string, Row | undefined>(async (hashes) => {
      const rows = await run(kysely, statement, { hashes });
      const found: (Row | undefined)[] = hashes.map(() => undefined);
      for (const row of rows) found[row.position - 1] = row;
      return found;
    });
  }

  const device = lookUp(findDevices);
  const revision = lookUp(findDevicesWithRevision);
  const due = lookUp(findDevicesWithDue);

  /** The device as it stands once everything that was due when it asked says `sent`. */
  async function settled(hash: string): Promise<(DeviceWithRevision & { unseen: boolean }) | undefined> {
    const found = await revision(hash);
    if (!found || found.due.length === 0) return found;
    if (!(await settle(found.due))) return due(hash);
    const after = await revision(hash);
    // What has come due since is for the next poll: shown now, it could be taken back.
    return after && { ...after, due: [] };
  }

  return async (auth, token, address) => {
    if (auth === "nothing") return { address };
    if (token === null || !looksLikeToken(DEVICE_PREFIX, token)) throw unauthorized();
    const found = await (auth === "revision" ? settled : device)(hashToken(token).toString("hex"));
    if (!found) throw unauthorized();
    if (found.unseen) seen.note(found.id);
    return found;
  };
}
