// The configuration of MikroORM's own command line (`npx mikro-orm debug`, `migration:pending`, `migration:check` …):
// the service's options, on the database of DATABASE_URL, or on the embedded one of DATA_DIR while a server runs on it.

import { Migrator } from "@mikro-orm/migrations";
import { defineConfig } from "@mikro-orm/postgresql";
import { loadNamedSettings } from "./src/store/config/load_settings.ts";
import { ormOptions } from "./src/store/db/orm.ts";
import { findRunningDatabase } from "./src/store/embedded/cluster.ts";

const { databaseUrl, dataDir } = loadNamedSettings(["databaseUrl", "dataDir"]);

/** @throws when no server runs on the folder. */
function embedded(): string {
  const running = findRunningDatabase(dataDir);
  if (!running)
    throw new Error(
      `There is no database to speak to: start a server on ${dataDir} (npm start), or name another database by ` +
        "DATABASE_URL.",
    );
  process.once("exit", running.release);
  return running.url;
}

export default defineConfig({ ...ormOptions({ databaseUrl: databaseUrl ?? embedded() }), extensions: [Migrator] });
