// The account that a verified identity opens: the connected one, or a new one for an invited user or by a claim.
// An account that exists is never opened by its e-mail address alone.

import { createHash } from "node:crypto";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { getEmailFailure, getPersonNameFailure } from "../../model/domain/account_input_validation.ts";
import { newUuid, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { Member, Workspace } from "../../model/tables/member.ts";
import type { OidcMembership } from "../../store/config/oidc_settings.ts";
import { isUniqueViolation } from "../../store/db/database_unavailable_errors.ts";
import type { Orm } from "../../store/db/orm.ts";
import { runStatement } from "../../store/db/statement.ts";
import type { Log } from "../../store/handler_context.ts";
import { deleteTestDevicesOfUser } from "../../store/queries/device_removal_and_transfer.ts";
import { endMemberLinksOfUser, lockUser } from "../../store/queries/members_and_one_time_links.ts";
import type { AccountAudit } from "./account_audit.ts";
import type { AccountAdapter, BetterAuthPluginStore } from "./better_auth.ts";
import { OidcError, type OidcIdentity } from "./oidc_types.ts";
import { FIRST_OWNER_PLACEHOLDER_EMAIL } from "./one_time_links.ts";
import type { SignInLibrary } from "./sign_in_library.ts";

/** The sign-in library's name for the provider. With the issuer in it, a `sub` of another issuer opens nothing. */
const providerIdOf = (issuer: string) => `oidc ${issuer}`;
const isOidc = (providerId: string) => providerId.startsWith("oidc ");

/** One row for one identity: the primary key refuses a second one. */
const rowIdOf = ({ issuer, subject }: OidcIdentity) =>
  `oidc_${createHash("sha256").update(`${issuer}\0${subject}`).digest("base64url")}`;

interface AccountRow {
  id: string;
  userId: string;
  providerId: string;
}

const ofUser = (userId: string) => [{ field: "userId", value: userId }];

async function findConnections({ adapter }: BetterAuthPluginStore, userId: string): Promise<AccountRow[]> {
  const rows = await adapter.findMany<AccountRow>({ model: "account", where: ofUser(userId) });
  return rows.filter(({ providerId }) => isOidc(providerId));
}

/** True if a person's account is connected to the provider. */
export const isPersonLinkedToOidc = async (rows: BetterAuthPluginStore, userId: string): Promise<boolean> =>
  (await findConnections(rows, userId)).length > 0;

/** Ends every connection of an account to a provider. */
export async function disconnectOidcAccount(rows: BetterAuthPluginStore, userId: string): Promise<void> {
  for (const { id } of await findConnections(rows, userId))
    await rows.adapter.delete({ model: "account", where: [{ field: "id", value: id }] });
}

const connect = ({ adapter }: BetterAuthPluginStore, identity: OidcIdentity, userId: string, now: Date) =>
  adapter.create({
    model: "account",
    forceAllowId: true,
    data: {
      id: rowIdOf(identity),
      providerId: providerIdOf(identity.issuer),
      accountId: identity.subject,
      userId,
      createdAt: now,
      updatedAt: now,
    },
  });

export function createOidcAccounts(options: {
  orm: Orm;
  library: SignInLibrary;
  accountLog: AccountAudit;
  log: Log;
  now: () => Date;
  members: readonly OidcMembership[];
  trustEmail: boolean;
}) {
  const { orm, library, accountLog, log, now, members, trustEmail } = options;

  /** The workspaces that the claim grants, each with the first role that matches. */
  async function readGrants(em: SqlEntityManager, { groups }: OidcIdentity) {
    const grants = new Map<string, (typeof members)[number]["role"]>();
    for (const { role, workspace } of members.filter(({ value }) => groups.includes(value))) {
      const where = workspace === null ? {} : { id: parseIdOrNull("wsp", workspace) ?? "" };
      const rows = await em.find(Workspace, where, { limit: 2 });
      const [only] = rows;
      if (only && rows.length === 1) grants.set(only.id, grants.get(only.id) ?? role);
      else log.warn({ setting: "OIDC_MEMBERS", role }, "an entry matches no workspace, or several: add @wsp_…");
    }
    return grants;
  }

  /** Members that were added with this address and have not joined. */
  const findInvited = (em: SqlEntityManager, email: string) =>
    email === FIRST_OWNER_PLACEHOLDER_EMAIL ? Promise.resolve([]) : em.find(Member, { email, user_id: null });

  /** Adds the memberships of invitations and of the claim. It removes none. */
  async function join(em: SqlEntityManager, identity: OidcIdentity, user: { id: string; email: string; name: string }) {
    const own = new Set((await em.find(Member, { user_id: user.id })).map(({ workspace }) => workspace.id));
    const joined: string[] = [];
    const proved = identity.emailVerified && identity.email === user.email;
    for (const row of proved ? await findInvited(em, user.email) : []) {
      if (own.has(row.workspace.id)) continue;
      em.assign(row, { user_id: user.id, name: user.name });
      joined.push(row.workspace.id);
    }
    for (const [workspace, role] of await readGrants(em, identity)) {
      if (own.has(workspace) || joined.includes(workspace)) continue;
      if ((await em.count(Member, { workspace, email: user.email })) > 0) continue;
      em.create(Member, { id: newUuid(), workspace, email: user.email, name: user.name, role, user_id: user.id });
      joined.push(workspace);
    }
    await em.flush();
    if (joined.length > 0) await runStatement(em, endMemberLinksOfUser, { user_id: user.id });
    for (const workspaceId of joined) await accountLog.done("join_oidc", user.id, { db: em, workspaceId });
    return joined.length > 0 || own.size > 0;
  }

  /** Opens an existing account by its address, for a trusted provider. Unproved, it may be another person's. */
  async function adopt(
    em: SqlEntityManager,
    accounts: AccountAdapter,
    rows: BetterAuthPluginStore,
    id: string,
    proved: boolean,
  ) {
    if (proved) return;
    await runStatement(em, lockUser, { id });
    for (const model of ["passkey", "twoFactor", "account"])
      await rows.adapter.deleteMany({ model, where: ofUser(id) });
    for (const { token } of await accounts.listSessions(id)) await accounts.deleteSession(token);
    await runStatement(em, deleteTestDevicesOfUser, { user_id: id });
    await accounts.updateUser(id, { emailVerified: true, twoFactorEnabled: false });
  }

  /** The account of an identity that no account is connected to. @throws OidcError */
  async function admit(
    em: SqlEntityManager,
    accounts: AccountAdapter,
    rows: BetterAuthPluginStore,
    identity: OidcIdentity,
  ) {
    const { email } = identity;
    if (email === null || getEmailFailure(email) || email === FIRST_OWNER_PLACEHOLDER_EMAIL)
      throw new OidcError("no_email", "no valid email claim");
    if (!identity.emailVerified) throw new OidcError("email_unverified", "email_verified is not true");
    const existing = (await accounts.findUserByEmail(email))?.user;
    if (existing && !trustEmail) {
      accountLog.failed("sign_in_oidc", { email });
      throw new OidcError("account_exists", "the e-mail address has an account that is not connected");
    }
    if (existing) {
      await adopt(em, accounts, rows, existing.id, existing.emailVerified);
      return { id: existing.id, email, name: existing.name };
    }
    if ((await findInvited(em, email)).length === 0 && (await readGrants(em, identity)).size === 0)
      throw new OidcError("not_invited", "neither an invitation nor a claim makes this user a member");
    const names = [identity.name ?? "", email.slice(0, email.indexOf("@"))];
    const name = names.find((text) => getPersonNameFailure(text) === null) ?? email;
    const user = await accounts.createUser({ email, name, emailVerified: true }, { method: "oauth" });
    return { id: user.id, email, name };
  }

  return {
    /**
     * The account that a verified identity signs in to. With `connectTo`, the identity becomes a sign-in method of
     * that person, who is signed in. @throws OidcError
     */
    async resolve(identity: OidcIdentity, connectTo: string | null): Promise<string> {
      const work = orm.em.fork().transactional((em) =>
        library.inTransaction(em, async (accounts, rows) => {
          const where = [{ field: "id", value: rowIdOf(identity) }];
          const known = await rows.adapter.findOne<AccountRow>({ model: "account", where });
          if (connectTo !== null) {
            if (known && known.userId !== connectTo)
              throw new OidcError("connected_elsewhere", "the identity is connected to another account");
            if (!known) {
              await connect(rows, identity, connectTo, now());
              await accountLog.done("connect_oidc", connectTo, { db: em });
            }
            return connectTo;
          }
          if (known) {
            const user = await accounts.findUserById(known.userId);
            if (user) await join(em, identity, user);
            return known.userId;
          }
          const user = await admit(em, accounts, rows, identity);
          await connect(rows, identity, user.id, now());
          await join(em, identity, user);
          return user.id;
        }),
      );
      return work.catch((error) => {
        // Two first sign-ins of one person at the same time: the second one finds the account when it is repeated.
        throw isUniqueViolation(error) ? new OidcError("expired", "another sign-in created the account") : error;
      });
    },
  };
}
