// The files of the first start for the command line on the same machine: the first key, and the server's address.

import { readFileSync } from "node:fs";
import type { Config } from "../config/all_settings.ts";
import { dataPaths } from "../config/data_paths.ts";
import { writePrivateFile } from "./private_file.ts";

export interface FirstCredentials {
  url: string;
  /** The one-time link that makes the owner's account, once it is made. */
  console?: string;
  workspace_id: string;
  member_id: string;
  key: string;
}

/** Null: missing or unreadable. */
export function readCredentials(dataDir: string): FirstCredentials | null {
  try {
    return JSON.parse(readFileSync(dataPaths(dataDir).credentials, "utf8"));
  } catch {
    return null;
  }
}

/** A sentence about the user who may read the file; null if this user may read it, or if it is missing. */
export function describeDeniedCredentials(dataDir: string): string | null {
  const { credentials } = dataPaths(dataDir);
  try {
    readFileSync(credentials);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES"
      ? `This user does not have permission to read ${credentials}. Run the command as the user of the running service.`
      : null;
  }
}

/**
 * Stores the current address of the server, through which the command line and the owner's link find it. The secret of
 * the link stays the same.
 */
export function updateServerUrlInCredentials({ dataDir, publicUrl }: Pick<Config, "dataDir" | "publicUrl">): void {
  const credentials = readCredentials(dataDir);
  if (!credentials) return;
  const link = URL.parse(credentials.console ?? "");
  const current = { ...credentials, url: publicUrl };
  if (link) current.console = publicUrl + link.pathname + link.hash;
  if (credentials.url !== current.url || credentials.console !== current.console)
    writeFirstCredentials(dataDir, current);
}

export function writeFirstCredentials(dataDir: string, credentials: FirstCredentials): void {
  writePrivateFile(dataPaths(dataDir).credentials, `${JSON.stringify(credentials, null, 2)}\n`);
}
