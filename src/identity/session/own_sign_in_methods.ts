// A person's own ways to sign in, and where it is signed in.

import { z } from "zod";
import { conflict, invalidRequest, notFound, throwFieldErrors } from "../../model/api_error.ts";
import { getNameFailure, getPasswordLengthFailure } from "../../model/domain/account_input_validation.ts";
import { spellLimit } from "../../model/limits.ts";
import { definePersonOperation } from "../../operation/define_operation.ts";
import { deletedResourceSchema, unpagedListSchema } from "../../store/response_schemas/shared_parameters_and_pages.ts";
import { newPasskeySchema } from "../auth/passkeys.ts";

export const list_sessions = definePersonOperation({
  name: "list_sessions",
  title: "List sessions",
  description: "The person's sessions, including the current one.",
  writes: "nothing",
  output: unpagedListSchema({
    id: z.string(),
    current: z.boolean(),
    user_agent: z.string().nullable(),
    address: z.string().nullable(),
    created_at: z.string(),
    last_used_at: z.string().describe("Precise to the minute."),
    expires_at: z.string(),
  }),
  async handler(_input, { em, caller, services }) {
    const sessions = await services.signIn.listSessions(em, caller.person);
    return {
      data: sessions.map((row) => ({
        id: row.id,
        current: row.id === caller.person.sessionId,
        user_agent: row.userAgent,
        address: row.address,
        created_at: row.createdAt.toISOString(),
        last_used_at: row.updatedAt.toISOString(),
        expires_at: row.expiresAt.toISOString(),
      })),
    };
  },
});

export const end_session = definePersonOperation({
  name: "end_session",
  title: "End a session",
  description: "End one of the person's sessions. Other people's sessions are reported as not found.",
  errors: ["not_found"],
  input: z.strictObject({ session_id: z.string() }),
  output: deletedResourceSchema,
  async handler({ session_id: id }, { em, caller, services: { signIn } }) {
    const own = await signIn.listSessions(em, caller.person);
    if (!own.some((session) => session.id === id)) throw notFound("session");
    await signIn.endSessions(em, caller.person, [id]);
    return { deleted: true as const, id };
  },
});

export const change_password = definePersonOperation({
  name: "change_password",
  title: "Change the password",
  description: "Set a new password. Requires the current one. The person's other sessions end.",
  stepUp: "present",
  input: z.strictObject({ present: z.string(), next: z.string() }),
  output: z.object({ ended_sessions: z.int() }),
  fieldProblems: ({ next }) => ({ next: getPasswordLengthFailure(next) }),
  async handler({ next }, { em, caller, services: { signIn } }) {
    const { person } = caller;
    throwFieldErrors({ next: await signIn.checkNewPassword(em, person, next) });
    await signIn.setPassword(em, person, next);
    const all = (await signIn.listSessions(em, person)).map(({ id }) => id);
    const others = all.filter((id) => id !== person.sessionId);
    await signIn.endSessions(em, person, others);
    return { ended_sessions: others.length };
  },
});

export const get_sign_in = definePersonOperation({
  name: "get_sign_in",
  title: "Get sign-in methods",
  description: "The state of two-factor authentication and the list of passkeys, without secrets.",
  writes: "nothing",
  output: z.object({
    second_factor: z.boolean(),
    recovery_codes_left: z.int(),
    oidc_connected: z.boolean().nullable().describe("null if OIDC_ISSUER is not set."),
    passkeys_possible: z.boolean().describe("If true, browsers support passkeys for this server's address."),
    passkeys: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        synced: z.boolean(),
        created_at: z.string(),
        last_used_at: z.string().nullable(),
      }),
    ),
  }),
  async handler(_input, { em, caller: { person }, services: { signIn } }) {
    const factor = await signIn.secondFactor.state(em, person);
    const passkeys = await signIn.passkeys.list(em, person);
    return {
      second_factor: factor.on,
      recovery_codes_left: factor.recoveryCodesLeft,
      oidc_connected: signIn.oidc && (await signIn.oidc.isConnected(em, person)),
      passkeys_possible: signIn.passkeys.isSupported,
      passkeys: passkeys.map((row) => ({
        id: row.id,
        name: row.name,
        synced: row.backedUp,
        created_at: row.createdAt.toISOString(),
        last_used_at: row.lastUsedAt?.toISOString() ?? null,
      })),
    };
  },
});

export const begin_second_factor = definePersonOperation({
  name: "begin_second_factor",
  title: "Begin two-factor setup",
  description:
    "Create a secret for an authenticator app. Requires the password. The secret takes effect once a code is " +
    "confirmed. A new secret replaces it.",
  stepUp: "present",
  errors: ["conflict"],
  input: z.strictObject({ present: z.string() }),
  output: z.object({ uri: z.string(), secret: z.string() }),
  async handler(_input, { em, caller, services: { signIn } }) {
    const begun = await signIn.secondFactor.begin(em, caller.person);
    if (!begun)
      throw conflict("wrong_state", "Two-factor authentication is already on. Turn it off first to use another app.");
    return begun;
  },
});

