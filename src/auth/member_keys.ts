// Keys as people make them: one acts for the member who makes it and can do no more. Listing and revoking follow the
// same rule as members do: whoever manages a member manages its keys.

import type { Caller } from "../context.ts";
import type { Orm } from "../db/orm.ts";
import { run } from "../db/statement.ts";
import { parseId, showId } from "../domain/ids.ts";
import { nameProblem } from "../domain/one_line.ts";
import { roleReaches, visiblePushers } from "../domain/visibility.ts";
import { toIsoMicrosOrNull } from "../entities/columns.ts";
import { forbidden, notFound, refuseFields } from "../errors.ts";
import { createKey, revokeKey } from "../operator/accounts.ts";
import { listWorkspaceKeys } from "../queries/keys.ts";
import { isScope } from "../scopes.ts";
import { manages, standingOf } from "./members.ts";

const DAY = 24 * 3600;

/** How long a key may be good for, in seconds; null does not end. */
export const KEY_LIVES: Record<string, { label: string; seconds: number | null }> = {
  "7d": { label: "7 days", seconds: 7 * DAY },
  "30d": { label: "30 days", seconds: 30 * DAY },
  "90d": { label: "90 days", seconds: 90 * DAY },
  "365d": { label: "1 year", seconds: 365 * DAY },
  never: { label: "Until you revoke it", seconds: null },
};

export interface KeyWish {
  name: string;
  scopes: string[];
  /** Wire id of the one channel that the key sees; null for the member's. */
  pusher: string | null;
  life: string;
}

function mayManage(caller: Caller): void {
  if (!roleReaches(caller.member.role, "admin"))
    throw forbidden("Only owners and admins make keys; ask one of them.");
}

export type MemberKeys = ReturnType<typeof createMemberKeys>;

export function createMemberKeys({ orm, now }: { orm: Orm; now: () => Date }) {
  const list = async (caller: Caller) => {
    mayManage(caller);
    const mine = standingOf(caller);
    const rows = await run(orm.em.fork(), listWorkspaceKeys, [caller.workspace.id]);
    return rows
      .filter((row) => row.member_id === caller.member.id || manages(mine, row))
      .map(({ id, ...row }) => ({
        ...row,
        id: showId("key", id),
        expires_at: toIsoMicrosOrNull(row.expires_at),
        last_used_at: toIsoMicrosOrNull(row.last_used_at),
      }));
  };

  return {
    /** The live keys that the caller may revoke. @throws 403. */
    list,

    /** Makes a key for the caller's own member; the answer is the only time that it is shown. @throws 403, 404, 422. */
    async create(caller: Caller, wish: KeyWish) {
      mayManage(caller);
      const name = wish.name.trim();
      const life = Object.hasOwn(KEY_LIVES, wish.life) ? KEY_LIVES[wish.life]! : null;
      refuseFields({
        name: nameProblem(name, "The key's name"),
        life: life === null && "Choose how long the key works.",
        scope:
          (wish.scopes.length === 0 || !wish.scopes.every(isScope)) &&
          "Tick at least one thing that the key may do.",
      });
      if (wish.pusher !== null) {
        const pusherId = parseId("psh", wish.pusher);
        if (!pusherId || visiblePushers(caller.pusherIds, pusherId)?.length === 0) throw notFound("channel");
      }
      return createKey(
        orm.em.fork(),
        {
          member: showId("mem", caller.member.id),
          workspace: showId("wsp", caller.workspace.id),
          name,
          scopes: wish.scopes.join(","),
          ...(wish.pusher === null ? {} : { pusher: wish.pusher }),
          ...(life?.seconds ? { expires_in: life.seconds } : {}),
        },
        now(),
      );
    },

    /** Takes effect on the next request. A key that the caller does not see is none. @throws 403, 404. */
    async revoke(caller: Caller, keyId: string): Promise<void> {
      if (!(await list(caller)).some(({ id }) => id === keyId)) throw notFound("key");
      await revokeKey(orm.em.fork(), keyId);
    },
  };
}
