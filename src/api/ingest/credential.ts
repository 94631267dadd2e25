// Where a request of another program bears its key. All of them are our own keys, found by the ordinary look-up.

import { bearerToken } from "../../identity/auth/tokens.ts";

/** The places beside Bearer and Basic. */
export interface Places {
  /** Parameters that are the key itself. */
  parameters?: readonly string[];
  /** Headers that are. */
  headers?: readonly string[];
  /** Parameters that are the value of an Authorization header, in base64. */
  wrapped?: readonly string[];
}

/** Where ntfy's programs put it, whether they publish or listen. */
export const NTFY_PLACES = { wrapped: ["auth", "authorization"] };

/** Basic: whoever is named, the password is the key; some programs know only a user, so one without a password is taken for it. */
function basicToken(headers: Headers): string | null {
  const [, text = ""] = /^Basic +([A-Za-z0-9+/_=-]+) *$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (text === "") return null;
  const pair = Buffer.from(text, "base64").toString();
  const colon = pair.indexOf(":");
  const [user, password] = colon < 0 ? [pair, ""] : [pair.slice(0, colon), pair.slice(colon + 1)];
  return password || user || null;
}

export function tokenOf(
  request: Request,
  { parameters = [], headers = [], wrapped = [] }: Places,
): string | null {
  const plain = bearerToken(request.headers) ?? basicToken(request.headers);
  if (plain !== null) return plain;
  for (const name of headers) {
    const value = request.headers.get(name);
    if (value) return value;
  }
  const query = new URL(request.url).searchParams;
  for (const name of parameters) {
    const value = query.get(name);
    if (value) return value;
  }
  const value = wrapped.map((name) => query.get(name)).find(Boolean);
  if (!value) return null;
  // A header takes no line ends, so what is no header is no credential either.
  const said = Buffer.from(value, "base64").toString("latin1");
  if (!/^[\x20-\x7e]+$/.test(said)) return null;
  const whole = new Headers({ authorization: said });
  return bearerToken(whole) ?? basicToken(whole);
}
