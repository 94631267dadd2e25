// Private-use URI schemes for the redirects of assistants. A short list of known ones extends the reverse-domain names
// of RFC 8252 §7.1, and another list has the forbidden ones. This module has no dependencies of ours.

/** Scheme → the program that people know by it. Programs that do not follow RFC 8252, and that people have. */
export const KNOWN_REDIRECT_SCHEMES: Readonly<Record<string, string>> = {
  cursor: "Cursor",
  vscode: "Visual Studio Code",
  "vscode-insiders": "Visual Studio Code Insiders",
  vscodium: "VSCodium",
  windsurf: "Windsurf",
  "windsurf-next": "Windsurf Next",
  zed: "Zed",
  claude: "Claude",
  kiro: "Kiro",
  trae: "Trae",
};

/** Schemes that a browser or the system would run, read, show or send by itself. No setting can allow them. */
const UNSAFE_SCHEMES = new Set(
  (
    "javascript data vbscript file blob about filesystem view-source jar chrome resource intent ftp ws wss http " +
    "https mailto tel sms ssh telnet smb ldap"
  ).split(" "),
);

/** Names of parts of a system, which no assistant's own program has: its shortcuts, its settings, its shell. */
const OF_SYSTEMS =
  /^(?:x-|(?:com\.(?:apple|android|google\.android|microsoft\.windows)|android|shell|system|windows)(?:\.|$))/;

const SHAPE = /^[a-z][a-z0-9+.-]{0,39}$/;
const REVERSE_DOMAIN = /^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

/** May an operator add this scheme, given in lower case and without its colon? */
export const canAddRedirectScheme = (scheme: string): boolean =>
  SHAPE.test(scheme) && !UNSAFE_SCHEMES.has(scheme) && !OF_SYSTEMS.test(scheme);

/**
 * Reports if this, in lower case and without its colon, is a permitted scheme of redirects. `more` are the operator's
 * own.
 */
export function isAllowedPrivateRedirectScheme(scheme: string, more: readonly string[] = []): boolean {
  if (!canAddRedirectScheme(scheme)) return false;
  return Object.hasOwn(KNOWN_REDIRECT_SCHEMES, scheme) || more.includes(scheme) || REVERSE_DOMAIN.test(scheme);
}
