// Requests and errors of OAuth: parameters must follow RFC 6749 (appendix A) and occur once, checked before any other
// use. Errors use its codes (§5.2, RFC 7591 §3.2.2) with fixed texts of ours.

type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_client_metadata"
  | "invalid_redirect_uri"
  | "interaction_required"
  | "temporarily_unavailable"
  | "server_error";

export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    code: OAuthErrorCode,
    description: string,
    options: { status?: number; headers?: Record<string, string> } = {},
  ) {
    super(description);
    this.name = "OAuthError";
    this.code = code;
    this.status = options.status ?? 400;
    this.headers = options.headers ?? {};
  }
}

/** "VSCHAR", and the space that separates scopes. */
const PRINTABLE = /^[\x20-\x7e]*$/;
/** RFC 8707 lets a request name several resources. */
const MAY_REPEAT = new Set(["resource"]);

/** Returns the problem of the parameters as a fixed sentence, or null. */
export function findOAuthSyntaxProblem(parameters: URLSearchParams): string | null {
  const seen = new Set<string>();
  for (const [name, value] of parameters) {
    if (!PRINTABLE.test(name) || !PRINTABLE.test(value))
      return "A parameter contains characters other than printable ASCII.";
    if (seen.has(name) && !MAY_REPEAT.has(name)) return "A parameter is repeated.";
    seen.add(name);
  }
  return null;
}

/** The same of `Authorization: Basic`, in which a client may name itself and its secret. */
export function validateBasicHeaderCharacters(authorization: string | null): string | null {
  const encoded = /^Basic +(.*)$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return null;
  const pair = Buffer.from(encoded, "base64").toString("latin1");
  const decoded = new URLSearchParams(`pair=${pair.replaceAll("&", "%26")}`).get("pair") ?? "";
  return PRINTABLE.test(pair) && PRINTABLE.test(decoded)
    ? null
    : "The Authorization header contains characters other than printable ASCII.";
}
