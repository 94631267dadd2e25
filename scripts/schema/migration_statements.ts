// The statements that bring a migrated database to the entities' schema. The ORM's own comparison comes first.
// Differences that it cannot see follow from PostgreSQL's catalogue.

import type { Orm } from "../../src/store/db/orm.ts";
import { compareSchemas, readSchemaFacts, type SchemaDifference } from "./catalogue.ts";
import { forkEntityManager, getSchemaGenerator, type SchemaDatabases } from "./databases.ts";

/** The ORM's own statements for the migrated database, one statement a string. */
export async function listOrmStatements({ migrated }: SchemaDatabases): Promise<string[]> {
  const sql = await getSchemaGenerator(migrated).getUpdateSchemaSQL({ wrap: false });
  const statements = sql.split(/;\n+/).map((statement) => statement.trim().replace(/;$/, ""));
  return unquoted(migrated, statements.filter(Boolean));
}

/** Names without the quotation marks that they do not need. */
async function unquoted(orm: Orm, statements: string[]): Promise<string[]> {
  const QUOTED = /'(?:[^']|'')*'|"([^"]+)"/g;
  const names = statements.flatMap((text) => [...text.matchAll(QUOTED)].map(([, name]) => name ?? ""));
  const rows = await forkEntityManager(orm).execute<{ name: string; plain: string }[]>(
    "select name, quote_ident(name) as plain from jsonb_array_elements_text(?::jsonb) name",
    [JSON.stringify(names)],
  );
  const plain = new Map(rows.map((row) => [row.name, row.plain]));
  return statements.map((text) => text.replace(QUOTED, (all, name) => (name === undefined ? all : plain.get(name)!)));
}

/** The source's own text of a function or a trigger. */
const statementFor = (beside: readonly string[], kind: "function" | "trigger", name: string) =>
  beside.find((text) => text.startsWith(`create ${kind} ${name.replace(/\(.*/, "")}`));

const storageOf = (definition: string) =>
  new Map([...definition.matchAll(/([a-z_]+)=([^,)]+)/g)].map(([, key, value]) => [key!, value!]));

/** The statements that fix a difference that the ORM does not see; empty when a person must decide. */
function listCatalogueStatements(
  { kind, on, name, migrated, declared }: SchemaDifference,
  beside: readonly string[],
): string[] {
  const [was, is] = [migrated !== null, declared !== null];
  const some = (...parts: (string | false | null | undefined)[]) => parts.filter((part) => typeof part === "string");
  switch (kind) {
    case "function":
      if (!is) return [`drop function ${name}`];
      return some(statementFor(beside, kind, name)?.replace(/^create function/, "create or replace function"));
    case "trigger":
      return some(was && `drop trigger ${name} on ${on}`, is && statementFor(beside, kind, name));
    case "index":
      return some(was && `drop index ${name}`, declared);
    case "constraint": {
      const parts = some(was && `drop constraint ${name}`, is && `add constraint ${name} ${declared}`);
      return [`alter table ${on} ${parts.join(", ")}`];
    }
    case "table": {
      if (!was || !is) return [];
      const [before, after] = [storageOf(migrated!), storageOf(declared!)];
      const set = [...after].filter(([key, value]) => before.get(key) !== value);
      const reset = [...before.keys()].filter((key) => !after.has(key));
      const parts = some(
        set.length > 0 && `set (${set.map((pair) => pair.join(" = ")).join(", ")})`,
        reset.length > 0 && `reset (${reset.join(", ")})`,
      );
      return parts.length > 0 ? [`alter table ${on} ${parts.join(", ")}`] : [];
    }
    default:
      return [];
  }
}

interface PendingStatements {
  statements: string[];
  /** Differences that are left when they have run. */
  left: SchemaDifference[];
}

/**
 * The statements of a migration. Each statement is tried on the migrated database as it is found. Afterwards it equals
 * the entities' schema, except for the rest. @throws PostgreSQL's error for a statement that it refuses.
 */
export async function listPendingStatements(databases: SchemaDatabases): Promise<PendingStatements> {
  const { source, migrated, declared } = databases;
  const wanted = await readSchemaFacts(forkEntityManager(declared));
  const findDifferences = async () => compareSchemas(await readSchemaFacts(forkEntityManager(migrated)), wanted);
  const statements: string[] = [];
  const take = async (texts: string[]) => {
    for (const text of texts) {
      await forkEntityManager(migrated)
        .execute(text)
        .catch((error: Error) => {
          throw new Error(`PostgreSQL refuses "${text}": ${error.message}`, { cause: error });
        });
      statements.push(text);
    }
  };
  const applyDifferences = (list: SchemaDifference[]) =>
    take(list.flatMap((difference) => listCatalogueStatements(difference, source.beside)));
  // Objects that a trigger names cannot be changed while it exists.
  const standing = (await findDifferences()).filter(({ kind, migrated: was }) => kind === "trigger" && was !== null);
  await applyDifferences(standing.map((difference) => ({ ...difference, declared: null })));
  await take(await listOrmStatements(databases));
  // A trigger needs its function, a function what it names.
  const late = ["function", "trigger"];
  await applyDifferences((await findDifferences()).sort((a, b) => late.indexOf(a.kind) - late.indexOf(b.kind)));
  return { statements, left: await findDifferences() };
}
