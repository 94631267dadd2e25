// One-time links that make whoever follows them a member. Only the hash of a link is kept; a new one ends the earlier.

import { randomBytes } from "node:crypto";
import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Orm } from "../db/orm.ts";
import { run } from "../db/statement.ts";
import { memberOf } from "../operator/accounts.ts";
import { dropLinks, insertLink } from "../queries/people.ts";
import { hashToken } from "./tokens.ts";

const LINK_SECONDS = 7 * 24 * 3600;

/** A link that makes whoever follows it this member; `memberId` is the row's. */
export async function newLink(em: SqlEntityManager, publicUrl: string, memberId: string): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await run(em, dropLinks, [memberId]);
  await run(em, insertLink, [hashToken(token), memberId, LINK_SECONDS]);
  return `${publicUrl}/console/welcome?token=${token}`;
}

/**
 * What the operator on the machine hands out when nobody can sign in: a new link for a member, or for the workspace's
 * owner when no member is named. @throws 404, 422.
 */
export async function ownerLink(
  orm: Orm,
  publicUrl: string,
  which: { workspace?: string; member?: string } = {},
): Promise<string> {
  const em = orm.em.fork();
  const member = await memberOf(em, which);
  return newLink(em, publicUrl, member.id);
}
