// What a client may say of itself: a few fields, each within bounds. Everything else is ignored, as RFC 7591 §2 has it,
// so that nothing is kept which a server would one day fetch, show or believe.

import { z } from "zod";
import { cleanText } from "../../model/fields/invisible_characters.ts";
import { formatLimit, LIMITS } from "../../model/limits.ts";
import { OAuthError } from "./oauth_error.ts";
import { validateRedirectUri } from "./redirect_uris.ts";

/** Longer lists of grants or responses say nothing that is understood here. */
const MAX_LISTED = 20;

/** What the authorization server does; metadata and registration are measured by the same lists. */
export const GRANT_TYPES = ["authorization_code", "refresh_token"] as const;
export const TOKEN_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"] as const;

const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
const isName = (name: string) =>
  name.length <= 2 * LIMITS.client_name && [...name].length <= LIMITS.client_name && !CONTROL.test(name);
const isWebAddress = (uri: string) =>
  uri.length <= LIMITS.url && /^https?:\/\/[\x21-\x7e]+$/i.test(uri) && URL.canParse(uri);

/** Clients write null or nothing where they have nothing to say. */
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
  redirect_uris: `redirect_uris must be a list of 1 to ${LIMITS.client_redirects} URLs of at most ${formatLimit("url")} characters each.`,
  grant_types: "grant_types must be a list with authorization_code and optionally refresh_token.",
  response_types: "response_types must be a list with code.",
  token_endpoint_auth_method: `token_endpoint_auth_method must be one of ${TOKEN_AUTH_METHODS.join(", ")}.`,
  application_type: "application_type must be web or native.",
};

function refuse(field: string, why = WRONG[field] ?? WRONG[""] ?? field): never {
  throw new OAuthError(field === "redirect_uris" ? "invalid_redirect_uri" : "invalid_client_metadata", why);
}

/**
 * The metadata that is kept of what a client says. What it can do without is left out, not refused: grants that are
 * not served, and every field that is not listed here. A client that names no grants gets refresh tokens, though RFC
 * 7591 §2 has another default, because people would have to consent every hour. `method` is how it shows who it is
 * when it does not say.
 * @throws OAuthError that names the field.
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
  const grants = GRANT_TYPES.filter((grant) => (grant_types ?? GRANT_TYPES).includes(grant));
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

/** An application on the person's machine is answered on loopback or at a scheme of its own. */
const isWeb = (address: string) => /^https:/i.test(address);

/** Characters that are shown; a name of more says so at its end. */
const SHOWN = 60;

/**
 * The name that an assistant gives itself, as it may be shown; null when there is nothing to show. Nobody has checked
 * it, so it must not look like anything else on a page: one line, short, without characters that hide or reorder
 * their neighbours, without quotes of its own.
 */
export function parseClientName(said: unknown): string | null {
  if (typeof said !== "string") return null;
  const line = cleanText(said.slice(0, 2000).toWellFormed())
    .text.replace(/["“”„‟«»]/g, "'")
    // Marks piled on one letter grow over the lines beside it.
    .replace(/(\p{M}{3})\p{M}+/gu, "$1")
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  if (characters.length === 0) return null;
  return characters.length <= SHOWN ? line : `${characters.slice(0, SHOWN).join("").trimEnd()}…`;
}
