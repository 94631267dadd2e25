// Environment variables that look like settings and are not read: misspelt ones and unknown files stop a start,
// the others are reported by `belfry doctor`.

import { SETTINGS } from "./all_settings.ts";
import { RENAMED_SETTINGS } from "./renamed_settings.ts";
import { SECRET_FILE_PATH_VARIABLES } from "./secret_files.ts";
import { ConfigError } from "./setting_types.ts";

type Env = Record<string, string | undefined>;

const SETTING_NAMES: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ name }) => name));
const NAMES: ReadonlySet<string> = new Set([...SETTING_NAMES, ...SECRET_FILE_PATH_VARIABLES]);

/** Variables that are read elsewhere, or written into the environment of programs that are run. */
const OTHER_VARIABLES = /^(NEW_SECRET|BELFRY_(URL|API_KEY)|XDG_STATE_HOME)$/;

/** Kubernetes and Docker describe a service named `belfry` or `database` in the environment of its neighbours. */
const isServiceLink = (name: string, value = "") =>
  /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name) || /^(tcp|udp|sctp):\/\//.test(value);

/** First parts of our settings' names with which other programs' variables also begin. */
const COMMON = ["LOG", "REQUESTS", "CLIENT", "POSTGRES"];

const FAMILIES = new Set(["BELFRY", ...[...SETTING_NAMES].filter((name) => name.includes("_")).map(firstWord)]);
for (const common of COMMON) FAMILIES.delete(common);

function firstWord(name: string): string {
  return name.split("_")[0] ?? "";
}

/** Variables that begin as settings do, or differ from one in letter case, and that this version does not read. */
export function findUnknownSettings(environment: Env): string[] {
  return Object.keys(environment)
    .filter((name) => !NAMES.has(name) && !OTHER_VARIABLES.test(name) && !isServiceLink(name, environment[name]))
    .filter((name) => NAMES.has(name.toUpperCase()) || (/^[A-Z0-9]+_/.test(name) && FAMILIES.has(firstWord(name))))
    .sort();
}

/** The maximum number of wrong, missing, extra or swapped letters in a misspelt name. */
const maxTypos = (name: string) => (name.length < 12 ? 2 : 3);
const WORDS = new Set([...NAMES].flatMap((name) => name.split("_")));
/** Shorter names resemble variables of other programs, such as HOME and HOST. */
const MIN_LENGTH = 8;

/** Names of the same setting that differ too much, as other programs call it, or that are short. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["TRUST_PROXY", "TRUSTED_PROXIES"],
  ["WORKER", "WORKERS"],
]);
const withoutUnderscores = (name: string) => name.replaceAll("_", "");

/**
 * The setting that a variable was meant to be. It differs in letter case, in underscores or in few letters, or has the
 * prefix `BELFRY_`. Null without a similar one.
 */
export function suggestSetting(name: string): string | null {
  const upper = name.toUpperCase();
  for (const near of [upper, upper.replace(/^BELFRY_/, "")]) if (NAMES.has(near)) return near;
  for (const setting of NAMES) if (withoutUnderscores(upper) === withoutUnderscores(setting)) return setting;
  const known = OTHER_NAMES.get(upper);
  if (known) return known;
  if (name.length < MIN_LENGTH) return null;
  for (let typos = 1; typos <= maxTypos(name); typos++)
    for (const setting of NAMES) if (isNear(upper, setting, typos) && isSpelling(upper, setting)) return setting;
  return null;
}

/**
 * Refuses a start with misspelt or renamed settings, all of them in one message (rules#misspelt-settings).
 * @throws ConfigError naming each variable and the setting that it was meant to be
 */
export function rejectMisspelledSettings(environment: Env): void {
  const candidates = Object.keys(environment).filter(
    (name) => /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name) && !NAMES.has(name) && !OTHER_VARIABLES.test(name),
  );
  const found = candidates.sort().flatMap((name) => {
    const renamed = RENAMED_SETTINGS.get(name);
    if (renamed) return [`${name} is now called ${renamed}.`];
    const intended = isServiceLink(name, environment[name]) ? null : suggestSetting(name);
    if (intended) return [`${name} is not a setting. Did you mean ${intended}?`];
    return isUnknownFile(name)
      ? [`${name} is not a setting; docs/reference/settings.md lists the settings that are read from files.`]
      : [];
  });
  if (found.length > 0)
    throw new ConfigError(found.join(" "), found.length > 1 ? "Rename or remove them." : "Rename or remove it.");
}

/** True for a variable that seems to name a file with the value of a setting. */
function isUnknownFile(name: string): boolean {
  const [, base = ""] = /^(.+)_FILE$/.exec(name) ?? [];
  return SETTING_NAMES.has(base) || (base.includes("_") && FAMILIES.has(firstWord(base)));
}

/** False where one part differs too much: DATABASE_HOST is not a spelling of DATABASE_POOL_SIZE. */
function isSpelling(name: string, setting: string): boolean {
  const [words, intended] = [name.split("_"), setting.split("_")];
  if (words.length !== intended.length) return true;
  return words.every((word, i) => {
    const right = intended[i] ?? "";
    if (WORDS.has(word) && !word.startsWith(right) && !right.startsWith(word)) return false;
    return isNear(word, right, Math.floor((Math.max(word.length, right.length) - 1) / 2));
  });
}

/**
 * Reports if one name becomes the other by inserting, removing, replacing or swapping at most this number of letters.
 */
function isNear(a: string, b: string, typos: number): boolean {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const [restA, restB] = [a.slice(same), b.slice(same)];
  if (restA === "" || restB === "") return restA.length + restB.length <= typos;
  if (typos === 0 || Math.abs(restA.length - restB.length) > typos) return false;
  if (restA[0] === restB[1] && restA[1] === restB[0] && isNear(restA.slice(2), restB.slice(2), typos - 1)) return true;
  const edits = [
    [restA.slice(1), restB.slice(1)],
    [restA.slice(1), restB],
    [restA, restB.slice(1)],
  ] as const;
  return edits.some(([one, other]) => isNear(one, other, typos - 1));
}
