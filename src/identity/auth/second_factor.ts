// A person's own second factor: a secret that an app on the phone makes codes of, and recovery codes for the day the
// phone is gone. Both lie encrypted in the sign-in library's table, so that the library asks for them when somebody
// signs in. And the own password and sessions, which change in the transaction of the operation that asks.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { assertDefined } from "../../model/assert.ts";
import { LIMITS } from "../../model/limits.ts";
import { runStatement } from "../../store/db/statement.ts";
import type { Person, SecondFactorSupport, SignInService } from "../../store/handler_context.ts";
import { lockUser } from "../../store/queries/members_and_one_time_links.ts";
import type { AccountAdapter, PluginRows } from "./better_auth.ts";
import { createOwnPasskeys } from "./passkeys.ts";
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

/** What authenticator apps call this place, and what they read. */
async function otpOf(secret: string) {
  const { createOTP } = await import("@better-auth/utils/otp");
  return createOTP(secret, { digits: 6, period: 30 });
}

/** In small letters, as a person would write them down. */
const newCodes = ({ randomString }: PluginRows) =>
  Array.from({ length: LIMITS.recovery_codes }, () => `${randomString(5)}-${randomString(5)}`);

export function createSecondFactor(library: SignInLibrary): SecondFactorSupport {
  const find = async ({ adapter }: PluginRows, person: Person) =>
    adapter.findOne<Row>({ model: "twoFactor", where: [{ field: "userId", value: person.id }] });

  const change = ({ adapter }: PluginRows, id: string, update: Partial<Row>) =>
    adapter.update({ model: "twoFactor", where: [{ field: "id", value: id }], update });

  /** One change of a person's sign-in at a time. */
  async function inTurn<T>(
    em: SqlEntityManager,
    person: Person,
    work: (accounts: AccountAdapter, rows: PluginRows) => Promise<T>,
  ): Promise<T> {
    await runStatement(em, lockUser, { id: person.id });
    return library.inTransaction(em, work);
  }

  return {
    state: (em, person) =>
      library.inTransaction(em, async (_accounts, rows) => {
        const row = await find(rows, person);
        if (!row?.verified) return { on: false, recoveryCodesLeft: 0 };
        return { on: true, recoveryCodesLeft: JSON.parse(await rows.open(row.backupCodes)).length };
      }),

    begin: (em, person) =>
      inTurn(em, person, async (accounts, rows) => {
        const before = await find(rows, person);
        if (before?.verified) return null;
        const plain = rows.randomString(SECRET_LENGTH);
        const fresh = {
          secret: await rows.seal(plain),
          backupCodes: await rows.seal("[]"),
          verified: false,
        };
        if (before) await change(rows, before.id, fresh);
        else
          await rows.adapter.create({
            model: "twoFactor",
            data: { ...fresh, userId: person.id, failedVerificationCount: 0 },
          });
        const user = await accounts.findUserById(person.id);
        const uri = (await otpOf(plain)).url("Belfry", user?.email ?? "");
        return { uri, secret: assertDefined(new URL(uri).searchParams.get("secret"), "the library writes it there") };
      }),

    confirm: (em, person, code) =>
      inTurn(em, person, async (accounts, rows) => {
        const row = await find(rows, person);
        if (!row || row.verified) return null;
        if (!(await (await otpOf(await rows.open(row.secret))).verify(code))) return false;
        const codes = newCodes(rows);
        await change(rows, row.id, { backupCodes: await rows.seal(JSON.stringify(codes)), verified: true });
        await accounts.updateUser(person.id, { twoFactorEnabled: true });
        return codes;
      }),

    renewCodes: (em, person) =>
      inTurn(em, person, async (_accounts, rows) => {
        const row = await find(rows, person);
        if (!row?.verified) return null;
        const codes = newCodes(rows);
        await change(rows, row.id, { backupCodes: await rows.seal(JSON.stringify(codes)) });
        return codes;
      }),

    end: (em, person) =>
      inTurn(em, person, async (accounts, rows) => {
        const row = await find(rows, person);
        if (!row) return false;
        await rows.adapter.delete({ model: "twoFactor", where: [{ field: "id", value: row.id }] });
        await accounts.updateUser(person.id, { twoFactorEnabled: false });
        return row.verified;
      }),
  };
}

export function createSignInSupport(options: {
  library: SignInLibrary;
  throttle: SignInThrottle;
  publicUrl: string;
  now: () => Date;
}): SignInService {
  const { library, throttle, publicUrl, now } = options;
  return {
    secondFactor: createSecondFactor(library),
    passkeys: createOwnPasskeys(library, publicUrl, now),

    verifyPassword: (person, given) =>
      throttle.proof(person.id, () => throttle.inTurn("known", () => library.provesPassword(person.id, given))),

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
      await library.inTransaction(em, (accounts) => accounts.updatePassword(person.id, hash));
    },
  };
}
