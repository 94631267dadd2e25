// One-time links to become a member, or to reset a member's password. Only the hash of a link is stored. Its secret is
// after the "#", which browsers do not send, so no server, proxy or log sees it.

import { randomBytes } from "node:crypto";
import { raw } from "@mikro-orm/core";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { LIMITS } from "../../model/limits.ts";
import { type LinkIssuer, MemberLink } from "../../model/tables/member.ts";
import { runStatement } from "../../store/db/statement.ts";
import { lockMember, markMemberLinksReplaced } from "../../store/queries/members_and_one_time_links.ts";
import { hashToken } from "./bearer_authentication.ts";

const HOUR = 3600;
/** A link that a person passes on may wait for its reader; a requested one is read at once. */
const SECONDS: Record<LinkIssuer, number> = {
  operator: LIMITS.link_days * 24 * HOUR,
  manager: LIMITS.link_days * 24 * HOUR,
  person: HOUR,
};
/** The same as text. */
export const ONE_TIME_LINK_LIFETIME_TEXTS: Record<LinkIssuer, string> = {
  operator: `${LIMITS.link_days} days`,
  manager: `${LIMITS.link_days} days`,
  person: "one hour",
};

/** Replaces the first owner's address until the first link is redeemed, because only that person knows it. */
export const FIRST_OWNER_PLACEHOLDER_EMAIL = "owner@localhost";

/** The page that links lead to. */
export const ONE_TIME_LINK_PAGE_PATH = "/console/welcome";

/**
 * A new link for a member, in the manager's own transaction; `memberId` is the row's, `publicUrl` may be empty for
 * the path alone.
 */
export async function createMemberLinkInTransaction(
  em: SqlEntityManager,
  publicUrl: string,
  memberId: string,
  madeBy: LinkIssuer,
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  // If two links are created at once, the later one is valid.
  await runStatement(em, lockMember, { id: memberId });
  await runStatement(em, markMemberLinksReplaced, { member_id: memberId, issued_by: madeBy });
  await em.insert(MemberLink, {
    token_hash: hashToken(token),
    member: memberId,
    issued_by: madeBy,
    expires_at: raw("now() + ? * interval '1 second'", [SECONDS[madeBy]]),
  });
  return `${publicUrl}${ONE_TIME_LINK_PAGE_PATH}#${token}`;
}

/** The same in a transaction of its own. */
export const createMemberLink = (em: SqlEntityManager, publicUrl: string, memberId: string, madeBy: LinkIssuer) =>
  em.transactional((inside) => createMemberLinkInTransaction(inside, publicUrl, memberId, madeBy));

/**
 * The secret of a link, also from a whole address as people paste it. Any other text has the response of an unknown
 * link.
 */
export function extractLinkToken(pasted: string): string {
  return /(?:^|#|token=)([\w-]{43})$/.exec(pasted.trim())?.[1] ?? "";
}
