// The parameters of the authorization server's requests, as texts: what RFC 6749 (appendix A) lets stand in them at all,
// and that each stands there once. Asked before anything else looks at them.

/** "VSCHAR", and the space that separates scopes. */
const PRINTABLE = /^[\x20-\x7e]*$/;
/** RFC 8707 lets a request name several resources. */
const MAY_REPEAT = new Set(["resource"]);

/** What is wrong with the parameters, as a fixed sentence; null when nothing is. */
export function parameterProblem(parameters: URLSearchParams): string | null {
  const seen = new Set<string>();
  for (const [name, value] of parameters) {
    if (!PRINTABLE.test(name) || !PRINTABLE.test(value))
      return "A parameter holds characters other than printable ASCII.";
    if (seen.has(name) && !MAY_REPEAT.has(name)) return "A parameter stands there more than once.";
    seen.add(name);
  }
  return null;
}

/** The same of `Authorization: Basic`, in which a client may name itself and its secret. */
export function credentialsProblem(authorization: string | null): string | null {
  const encoded = /^Basic +(.*)$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return null;
  const pair = Buffer.from(encoded, "base64").toString("latin1");
  const decoded = new URLSearchParams(`pair=${pair.replaceAll("&", "%26")}`).get("pair") ?? "";
  return PRINTABLE.test(pair) && PRINTABLE.test(decoded)
    ? null
    : "The Authorization header holds characters other than printable ASCII.";
}
