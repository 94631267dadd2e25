// The redemption of a one-time link: it creates an account, adds an account to a workspace, or resets a password. A
// link names its address. The link, the account and the member change in one transaction.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { conflict, forbidden, invalidRequest, notFound, throwFieldErrors } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { getEmailFailure, getPersonNameFailure } from "../../model/domain/account_input_validation.ts";
import { Member } from "../../model/tables/member.ts";
import { isUniqueViolation } from "../../store/db/database_unavailable_errors.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import type { Log } from "../../store/handler_context.ts";
import { deleteTestDevicesOfUser } from "../../store/queries/device_removal_and_transfer.ts";
import {
  endMemberLinksOfUser,
  findMemberForResetEmail,
  findMemberLink,
  lockUser,
  type MemberLinkRecord,
  redeemMemberLink,
} from "../../store/queries/members_and_one_time_links.ts";
import type { AccountAudit } from "./account_audit.ts";
import { setPasswordHash } from "./account_security_service.ts";
import { hashToken } from "./bearer_authentication.ts";
import { disconnectOidcAccount } from "./oidc_accounts.ts";
import { createMemberLinkInTransaction, FIRST_OWNER_PLACEHOLDER_EMAIL } from "./one_time_links.ts";
import { validatePasswordStrength } from "./password_strength.ts";
import type { SignInLibrary } from "./sign_in_library.ts";
import type { SignInThrottle } from "./sign_in_throttle.ts";

/** The state of a link. */
export type LinkState = "live" | "used" | "replaced" | "expired" | "unknown";

/**
 * `new` creates an account for an address without one, `known` adds the address's account by its password, `reset` sets
 * the account's new password.
 */
type LinkKind = "new" | "known" | "reset";

interface LinkSubmission {
  name: string;
  /** Read only where the link names no address. */
  email: string;
  password: string;
}

function stateOf(link: MemberLinkRecord): LinkState {
  if (link.used) return "used";
  if (link.replaced) return "replaced";
  return link.expired ? "expired" : "live";
}

/** An owner's link for a new member must not open an account that other workspaces trust. */
function kindOf(link: MemberLinkRecord): LinkKind {
  if (link.user_id === null) return "new";
  return link.joined || link.issued_by !== "manager" ? "reset" : "known";
}

/** A person who prepared an account for another one could use it in each workspace that adds the other one. */
const mayJoin = (link: MemberLinkRecord): boolean => kindOf(link) !== "known" || link.proved === true;

/** The actions in the audit log. */
const ACTS = { new: "claim_account", known: "join_workspace", reset: "reset_password" } as const;

const unproved = () =>
  forbidden(
    "not_permitted",
    "This account's e-mail address is not verified. Set a new password with a reset link, sent by e-mail or by " +
      "the server operator, then open this link again.",
  );

const oidcRequired = () =>
  forbidden("not_permitted", "Passwords are turned off on this server. Sign in with single sign-on instead.");

/** Two links for one address followed at once: the second finds what the first made. */
const overtaken = () =>
  conflict("wrong_state", "Another link for this address was used at the same time. Open your link again.");

export type LinkRedemptionService = ReturnType<typeof createLinkRedemptionService>;
export type OpenedLink = NonNullable<Awaited<ReturnType<LinkRedemptionService["open"]>>>;

