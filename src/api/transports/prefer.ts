// What a client would like of an answer (RFC 7240). What is malformed or not known here is passed over, as the RFC says.

/** The preferences of a header without their parameters, which are of no concern here. A comma may stand in quotes. */
function preferences(header: string): string[] {
  const found = [""];
  let quoted = false;
  let inParameters = false;
  for (let i = 0; i < header.length; i++) {
    const character = header.charAt(i);
    if (character === '"') quoted = !quoted;
    if (!quoted && character === ",") {
      found.push("");
      inParameters = false;
      continue;
    }
    if (!quoted && character === ";") inParameters = true;
    if (!inParameters) found.push(found.pop() + character);
    // What is escaped in quotes ends nothing.
    if (quoted && character === "\\") i++;
  }
  return found;
}

/**
 * `wait`: how many seconds the client would wait for an answer; null where it does not say, or not in digits. Of several the
 * first one counts.
 */
export function waitSeconds(headers: Headers): number | null {
  const header = headers.get("prefer");
  if (header === null) return null;
  const wait = preferences(header).find((preference) => /^\s*wait\s*(=|$)/i.test(preference));
  const [, plain, quoted] = /=\s*(?:(\d{1,9})|"(\d{1,9})")\s*$/.exec(wait ?? "") ?? [];
  const digits = plain ?? quoted;
  return digits === undefined ? null : Number(digits);
}
