// A person's own passkeys: the request to a browser, the check of its response, listing and removal. The rows belong to
// the sign-in library, which uses them at sign-in. Responses are validated as texts of limited length before they reach
// the library or a statement. WebAuthn binds passkeys to a name and requires https.

import { z } from "zod";
import { LIMITS } from "../../model/limits.ts";
import { runStatement } from "../../store/db/statement.ts";
import type { PasskeyService, SignedInPerson } from "../../store/handler_context.ts";
import { lockUser } from "../../store/queries/members_and_one_time_links.ts";
import type { BetterAuthPluginStore } from "./better_auth.ts";
import { getPasskeyHost } from "./passkey_host.ts";
import type { SignInLibrary } from "./sign_in_library.ts";

const bytes = (max: number) =>
  z
    .string()
    .regex(/^[\w-]+$/)
    .max(max);

const credential = { id: bytes(1400), rawId: bytes(1400), type: z.literal("public-key") };
const NOTHING = z
  .object({})
  .optional()
  .transform((): Record<string, never> => ({}));

/** The response to the request for a new passkey. */
export const newPasskeySchema = z.object({
  ...credential,
  clientExtensionResults: NOTHING,
  response: z.object({
    clientDataJSON: bytes(4000),
    attestationObject: bytes(12_000),
    transports: z
      .array(z.string().regex(/^[a-z-]{1,20}$/))
      .max(8)
      .optional(),
  }),
});

/** The response to the request for a known passkey. */
export const presentedPasskeySchema = z.object({
  ...credential,
  clientExtensionResults: NOTHING,
  response: z.object({
    clientDataJSON: bytes(4000),
    authenticatorData: bytes(4000),
    signature: bytes(4000),
    userHandle: bytes(200)
      .nullish()
      .transform((handle) => handle ?? undefined),
  }),
});

/** A form's field with such a response; null for anything else. */
export function parsePasskeyResponseOrNull<S extends z.ZodType>(shape: S, field: string | null): z.output<S> | null {
  try {
    const { data } = shape.safeParse(JSON.parse(field ?? ""));
    return data ?? null;
  } catch {
    return null;
  }
}

const MOST = 20;
const CHALLENGE_MS = LIMITS.passkey_minutes * 60_000;

interface Row {
  id: string;
  name: string | null;
  credentialID: string;
  transports: string | null;
  backedUp: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** Only the requesting session can respond. */
const challengeOf = ({ sessionId }: SignedInPerson) => `new-passkey-${sessionId}`;

export function createPasskeyManagement(library: SignInLibrary, publicUrl: string, now: () => Date): PasskeyService {
  const host = getPasskeyHost(publicUrl);
  const webAuthn = () => import("@simplewebauthn/server");
  const listRows = ({ adapter }: BetterAuthPluginStore, person: SignedInPerson) =>
    adapter.findMany<Row>({
      model: "passkey",
      where: [{ field: "userId", value: person.id }],
      sortBy: { field: "createdAt", direction: "asc" },
    });

  return {
    isSupported: host !== null,

    list: (em, person) =>
      library.inTransaction(em, async (_accounts, rows) =>
        (await listRows(rows, person)).map(({ id, name, backedUp, createdAt, lastUsedAt }) => ({
          id,
          name: name ?? "Passkey",
          backedUp,
          createdAt,
          lastUsedAt: lastUsedAt ?? null,
        })),
      ),

    begin: (em, person) =>
      library.inTransaction(em, async (accounts, rows) => {
        const [user, known] = [await accounts.findUserById(person.id), await listRows(rows, person)];
        if (!host || !user || known.length >= MOST) return null;
        const { generateRegistrationOptions } = await webAuthn();
        const options = await generateRegistrationOptions({
          rpName: "Belfry",
          rpID: host,
          userID: new TextEncoder().encode(user.id),
          userName: user.email,
          userDisplayName: user.name,
          attestationType: "none",
          excludeCredentials: known.map(({ credentialID: id }) => ({ id })),
          authenticatorSelection: { residentKey: "required", userVerification: "required" },
        });
        await accounts.deleteVerificationByIdentifier(challengeOf(person));
        await accounts.createVerificationValue({
          identifier: challengeOf(person),
          value: options.challenge,
          expiresAt: new Date(now().getTime() + CHALLENGE_MS),
        });
        return { ...options };
      }),

    async add(em, person, { name, answer }) {
      if (!host) return null;
      await runStatement(em, lockUser, { id: person.id });
      return library.inTransaction(em, async (accounts, rows) => {
        const asked = await accounts.consumeVerificationValue(challengeOf(person));
        if (!asked || (await listRows(rows, person)).length >= MOST) return null;
        const { verifyRegistrationResponse } = await webAuthn();
        const { clientDataJSON, attestationObject, transports = [] } = answer.response;
        const checked = await verifyRegistrationResponse({
          // Only what is checked; by which way the device was reached is not.
          response: { ...answer, response: { clientDataJSON, attestationObject } },
          expectedChallenge: asked.value,
          expectedOrigin: publicUrl,
          expectedRPID: host,
          requireUserVerification: true,
        }).catch(() => null);
        if (!checked?.verified) return null;
        const { credential, credentialBackedUp, credentialDeviceType, aaguid } = checked.registrationInfo;
        const taken = { field: "credentialID", value: credential.id };
        if (await rows.adapter.findOne({ model: "passkey", where: [taken] })) return null;
        const { id } = await rows.adapter.create<Record<string, unknown>, Row>({
          model: "passkey",
          data: {
            name,
            userId: person.id,
            credentialID: credential.id,
            publicKey: Buffer.from(credential.publicKey).toString("base64"),
            counter: credential.counter,
            deviceType: credentialDeviceType,
            backedUp: credentialBackedUp,
            transports: transports.join(","),
            aaguid,
            createdAt: now(),
          },
        });
        return id;
      });
    },

    remove: (em, person, id) =>
      library.inTransaction(em, async (_accounts, rows) => {
        if (!(await listRows(rows, person)).some((row) => row.id === id)) return false;
        await rows.adapter.delete({ model: "passkey", where: [{ field: "id", value: id }] });
        return true;
      }),
  };
}