export function createLinkRedemptionService(options: {
  orm: Orm;
  library: SignInLibrary;
  throttle: SignInThrottle;
  accountLog: AccountAudit;
  publicUrl: string;
  /** OIDC_ONLY: only links of the operator set a password and sign in. */
  oidcOnly: boolean;
  log: Log;
}) {
  const { orm, library, throttle, accountLog, publicUrl, oidcOnly, log } = options;
  const kysely = getKysely(orm);

  const find = async (on: SqlEntityManager | typeof kysely, token: string) =>
    (await runStatement(on, findMemberLink, { token_hash: hashToken(token) }))[0];

  /**
   * Writes the rows of one claim, the link first. One of several simultaneous claims succeeds, and the others find the
   * link used.
   */
  async function settle(
    inside: SqlEntityManager,
    token: string,
    seen: MemberLinkRecord,
    claim: LinkSubmission,
    hash: string,
  ) {
    const [used] = await runStatement(inside, redeemMemberLink, { token_hash: hashToken(token) });
    if (!used) throw notFound("link");
    if (seen.user_id !== null) await runStatement(inside, lockUser, { id: seen.user_id });
    const link = assertDefined(await find(inside, token), "the link was just used");
    if (kindOf(link) !== kindOf(seen) || link.user_id !== seen.user_id) throw overtaken();
    if (!mayJoin(link)) throw unproved();
    const kind = kindOf(link);
    if (kind === "reset" && link.issued_by === "manager" && link.elsewhere)
      throw forbidden(
        "not_permitted",
        "This account also belongs to other workspaces, so only the server operator can reset its password. " +
          "Ask the operator for a link.",
      );
    const email = link.email === FIRST_OWNER_PLACEHOLDER_EMAIL ? claim.email : link.email;
    // A link that was only mailed verifies the address. The operator vouches for the recipient of a link, but not for
    // an address that the recipient chooses.
    const proved =
      link.issued_by === "person" || (link.issued_by === "operator" && link.email !== FIRST_OWNER_PLACEHOLDER_EMAIL);
    const account = () => assertDefined(link.user_id, "a link that does not create an account belongs to one");
    const userId = await library.inTransaction(inside, async (accounts, rows) => {
      if (kind === "known") return account();
      if (kind === "new") {
        const wanted = { email, name: claim.name.trim(), emailVerified: proved };
        const user = await accounts.createUser(wanted, { method: "email-password" });
        const credential = { userId: user.id, accountId: user.id, providerId: "credential", password: hash };
        await accounts.linkAccount(credential);
        return user.id as string;
      }
      const id = account();
      await setPasswordHash(accounts, id, hash);
      await disconnectOidcAccount(rows, id);
      // Before the verification, they may belong to another person. A verified account keeps its second step, because
      // no link alone may open it. So it also stays verified, and a second link has the same effect.
      const kept = link.proved ? {} : { twoFactorEnabled: false };
      const stays = link.proved === true && link.second_factor === true;
      await accounts.updateUser(id, { emailVerified: proved || stays, ...kept });
      for (const model of link.proved ? ["passkey"] : ["passkey", "twoFactor"])
        await rows.adapter.deleteMany({ model, where: [{ field: "userId", value: id }] });
      for (const { token } of await accounts.listSessions(id)) await accounts.deleteSession(token);
      await runStatement(inside, deleteTestDevicesOfUser, { user_id: id });
      return id;
    });
    const name = kind === "new" ? { name: claim.name.trim() } : {};
    await inside.nativeUpdate(Member, { id: link.member_id }, { user_id: userId, ...name, email });
    await runStatement(inside, endMemberLinksOfUser, { user_id: userId });
    // A new password concerns all workspaces of the account; joining concerns only this one.
    const workspaceId = kind === "reset" ? undefined : link.workspace_id;
    await accountLog.done(ACTS[kind], userId, { db: inside, workspaceId });
    return { kind, email };
  }

  return {
    /**
     * Returns the purpose and state of a link, and records the use of an invalid one in the audit log; null for an
     * unknown link.
     */
    async open(token: string) {
      const link = await find(kysely, token);
      if (!link) return null;
      if (stateOf(link) !== "live") accountLog.failedLink(link);
      return {
        state: stateOf(link),
        madeBy: link.issued_by,
        kind: kindOf(link),
        /** False where the person signs in with the provider instead of setting a password. */
        allowed: !oidcOnly || link.issued_by === "operator",
        /** True if the account's address is verified. */
        proved: link.proved === true,
        /** The address of the link; null if the recipient chooses one. */
        email: link.email === FIRST_OWNER_PLACEHOLDER_EMAIL ? null : link.email,
        joined: link.joined,
        workspaceName: link.workspace_name,
      };
    },

    /**
     * Redeems a link; the account can then sign in with `email` and the given password.
     * @throws 404 for an invalid link (`open` has the reason), 403 for an account that may not use it, 422 with all
     * wrong fields, 409, 429
     */
    async claim(
      token: string,
      given: LinkSubmission,
      address: string | null,
    ): Promise<{ kind: LinkKind; email: string }> {
      const seen = await find(kysely, token);
      if (!seen || stateOf(seen) !== "live") throw notFound("link");
      if (oidcOnly && seen.issued_by !== "operator") throw oidcRequired();
      if (!mayJoin(seen)) throw unproved();
      const kind = kindOf(seen);
      const claim = { ...given, email: given.email.trim().toLowerCase() };
      const owner = {
        email: seen.email === FIRST_OWNER_PLACEHOLDER_EMAIL ? claim.email : seen.email,
        name: claim.name,
      };
      throwFieldErrors({
        name: kind === "new" && getPersonNameFailure(claim.name),
        email: seen.email === FIRST_OWNER_PLACEHOLDER_EMAIL && getEmailFailure(claim.email),
        password: kind !== "known" && (await validatePasswordStrength(claim.password, owner)),
      });
      let hash = "";
      if (kind === "known") {
        const right = await throttle.attempt({ email: seen.email, address, browser: null }, () =>
          throttle.inTurn("known", () =>
            library.provesPassword(
              assertDefined(seen.user_id, "an existing person has a user account"),
              claim.password,
            ),
          ),
        );
        if (!right) {
          accountLog.failed("join_workspace", { email: seen.email });
          throw invalidRequest("invalid_value", "The password is incorrect.", "password");
        }
      } else {
        await throttle.countAddress(address);
        // Hashing takes its time, so it is done before anything is locked.
        hash = await throttle.inTurn("known", () => library.hashPassword(claim.password));
      }
      try {
        return await orm.em.fork().transactional((inside) => settle(inside, token, seen, claim, hash));
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        if (seen.email !== FIRST_OWNER_PLACEHOLDER_EMAIL) throw overtaken();
        throw invalidRequest("invalid_value", "This address is already in use. Enter a different one.", "email");
      }
    },

    /**
     * Requests a password reset link. The response never reveals if the address is known, since it does not wait.
     * `mail` gets the link if there is an account.
     * @throws 429 for a network address with too many requests
     */
    async askReset(email: string, address: string | null, mail: (to: string, link: string) => unknown): Promise<void> {
      await throttle.countReset(address);
      const to = email.trim().toLowerCase();
      const send = async () => {
        const [member] = await runStatement(kysely, findMemberForResetEmail, { email: to });
        if (!member || !(await throttle.mayMail(to))) return;
        const link = await orm.em.fork().transactional(async (inside) => {
          const made = await createMemberLinkInTransaction(inside, publicUrl, member.member_id, "person");
          await accountLog.asked("ask_password_link", member.user_id, inside);
          return made;
        });
        await mail(to, link);
      };
      send().catch((error) => log.error({ err: error }, "a password reset link could not be created"));
    },
  };
}
