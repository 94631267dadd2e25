// Secrets from files: NAME_FILE names a file with the value of NAME, as orchestrators mount secrets.

import { readFileSync } from "node:fs";
import { SETTINGS } from "./all_settings.ts";
import { ConfigError } from "./setting_types.ts";

type Env = Record<string, string | undefined>;

const SUFFIX = "_FILE";

/** Secrets that are not settings of the service: the next secret of a rotation, and the key of the command line. */
const OTHER_SECRETS = ["NEW_SECRET", "BELFRY_API_KEY"];

const isSecret = (setting: object) => "secret" in setting && setting.secret === true;

/** Every variable that names a file with a secret. */
export const SECRET_FILE_PATH_VARIABLES: readonly string[] = [
  ...Object.values(SETTINGS)
    .filter(isSecret)
    .map(({ name }) => name),
  ...OTHER_SECRETS,
].map((name) => name + SUFFIX);

const FILE_SETTINGS: ReadonlySet<string> = new Set(SECRET_FILE_PATH_VARIABLES);

/**
 * The value of a variable, from the environment or, for a secret, from the file that NAME_FILE names. Line ends at
 * the end of the file are removed. Undefined if neither is set or if it is empty (rules#secret-files).
 * @throws ConfigError if both are set, or if the file is empty or cannot be read
 */
export function readVariable(env: Env, name: string): string | undefined {
  const value = refuseQuotes(env[name] || undefined, name);
  const variable = name + SUFFIX;
  const path = FILE_SETTINGS.has(variable) ? env[variable] : undefined;
  if (!path) return value;
  if (value !== undefined) throw new ConfigError(variable, `and ${name} are both set. Remove one of them.`);
  const text = readText(path, variable).replace(/[\r\n]+$/, "");
  if (text === "") throw new ConfigError(variable, "points to an empty file. Write the value to that file.");
  return refuseQuotes(text, variable);
}

/** SECRET may have quotes: a service that has used them needs them to decrypt its rows. */
const MAY_HAVE_QUOTES = /^SECRET(_FILE)?$/;

/** Env files of containers keep the quotes around a value. @throws ConfigError */
function refuseQuotes<T extends string | undefined>(value: T, name: string): T {
  if (value !== undefined && /^(["']).*\1$/s.test(value) && !MAY_HAVE_QUOTES.test(name))
    throw new ConfigError(
      name,
      "has quotation marks around its value. Container env files do not strip them, so remove them.",
    );
  return value;
}

function readText(path: string, variable: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(variable, `points to a file that cannot be read (${code}). Check its path and owner.`);
  }
}
