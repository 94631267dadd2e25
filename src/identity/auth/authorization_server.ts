// Where the authorization server lives, which pages of ours it sends people to, and how long its tokens last.

/** Where the library's own routes live, and so the issuer of tokens. */
export const AUTH_PATH = "/api/auth";

/** Our own pages that the library sends people to. */
export const PAGES = { signIn: "/console/sign-in", consent: "/console/consent" } as const;

/** Access tokens are looked at again on every request, so their length only bounds how long a key set must be kept. */
export const ACCESS_TOKEN_SECONDS = 3600;
/** Each refresh begins it anew. */
export const REFRESH_TOKEN_SECONDS = 30 * 24 * 3600;
