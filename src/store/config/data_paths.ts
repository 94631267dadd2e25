// Paths below DATA_DIR.

import { join } from "node:path";

export function dataPaths(dataDir: string) {
  return {
    lock: join(dataDir, "instance.lock"),
    /** The embedded database (see store/embedded/data_directory.ts), and the database of an earlier version. */
    database: join(dataDir, "database.json"),
    earlier: join(dataDir, "pg"),
    assets: join(dataDir, "assets"),
    secret: join(dataDir, "secret"),
    nextSecret: join(dataDir, "secret.next"),
    /** Exists while a restore into an unused folder is incomplete. */
    restoring: join(dataDir, "restoring"),
    credentials: join(dataDir, "credentials.json"),
  };
}
