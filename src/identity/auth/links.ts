// One-time links that make whoever follows them a member, or let a member choose a new password. Only the hash of a link is
// kept. Its secret stands behind the "#", which no browser sends: no server, proxy or log on the way ever sees it.

import { randomBytes } from "node:crypto";
import { raw } from "@mikro-orm/core";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { type LinkMaker, MemberLink } from "../../model/entities/member.ts";
import { LIMITS } from "../../model/limits.ts";
import { run } from "../../store/db/statement.ts";
import { lockMember, replaceLinks } from "../../store/queries/people.ts";
import { hashToken } from "./tokens.ts";

const HOUR = 3600;
/** A link that somebody hands out may wait for its reader; one that a person asked for is read at once. */
const SECONDS: Record<LinkMaker, number> = {
  operator: LIMITS.link_days * 24 * HOUR,
  manager: LIMITS.link_days * 24 * HOUR,
  person: HOUR,
};
/** The same in words. */
export const LINK_LIFE: Record<LinkMaker, string> = {
  operator: `${LIMITS.link_days} days`,
  manager: `${LIMITS.link_days} days`,
  person: "one hour",
};

/**
 * Stands in place of the first owner's address until the first link is followed, since only that person knows the address.
 */
export const STAND_IN = "owner@localhost";

/** The page that links lead to. */
export const LINK_PAGE = "/console/welcome";

/**
 * A new link for a member, in the manager's own transaction; `memberId` is the row's, `publicUrl` may be empty for the path
 * alone.
 */
export async function writeLink(
  em: SqlEntityManager,
  publicUrl: string,
  memberId: string,
  madeBy: LinkMaker,
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  // Of two links that are made at the same moment the later one holds.
  await run(em, lockMember, { id: memberId });
  await run(em, replaceLinks, { member_id: memberId, made_by: madeBy });
  await em.insert(MemberLink, {
    token_hash: hashToken(token),
    member: memberId,
    made_by: madeBy,
    expires_at: raw("now() + ? * interval '1 second'", [SECONDS[madeBy]]),
  });
  return `${publicUrl}${LINK_PAGE}#${token}`;
}

/** The same in a transaction of its own. */
export const newLink = (em: SqlEntityManager, publicUrl: string, memberId: string, madeBy: LinkMaker) =>
  em.transactional((inside) => writeLink(inside, publicUrl, memberId, madeBy));

/** The secret in a link, also in a whole address as people paste it. Any other text is answered as an unknown link is. */
export function tokenOf(pasted: string): string {
  return /(?:^|#|token=)([\w-]{43})$/.exec(pasted.trim())?.[1] ?? "";
}
