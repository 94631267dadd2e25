// Reads the settings from the environment. The only file that sees process.env. Every setting is checked at start; a
// bad one stops the start with a message that names it.

import { type Config, SETTINGS } from "./all_settings.ts";
import { readVariable } from "./secret_files.ts";
import { ConfigError } from "./setting_types.ts";
import { findUnknownSettings, rejectMisspelledSettings } from "./unknown_settings.ts";

type Env = Record<string, string | undefined>;

/**
 * Reads and checks every setting. An empty variable counts as unset; `overrides` win over the environment.
 * @throws ConfigError naming the bad one.
 */
export function loadConfig(overrides: Env = {}, environment: Env = process.env): Config {
  return loadNamedSettings(Object.keys(SETTINGS) as (keyof Config)[], overrides, environment);
}

/** Only the named settings, for commands that need no more: what is wrong with another one does not stop them. */
export function loadNamedSettings<K extends keyof Config>(
  keys: readonly K[],
  overrides: Env = {},
  environment: Env = process.env,
): Pick<Config, K> {
  const env = { ...environment, ...overrides };
  const config: Partial<Config> = {};
  for (const [key, setting] of Object.entries(SETTINGS))
    if ((keys as readonly string[]).includes(key))
      Object.assign(config, { [key]: setting.read(readVariable(env, setting.name), setting.name, config) });
  return config as Pick<Config, K>;
}

/**
 * Every setting that can be used, and of the others what is wrong: for who looks at all of them, and starts nothing.
 */
export function loadSettingsWithProblems(environment: Env = process.env): { config: Partial<Config>; wrong: string[] } {
  const config: Partial<Config> = {};
  const wrong: string[] = [];
  for (const [key, setting] of Object.entries(SETTINGS))
    try {
      Object.assign(config, { [key]: setting.read(readVariable(environment, setting.name), setting.name, config) });
    } catch (error) {
      // A setting that is derived from an invalid one has no error of its own.
      if (error instanceof ConfigError) wrong.push(error.message);
      else if (wrong.length === 0) throw error;
    }
  return { config, wrong };
}

/** Variables of the environment that look like settings and are not read. */
export const listUnknownSettings = (): string[] => findUnknownSettings(process.env);

/** The message with which a start refuses misspelt settings and unknown files, in a list; empty without any. */
export function listMisspelledSettingErrors(): string[] {
  try {
    rejectMisspelledEnvironment();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [error.message];
    throw error;
  }
}

/** Refuses a start with misspelt settings. @throws ConfigError naming the right ones */
export const rejectMisspelledEnvironment = (): void => rejectMisspelledSettings(process.env);

/**
 * The secret that a rotation changes to; null: `belfry secret rotate` makes one where a file keeps it. @throws
 * ConfigError
 */
export function readReplacementSecret(env: Env = process.env): string | null {
  return SETTINGS.secret.read(readVariable(env, "NEW_SECRET"), "NEW_SECRET", {});
}

/** The environment of a program that a person is given, with what it needs besides. */
export const extendProcessEnvironment = (more: Record<string, string>): Env => ({ ...process.env, ...more });

/** The variables of the shell, container or pod in which this service runs. */
export const readShellEnvironmentFacts = (): { path: string; inPod: boolean } => ({
  path: process.env.PATH ?? "",
  inPod: Boolean(process.env.KUBERNETES_SERVICE_HOST),
});

/** The command line's own input besides the settings: the server's address, and the key. */
interface ClientSettings {
  url: string | null;
  key: string | null;
  /**
   * The settings by which a server of these settings would be found elsewhere than where the embedded one left word.
   */
  address: string[];
  /** True if the server of these settings has a database of its own, so DATA_DIR is not used. */
  ownDatabase: boolean;
  /** Where programs keep what they know; null: where the system has it. */
  stateHome: string | null;
}

export function loadClientSettings(env: Env = process.env): ClientSettings {
  return {
    url: env.BELFRY_URL || null,
    key: readVariable(env, "BELFRY_API_KEY") ?? null,
    address: ["PUBLIC_URL", "HOST", "PORT"].filter((name) => env[name] && env[name] !== "0"),
    ownDatabase: readVariable(env, "DATABASE_URL") !== undefined,
    stateHome: env.XDG_STATE_HOME || null,
  };
}
