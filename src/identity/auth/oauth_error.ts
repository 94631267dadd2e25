// A refusal in OAuth's own words (RFC 6749 §5.2, RFC 7591 §3.2.2). Its description is our own fixed text.

export type OAuthErrorCode =
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
