// The entities are the schema's source. The migrations turn an empty database into the entities' schema, to the last
// check, index, generated column and trigger. The next migration is generated from them.

import { defineEntity, type EntitySchema, p } from "@mikro-orm/core";
import { getMigrations } from "better-auth/db/migration";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { compareSchemas, readSchemaFacts, type SchemaDifference } from "../../scripts/schema/catalogue.ts";
import {
  forkEntityManager,
  openSchemaDatabases,
  type SchemaDatabases,
  type SchemaSource,
  SOURCE,
} from "../../scripts/schema/databases.ts";
import { createMigrationName, renderMigrationFile } from "../../scripts/schema/migration_file.ts";
import { listOrmStatements, listPendingStatements } from "../../scripts/schema/migration_statements.ts";
import { ReservedHandle } from "../../src/model/tables/channel.ts";
import { ENTITIES, EXTRA_SCHEMA_STATEMENTS } from "../../src/model/tables/schema.ts";

let opened = 0;
const open = (source?: SchemaSource) => {
  const { url, template } = inject("database");
  return openSchemaDatabases(url, `${template}_schema_${++opened}`, source);
};

/** The information that a reader needs to continue: the place, the difference, and the command. */
const told = ({ kind, on, name, migrated, declared }: SchemaDifference) =>
  [
    `${kind} ${on && kind !== "table" ? `${name} of table ${on}` : name}:`,
    `  the migrations make  ${migrated ?? "nothing"}`,
    `  the entities have     ${declared ?? "nothing"}`,
    "  Fix src/model/tables or src/model/fields, or run: npm run migration -- <name>",
  ].join("\n");

let databases: SchemaDatabases;
beforeAll(async () => {
  databases = await open();
});
afterAll(() => databases.close());

describe("the migrations on an empty database", () => {
  test("equals the entities, by PostgreSQL's own catalogue", async () => {
    const migrated = await readSchemaFacts(forkEntityManager(databases.migrated));
    // There is something to compare, of every kind.
    for (const kind of ["table", "column", "constraint", "index", "trigger", "function"])
      expect(migrated.filter((fact) => fact.kind === kind).length).toBeGreaterThan(5);
    const found = compareSchemas(migrated, await readSchemaFacts(forkEntityManager(databases.declared)));
    expect(found.map(told).join("\n")).toBe("");
  });

  test("leaves the ORM's comparison nothing to do", async () => {
    expect(await listOrmStatements(databases)).toEqual([]);
  });

  test("leaves the sign-in library's own schema as the library wants it", async () => {
    const { createBetterAuth } = await import("../../src/identity/auth/better_auth.ts");
    const { library } = createBetterAuth({
      orm: databases.migrated,
      grants: {} as never,
      secret: "a secret of the tests that is long enough",
      publicUrl: "http://localhost:8787",
    });
    const { toBeCreated, toBeAdded } = await getMigrations(library.options);
    // Otherwise: what the library prints (compileMigrations) belongs into a migration of its own.
    expect({ toBeCreated, toBeAdded }).toEqual({ toBeCreated: [], toBeAdded: [] });
  });
});

