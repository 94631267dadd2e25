#!/usr/bin/env node
// Writes the next migration: the differences between the entities and the existing migrations. It includes triggers and
// functions, which the ORM's own `migration:create` and `migration:check` ignore.
// `npm run migration -- <name> ["What changes and why."]`. It tries the statements on an empty database of its own
// (TEST_DATABASE_URL may name another server); edit the file for changes to existing rows.

import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTestServer } from "../test/support/postgres_server.ts";
import { openSchemaDatabases } from "./schema/databases.ts";
import { createMigrationName, renderMigrationFile } from "./schema/migration_file.ts";
import { listPendingStatements } from "./schema/migration_statements.ts";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "src/model/migrations");
const NO_SENTENCE = "To be written: what changes, and why.";

async function main([name, sentence = NO_SENTENCE]: string[]): Promise<number> {
  if (!/^[a-z][a-z0-9_]*$/.test(name ?? "")) {
    console.error('Usage: npm run migration -- <name_in_small_letters> ["What changes and why."]');
    return 2;
  }
  const server = await openTestServer();
  try {
    const databases = await openSchemaDatabases(server.url, `belfry_migration_${process.pid}`);
    const { statements, left } = await listPendingStatements(databases).finally(databases.close);
    if (statements.length > 0) {
      const className = createMigrationName(readdirSync(FOLDER), name!, new Date());
      const file = join(FOLDER, `${className}.ts`);
      writeFileSync(file, renderMigrationFile(className, sentence, statements));
      execFileSync(join(ROOT, "node_modules/.bin/biome"), ["format", "--write", file], { stdio: "ignore" });
      console.log(`src/model/migrations/${className}.ts: ${statements.length} statements. Read it before you keep it.`);
    }
    for (const difference of left) console.error("To be written by hand:", difference);
    if (statements.length + left.length === 0) console.log("The migrations match the entities and triggers.");
    return left.length > 0 ? 1 : 0;
  } finally {
    await server.close();
  }
}

process.exitCode = await main(process.argv.slice(2));
