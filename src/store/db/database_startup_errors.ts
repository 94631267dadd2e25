// Errors of a database that does not accept work now, in a file that loads nothing of the database.

import { ConfigError } from "../config/setting_types.ts";

/** The database at DATABASE_URL is away and may come back, so the start can be tried again. */
export class StartupDatabaseUnavailableError extends ConfigError {
  /** @param reason a code of PostgreSQL or of the system, never a text of theirs */
  constructor(reason: string) {
    super("DATABASE_URL", `points to a database that cannot be opened (${reason}).`);
    this.name = "StartupDatabaseUnavailableError";
  }
}

/** The database has fewer migrations than this version. */
export class MigrationsMissingError extends Error {
  constructor() {
    super("Migrations are missing. Run belfry migrate, or restart the service.");
    this.name = "MigrationsMissing";
  }
}