describe("the next migration", () => {
  /** The entities with one of them changed; nothing refers to this one. */
  const changed = (entity: unknown, beside = EXTRA_SCHEMA_STATEMENTS): SchemaSource => ({
    entities: [...ENTITIES.filter((one) => (one as unknown) !== ReservedHandle), entity] as EntitySchema[],
    beside,
  });
  const pending = async (source?: SchemaSource) => {
    const own = await open(source);
    return listPendingStatements(own).finally(own.close);
  };

  test("has nothing to do while nothing has changed", async () => {
    expect(await pending(SOURCE)).toEqual({ statements: [], left: [] });
  });

  test("alters the table of an entity that changed", async () => {
    const entity = defineEntity({
      name: "ReservedHandle",
      tableName: "reserved_handle",
      checks: [{ name: "reserved_handle_note", expression: "length(note) <= 80" }],
      indexes: [{ name: "reserved_handle_reason", properties: ["reason"], where: "reason is not null" }],
      properties: {
        handle: p.text().primary().defaultRaw("md5(now()::text)"),
        reason: p.enum(["suspended", "staff"]).nullable(),
        note: p.text().default(""),
      },
    });
    const { statements, left } = await pending(changed(entity));
    expect(left).toEqual([]);
    expect(statements).toEqual([
      "alter table reserved_handle add reason text null, add note text not null default ''",
      "alter table reserved_handle alter column handle set default md5(now()::text)",
      "create index reserved_handle_reason on reserved_handle (reason) where reason is not null",
      "alter table reserved_handle add constraint reserved_handle_note check (length(note) <= 80)",
      "alter table reserved_handle add constraint reserved_handle_reason_check check (reason in ('suspended', " +
        "'staff'))",
    ]);
  });

  test("drops what an entity no longer has, and makes a new table", async () => {
    const entity = defineEntity({
      name: "ReservedHandle",
      tableName: "given_up_handle",
      properties: { handle: p.text().primary() },
    });
    const { statements, left } = await pending(changed(entity));
    expect(left).toEqual([]);
    expect(statements).toEqual([
      "create table given_up_handle (handle text not null, primary key (handle))",
      "drop table if exists reserved_handle cascade",
    ]);
  });

  test("replaces a function, a trigger and a table's storage that changed", async () => {
    const beside = EXTRA_SCHEMA_STATEMENTS.map((statement) =>
      statement
        .replace("create function delete_alert_reports() returns trigger language plpgsql as $$\n  declare", (all) =>
          `${all}\n    -- Reports first.`.replace("$$", "$$$$"),
        )
        .replace("update of muted on", "update of muted, pusher_id on")
        .replace("channel_state set (fillfactor = 50)", "channel_state set (fillfactor = 60)"),
    );
    const { statements, left } = await pending({ ...SOURCE, beside });
    expect(left).toEqual([]);
    expect(statements.map((statement) => statement.slice(0, 60).replace(/\s+/g, " "))).toEqual([
      "drop trigger subscription_muted on subscription",
      "alter table channel_state set (fillfactor = 60)",
      "create or replace function delete_alert_reports() returns tr",
      "create trigger subscription_muted after update of muted, pus",
    ]);
  });

  test("lists what is left to write by hand", async () => {
    const entity = defineEntity({
      name: "ReservedHandle",
      tableName: "reserved_handle",
      properties: { handle: p.text().primary() },
    });
    const beside = [...EXTRA_SCHEMA_STATEMENTS, "create view taken as select handle from reserved_handle"];
    const { statements, left } = await pending(changed(entity, beside));
    expect(statements).toEqual([]);
    expect(left.map(({ kind, name, migrated }) => ({ kind, name, migrated }))).toEqual([
      { kind: "other", name: "taken", migrated: null },
    ]);
    expect(told(left[0]!)).toMatch(
      /^other taken:\n {2}the migrations make {2}nothing\n[\s\S]*npm run migration -- <name>$/,
    );
  });

  test("is a file like those that are there, and sorts behind them", () => {
    const name = createMigrationName(
      ["Migration20261120000001_a.ts", "auth.sql"],
      "b",
      new Date("2026-11-22T01:02:03Z"),
    );
    expect(name).toBe("Migration20261122010203_b");
    expect(createMigrationName([`${name}.ts`], "c", new Date(0))).toBe("Migration20261122010204_c");
    expect(renderMigrationFile(name, "Why.", ["alter table a add b text null", 'drop index "A`"'])).toBe(`// Why.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122010203_b extends Migration {
  override up(): void {
    this.addSql("alter table a add b text null");
    this.addSql(\`drop index "A\\\`"\`);
  }
}
`);
  });
});