export const confirm_second_factor = definePersonOperation({
  name: "confirm_second_factor",
  title: "Turn on two-factor authentication",
  description:
    "Turn on two-factor authentication with a code from the app, and return the recovery codes, which are shown only " +
    "once. The person's other sessions end.",
  errors: ["conflict"],
  input: z.strictObject({ code: z.string().max(40) }),
  output: z.object({ recovery_codes: z.array(z.string()) }),
  async handler({ code }, { em, caller: { person }, services: { signIn } }) {
    const codes = await signIn.secondFactor.confirm(em, person, code.replace(/\s/g, ""));
    if (codes === null)
      throw conflict(
        "wrong_state",
        "Two-factor setup has not been started, or is already complete. Start again on your account page.",
      );
    if (codes === false)
      throw invalidRequest(
        "invalid_value",
        "This code is incorrect. Codes change every 30 seconds, so make sure your phone's clock is correct.",
        "code",
      );
    const others = (await signIn.listSessions(em, person)).filter(({ id }) => id !== person.sessionId);
    await signIn.endSessions(
      em,
      person,
      others.map(({ id }) => id),
    );
    return { recovery_codes: codes };
  },
});

export const renew_recovery_codes = definePersonOperation({
  name: "renew_recovery_codes",
  title: "Create new recovery codes",
  description:
    "Create new recovery codes. Requires the password. They replace the earlier ones and are shown only once.",
  stepUp: "present",
  errors: ["conflict"],
  input: z.strictObject({ present: z.string() }),
  output: z.object({ recovery_codes: z.array(z.string()) }),
  async handler(_input, { em, caller, services: { signIn } }) {
    const codes = await signIn.secondFactor.renewCodes(em, caller.person);
    if (!codes) throw conflict("wrong_state", "Two-factor authentication is off, so there are no recovery codes.");
    return { recovery_codes: codes };
  },
});

export const end_second_factor = definePersonOperation({
  name: "end_second_factor",
  title: "Turn off two-factor authentication",
  description: "Turn off two-factor authentication. Requires the password. The recovery codes stop working.",
  stepUp: "present",
  errors: ["conflict"],
  input: z.strictObject({ present: z.string() }),
  output: z.object({ ended: z.literal(true) }),
  async handler(_input, { em, caller, services: { signIn } }) {
    if (!(await signIn.secondFactor.end(em, caller.person)))
      throw conflict("wrong_state", "Two-factor authentication is already off.");
    return { ended: true as const };
  },
});

export const begin_passkey = definePersonOperation({
  name: "begin_passkey",
  title: "Begin adding a passkey",
  description:
    "Return the browser options for a new passkey. Requires the password. The same session must add the passkey " +
    `within ${spellLimit("passkey_minutes")} minutes.`,
  stepUp: "present",
  errors: ["conflict"],
  input: z.strictObject({ present: z.string() }),
  output: z.object({ options: z.record(z.string(), z.unknown()) }),
  async handler(_input, { em, caller, services: { signIn } }) {
    const options = await signIn.passkeys.begin(em, caller.person);
    if (options) return { options };
    throw conflict(
      "wrong_state",
      signIn.passkeys.isSupported
        ? "You have reached the maximum number of passkeys. Remove one first."
        : "Passkeys require https and a host name. Open this server at an https address with a host name.",
    );
  },
});

export const add_passkey = definePersonOperation({
  name: "add_passkey",
  title: "Add a passkey",
  description:
    "Store the passkey that a browser created after begin_passkey. The person can then sign in with the passkey alone.",
  input: z.strictObject({ name: z.string(), answer: newPasskeySchema.nullable() }),
  output: z.object({ id: z.string() }),
  fieldProblems: ({ name }) => ({ name: getNameFailure(name, "The passkey's name") }),
  async handler({ name, answer }, { em, caller, services: { signIn } }) {
    const given = answer && { name: name.trim(), answer };
    const id = given && (await signIn.passkeys.add(em, caller.person, given));
    if (!id)
      throw invalidRequest(
        "invalid_value",
        "The passkey was rejected, or the request timed out. Add the passkey again.",
      );
    return { id };
  },
});

export const remove_passkey = definePersonOperation({
  name: "remove_passkey",
  title: "Remove a passkey",
  description: "Remove one of the person's passkeys. Other people's passkeys are reported as not found.",
  errors: ["not_found"],
  input: z.strictObject({ passkey_id: z.string() }),
  output: deletedResourceSchema,
  async handler({ passkey_id: id }, { em, caller, services: { signIn } }) {
    if (!(await signIn.passkeys.remove(em, caller.person, id))) throw notFound("passkey");
    return { deleted: true as const, id };
  },
});

const requireOidc = <O>({ oidc }: { oidc: O | null }): O => {
  if (!oidc) throw conflict("wrong_state", "Single sign-on is not set up on this server.");
  return oidc;
};

export const begin_oidc_connection = definePersonOperation({
  name: "begin_oidc_connection",
  title: "Begin connecting the account to single sign-on",
  description:
    "Confirm the person's identity before the account is connected to the OpenID Connect provider. Requires the " +
    "password.",
  stepUp: "present",
  writes: "nothing",
  errors: ["conflict"],
  input: z.strictObject({ present: z.string() }),
  output: z.object({ confirmed: z.literal(true) }),
  async handler(_input, { services: { signIn } }) {
    requireOidc(signIn);
    return { confirmed: true as const };
  },
});

export const remove_oidc_connection = definePersonOperation({
  name: "remove_oidc_connection",
  title: "Disconnect single sign-on",
  description:
    "Disconnect the account from the OpenID Connect provider. Requires the password and another sign-in method.",
  stepUp: "present",
  errors: ["conflict"],
  input: z.strictObject({ present: z.string() }),
  output: z.object({ disconnected: z.literal(true) }),
  async handler(_input, { em, caller, services: { signIn } }) {
    if (!(await requireOidc(signIn).disconnect(em, caller.person)))
      throw conflict("wrong_state", "This is your only sign-in method. Add a passkey first.");
    return { disconnected: true as const };
  },
});
