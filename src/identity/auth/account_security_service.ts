// A person's own second factor: the secret of an authenticator app, and recovery codes for a lost phone. Both are
// encrypted in the sign-in library's table, which requires them at sign-in. Also the own password and sessions, which
// change in the transaction of their operation.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { FieldValidationFailure } from "../../model/api_and_ui_error_texts.ts";
import { assertDefined } from "../../model/assert.ts";
import { LIMITS } from "../../model/limits.ts";
import { runStatement } from "../../store/db/statement.ts";
import type { AccountSecurityService, SecondFactorService, SignedInPerson } from "../../store/handler_context.ts";
import { lockUser } from "../../store/queries/members_and_one_time_links.ts";
import type { AccountAdapter, BetterAuthPluginStore } from "./better_auth.ts";
import { disconnectOidcAccount, isPersonLinkedToOidc } from "./oidc_accounts.ts";
import { createPasskeyManagement } from "./passkeys.ts";
import { validatePasswordStrength } from "./password_strength.ts";
import type { SignInLibrary } from "./sign_in_library.ts";
import type { SignInThrottle } from "./sign_in_throttle.ts";

const SECRET_LENGTH = 32;

interface Row {
  id: string;
  secret: string;
  backupCodes: string;
  verified: boolean;
}

/** Returns the issuer and the URI for authenticator apps. */
async function otpOf(secret: string) {
  const { createOTP } = await import("@better-auth/utils/otp");
  return createOTP(secret, { digits: 6, period: 30 });
}

/** In small letters, as a person would write them down. */
const newCodes = ({ randomString }: BetterAuthPluginStore) =>
  Array.from({ length: LIMITS.recovery_codes }, () => `${randomString(5)}-${randomString(5)}`);

/** Sets the password of an account, which may have none yet. */
export async function setPasswordHash(accounts: AccountAdapter, userId: string, hash: string): Promise<void> {
  if (await accounts.findCredentialAccount(userId)) return accounts.updatePassword(userId, hash);
  await accounts.linkAccount({ userId, accountId: userId, providerId: "credential", password: hash });
}

const FRESH_MS = LIMITS.fresh_sign_in_minutes * 60_000;
const WRONG_PASSWORD: FieldValidationFailure = { code: "invalid_value", message: "The current password is incorrect." };
const SIGN_IN_AGAIN: FieldValidationFailure = {
  code: "invalid_value",
  message:
    "Enter your password. If you do not have one, sign out, sign in again and retry within " +
    `${LIMITS.fresh_sign_in_minutes} minutes.`,
};

/** One change of a person's sign-in at a time. */
async function inTurn<T>(
  em: SqlEntityManager,
  library: SignInLibrary,
  person: SignedInPerson,
  work: (accounts: AccountAdapter, rows: BetterAuthPluginStore) => Promise<T>,
): Promise<T> {
  await runStatement(em, lockUser, { id: person.id });
  return library.inTransaction(em, work);
}

