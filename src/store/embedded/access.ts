// Who may connect to the embedded database: it stands in files that the user who runs PostgreSQL cannot change.

import { chmodSync, chownSync } from "node:fs";
import { join } from "node:path";
import { writePrivate } from "../secret/private_file.ts";
import type { Place } from "./place.ts";
import { ownUser, type Runner } from "./runner.ts";

/** The role that owns everything, and the database. */
export const ROLE = "belfry";
export const DATABASE = "belfry";
const HEADER = "# Belfry writes this file at each start.";

/**
 * Who may connect: over the socket, the operating system's own word for who calls. Only the service's user and root are
 * the role; another program of the user that runs the server is not. Written at each start, since the service's user may
 * have changed. The files lie beside the cluster and are the service's own: nothing is ever written into the folder of a lent
 * user, who could plant a link there. Returns the server's settings that name them.
 */
export function writeAccess({ home }: Place, { gid }: Runner): Record<string, string> {
  const own = ownUser();
  const callers = own === "root" ? [own] : [own, "root"];
  const files = {
    hba: ["local all all peer map=belfry"],
    ident: callers.map((name) => `belfry "${name}" ${ROLE}`),
  };
  const settings: Record<string, string> = {};
  for (const [name, lines] of Object.entries(files)) {
    const path = join(home, `pg_${name}.conf`);
    writePrivate(path, `${HEADER}\n${lines.join("\n")}\n`);
    if (gid !== null) {
      chownSync(path, -1, gid);
      chmodSync(path, 0o640);
    }
    settings[`${name}_file`] = path;
  }
  return settings;
}
