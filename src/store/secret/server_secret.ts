// The server secret: the setting, or a file of the data directory that the first start makes.

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync } from "node:fs";
import type { Config } from "../config/all_settings.ts";
import { dataPaths } from "../config/data_paths.ts";
import { MIN_SECRET_BYTES } from "../config/database_and_secret_settings.ts";
import { ConfigError } from "../config/setting_types.ts";
import { writePrivateFile } from "./private_file.ts";

/**
 * The server secret: the setting, or the one in the data directory, which is made on the first start, before the
 * database. `used`: there is a database already, which a new secret could not read.
 */
export function loadSecret(config: Pick<Config, "secret" | "dataDir">, used: boolean): string {
  if (config.secret) return config.secret;
  const path = dataPaths(config.dataDir).secret;
  if (used && !existsSync(path))
    throw new ConfigError(
      "SECRET",
      `is missing, but the database in DATA_DIR requires it. Restore ${path}, or set SECRET to its former value.`,
    );
  if (!existsSync(path)) writePrivateFile(path, `${randomBytes(32).toString("base64url")}\n`);
  const secret = readFileSync(path, "utf8").trim();
  // A short secret would not protect the encrypted data.
  if (Buffer.byteLength(secret) < MIN_SECRET_BYTES)
    throw new ConfigError("SECRET", `in ${path} is shorter than ${MIN_SECRET_BYTES} bytes. Restore that file.`);
  return secret;
}

/**
 * Stores the secret of the data directory next to the present one during `rotate`, and replaces it afterwards. A crash
 * in between leaves both, and the next start takes the one that matches the database.
 */
export async function replaceSecretFile(dataDir: string, secret: string, rotate: () => Promise<void>): Promise<void> {
  const { secret: path, nextSecret } = dataPaths(dataDir);
  writePrivateFile(nextSecret, `${secret}\n`);
  await rotate();
  renameSync(nextSecret, path);
}
