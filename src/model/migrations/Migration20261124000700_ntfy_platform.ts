// All steps up to 0.1.0 as one, which bears the name of their last
// (docs/decisions/0052-one-migration-per-release.md): what that version had made of an empty database. The sign-in
// library's tables are as it prints them (auth.sql).

import { readFileSync } from "node:fs";
import { Migration } from "@mikro-orm/migrations";

export class Migration20261124000700_ntfy_platform extends Migration {
  override up(): void {
    for (const file of ["auth.sql", "0.1.0.sql"])
      for (const statement of readFileSync(new URL(file, import.meta.url), "utf8")
        .replace(/^--.*\n/gm, "")
        .split(/;\n+(?! )/))
        this.addSql(statement.trim());
  }
}
