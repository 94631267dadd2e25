// The accepted client metadata: a few fields with limits. All others are ignored (RFC 7591 §2), so that nothing is
// stored that a server might later fetch, show or trust.

import { z } from "zod";
import { removeInvisibleCharacters } from "../../model/fields/invisible_characters.ts";
import { formatLimit, LIMITS } from "../../model/limits.ts";
import { OAuthError } from "./oauth_error.ts";
import { validateRedirectUri } from "./redirect_uris.ts";

/** Longer lists of grants or responses contain nothing that is supported. */
const MAX_LISTED = 20;

/** The supported values, used for metadata and registration. */
export const GRANT_TYPES = ["authorization_code", "refresh_token"] as const;
export const TOKEN_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"] as const;

const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
const isName = (name: string) =>
  name.length <= 2 * LIMITS.client_name && [...name].length <= LIMITS.client_name && !CONTROL.test(name);
const isWebAddress = (uri: string) =>
  uri.length <= LIMITS.url && /^https?:\/\/[\x21-\x7e]+$/i.test(uri) && URL.canParse(uri);

/** Clients send null or nothing for missing values. */
const may = <T extends z.ZodType>(type: T) =>
  z.preprocess((value) => (value === null || value === "" ? undefined : value), type.optional());
const listed = may(z.array(z.string().max(200)).max(MAX_LISTED));

const SAID = z.object({
  client_name: may(z.string().refine(isName)),
  client_uri: may(z.string().refine(isWebAddress)),
  redirect_uris: z.array(z.string()).min(1).max(LIMITS.client_redirects),
  grant_types: listed,
  response_types: listed,
  token_endpoint_auth_method: may(z.enum(TOKEN_AUTH_METHODS)),
  application_type: may(z.enum(["web", "native"])),
});

const WRONG: Record<string, string> = {
  "": "Send the client metadata as a JSON object.",
  client_name: `client_name must be one line of 1 to ${LIMITS.client_name} characters.`,
  client_uri: `client_uri must be an http or https URL of at most ${formatLimit("url")} characters.`,
  redirect_uris:
    `redirect_uris must be a list of 1 to ${LIMITS.client_redirects} URLs of at most ${formatLimit("url")} ` +
    "characters each.",
  grant_types: "grant_types must be a list that contains authorization_code and, optionally, refresh_token.",
  response_types: "response_types must be a list that contains the value code.",
  token_endpoint_auth_method: `token_endpoint_auth_method must be one of ${TOKEN_AUTH_METHODS.join(", ")}.`,
  application_type: "application_type must be web or native.",
};

function refuse(field: string, why = WRONG[field] ?? WRONG[""] ?? field): never {
  throw new OAuthError(field === "redirect_uris" ? "invalid_redirect_uri" : "invalid_client_metadata", why);
}

/**
 * Parses the metadata of a client. Unsupported parts are ignored, not refused: other grants, and all unlisted fields. A
 * client without grant types gets refresh tokens, although RFC 7591 §2 has another default, because people would have
 * to consent every hour. `method` is the authentication method if the client names none.
 * @throws OAuthError with the field
 */
export function parseClientMetadata(
  said: unknown,
  { schemes, method }: { schemes: readonly string[]; method: (typeof TOKEN_AUTH_METHODS)[number] },
) {
  const read = SAID.safeParse(said);
  if (!read.success) refuse(String(read.error.issues[0]?.path[0] ?? ""));
  const { grant_types, response_types, token_endpoint_auth_method, application_type, ...rest } = read.data;
  for (const address of rest.redirect_uris) {
    const problem = validateRedirectUri(address, schemes);
    if (problem) refuse("redirect_uris", problem);
  }
  // An empty list names none, as a missing one does.
  const grants = GRANT_TYPES.filter((grant) => !grant_types?.length || grant_types.includes(grant));
  if (!grants.includes("authorization_code")) refuse("grant_types");
  if (response_types && !response_types.includes("code")) refuse("response_types");
  return {
    ...rest,
    redirect_uris: [...new Set(rest.redirect_uris)],
    grant_types: grants,
    response_types: ["code"],
    token_endpoint_auth_method: token_endpoint_auth_method ?? method,
    application_type: application_type ?? (rest.redirect_uris.some(isWeb) ? "web" : "native"),
  };
}

export type ClientMetadata = ReturnType<typeof parseClientMetadata>;

/** An application on the person's machine receives responses on loopback or at a scheme of its own. */
const isWeb = (address: string) => /^https:/i.test(address);

/** The number of shown characters; a longer name is marked at its end. */
const SHOWN = 60;

/**
 * Returns the name of an assistant for display; null without one. It is not verified, so it must not imitate other
 * parts of a page. It is one short line, without quotes, and without characters that hide or reorder others.
 */
export function parseClientName(said: unknown): string | null {
  if (typeof said !== "string") return null;
  const line = removeInvisibleCharacters(said.slice(0, 2000).toWellFormed())
    .text.replace(/["“”„‟«»]/g, "'")
    // Many combining marks on one letter would cover other lines.
    .replace(/(\p{M}{3})\p{M}+/gu, "$1")
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  if (characters.length === 0) return null;
  return characters.length <= SHOWN ? line : `${characters.slice(0, SHOWN).join("").trimEnd()}…`;
}