function createSecondFactor(library: SignInLibrary): SecondFactorService {
  const find = async ({ adapter }: BetterAuthPluginStore, person: SignedInPerson) =>
    adapter.findOne<Row>({ model: "twoFactor", where: [{ field: "userId", value: person.id }] });

  const change = ({ adapter }: BetterAuthPluginStore, id: string, update: Partial<Row>) =>
    adapter.update({ model: "twoFactor", where: [{ field: "id", value: id }], update });

  return {
    state: (em, person) =>
      library.inTransaction(em, async (_accounts, rows) => {
        const row = await find(rows, person);
        if (!row?.verified) return { on: false, recoveryCodesLeft: 0 };
        return { on: true, recoveryCodesLeft: JSON.parse(await rows.open(row.backupCodes)).length };
      }),

    begin: (em, person) =>
      inTurn(em, library, person, async (accounts, rows) => {
        const before = await find(rows, person);
        if (before?.verified) return null;
        const plain = rows.randomString(SECRET_LENGTH);
        const fresh = { secret: await rows.seal(plain), backupCodes: await rows.seal("[]"), verified: false };
        if (before) await change(rows, before.id, fresh);
        else
          await rows.adapter.create({
            model: "twoFactor",
            data: { ...fresh, userId: person.id, failedVerificationCount: 0 },
          });
        const user = await accounts.findUserById(person.id);
        const uri = (await otpOf(plain)).url("Belfry", user?.email ?? "");
        return {
          uri,
          secret: assertDefined(new URL(uri).searchParams.get("secret"), "the library puts the secret in the URI"),
        };
      }),

    confirm: (em, person, code) =>
      inTurn(em, library, person, async (accounts, rows) => {
        const row = await find(rows, person);
        if (!row || row.verified) return null;
        if (!(await (await otpOf(await rows.open(row.secret))).verify(code))) return false;
        const codes = newCodes(rows);
        await change(rows, row.id, { backupCodes: await rows.seal(JSON.stringify(codes)), verified: true });
        await accounts.updateUser(person.id, { twoFactorEnabled: true });
        return codes;
      }),

    renewCodes: (em, person) =>
      inTurn(em, library, person, async (_accounts, rows) => {
        const row = await find(rows, person);
        if (!row?.verified) return null;
        const codes = newCodes(rows);
        await change(rows, row.id, { backupCodes: await rows.seal(JSON.stringify(codes)) });
        return codes;
      }),

    end: (em, person) =>
      inTurn(em, library, person, async (accounts, rows) => {
        const row = await find(rows, person);
        if (!row) return false;
        await rows.adapter.delete({ model: "twoFactor", where: [{ field: "id", value: row.id }] });
        await accounts.updateUser(person.id, { twoFactorEnabled: false });
        return row.verified;
      }),
  };
}

export function createAccountSecurityService(options: {
  library: SignInLibrary;
  throttle: SignInThrottle;
  publicUrl: string;
  /** Null without OIDC_ISSUER. */
  oidc: { only: boolean } | null;
  now: () => Date;
}): AccountSecurityService {
  const { library, throttle, publicUrl, oidc, now } = options;
  return {
    secondFactor: createSecondFactor(library),
    passkeys: createPasskeyManagement(library, publicUrl, now),

    async confirmPerson(person, given) {
      const proves = () => throttle.inTurn("known", () => library.provesPassword(person.id, given));
      if (given !== "" && (await throttle.proof(person.id, proves))) return null;
      if (given !== "" || oidc === null) return WRONG_PASSWORD;
      const since = new Date(now().getTime() - FRESH_MS);
      return (await library.isFreshWithoutPassword(person, since)) ? null : SIGN_IN_AGAIN;
    },

    oidc: oidc && {
      isConnected: (em, person) =>
        library.inTransaction(em, async (_accounts, rows) => isPersonLinkedToOidc(rows, person.id)),
      disconnect: (em, person) =>
        inTurn(em, library, person, async (accounts, rows) => {
          const passkey = { model: "passkey", where: [{ field: "userId", value: person.id }] };
          const password = !oidc.only && (await accounts.findCredentialAccount(person.id))?.password;
          if (!password && !(await rows.adapter.findOne(passkey))) return false;
          await disconnectOidcAccount(rows, person.id);
          return true;
        }),
    },

    listSessions: (em, person) =>
      library.inTransaction(em, async (accounts) =>
        (await accounts.listSessions(person.id)).map(
          ({ id, userAgent, ipAddress, createdAt, updatedAt, expiresAt }) => ({
            id,
            userAgent: userAgent ?? null,
            address: ipAddress ?? null,
            createdAt,
            updatedAt,
            expiresAt,
          }),
        ),
      ),

    endSessions: (em, person, ids) =>
      library.inTransaction(em, async (accounts) => {
        for (const { id, token } of await accounts.listSessions(person.id))
          if (ids.includes(id)) await accounts.deleteSession(token);
      }),

    async checkNewPassword(em, person, next) {
      const user = await library.inTransaction(em, (accounts) => accounts.findUserById(person.id));
      return validatePasswordStrength(next, { email: user?.email ?? "", name: user?.name ?? "" });
    },

    async setPassword(em, person, next) {
      const hash = await throttle.inTurn("known", () => library.hashPassword(next));
      await library.inTransaction(em, (accounts) => setPasswordHash(accounts, person.id, hash));
    },
  };
}
