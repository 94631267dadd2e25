// What browsers answer for a passkey, as far as it is looked at: bounded texts, before any of it reaches the sign-in library
// or a statement. And where passkeys work at all: WebAuthn binds them to a name, and asks for https.

import { z } from "zod";

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

/** The answer to being asked for a new passkey. */
export const newPasskey = z.object({
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

/** The answer to being asked for one that is known. */
export const shownPasskey = z.object({
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

/** A form's field with such an answer in it; null for anything else. */
export function readPasskey<S extends z.ZodType>(shape: S, field: string | null): z.output<S> | null {
  try {
    const { data } = shape.safeParse(JSON.parse(field ?? ""));
    return data ?? null;
  } catch {
    return null;
  }
}

/** The name that passkeys are bound to; null where browsers make none: under an address of figures, or plain http. */
export function passkeyHost(publicUrl: string): string | null {
  const { protocol, hostname } = new URL(publicUrl);
  if (hostname === "localhost") return hostname;
  const named = /[a-z]/.test(hostname) && !hostname.startsWith("[");
  return protocol === "https:" && named ? hostname : null;
}
