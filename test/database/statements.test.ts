// Every statement against a migrated database: its declaration matches PostgreSQL's description. Also the comparison
// itself, with statements that are wrong on purpose.

import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { loadAllStatements } from "../../scripts/all_statements.ts";
import {
  array,
  bigint,
  boolean,
  bytea,
  date,
  float8,
  int,
  jsonb,
  neverNull,
  nullable,
  nullableByOuterJoin,
  smallint,
  text,
  textEnum,
  timestamptz,
  uuid,
} from "../../src/model/fields/sql_statement_types.ts";
import { CHANNEL_STATUSES } from "../../src/model/tables/channel.ts";
import { createOrm, type Orm } from "../../src/store/db/orm.ts";
import {
  type AnyStatement,
  createStatementDefiner,
  getKysely,
  runStatement,
  type StatementRow,
} from "../../src/store/db/statement.ts";
import {
  type CatalogueClient,
  findReadOnlyDifference,
  findStatementDifferences,
  readCatalogue,
} from "../support/statement_checks.ts";
import { freshDatabase } from "../support/world.ts";

const defineStatement = createStatementDefiner("upkeep");

let orm: Orm;
let client: CatalogueClient & { end(): Promise<void> };
let catalogue: Awaited<ReturnType<typeof readCatalogue>>;
let remove: () => Promise<void>;

beforeAll(async () => {
  const fresh = await freshDatabase();
  remove = fresh.remove;
  orm = createOrm({ databaseUrl: fresh.settings.DATABASE_URL! });
  const pool = await (orm.em.getConnection() as any).getNativeClient();
  // The driver's own client: ours ends with the first write that is refused, as on a server that takes none any more.
  const Plain = Object.getPrototypeOf(pool.Client);
  client = new Plain(pool.options);
  await (client as any).connect();
  catalogue = await readCatalogue(client);
});
afterAll(async () => {
  await client?.end();
  await orm?.close(true);
  await remove?.();
});

// An index serves a limit that stays the same for a statement, as `now()` does. Otherwise a window of seconds costs the
// whole history.
test("no statement limits its rows by a moving clock", async () => {
  const bounded = (await loadAllStatements()).filter(({ text }) =>
    /\b(?:(?:created_at|visible_at) >=? clock_timestamp\(\) -|next_fill_at <=? clock_timestamp\(\))/.test(text),
  );
  expect(bounded.map(({ name }) => name)).toEqual([]);
});

test("every statement matches the database's description", async () => {
  const all = await loadAllStatements();
  expect(all.length).toBeGreaterThan(MANY);
  const found: string[] = [];
  for (const statement of all)
    found.push(
      ...(await findStatementDifferences(client, catalogue, statement)),
      ...[await findReadOnlyDifference(client, statement)].filter((difference) => difference !== null),
    );
  expect(found).toEqual([]);
});

/** Fewer were not all. */
const MANY = 100;

describe("the comparison", () => {
  const wrongIn = (statement: AnyStatement) => findStatementDifferences(client, catalogue, statement);

  test("agrees with a statement that is right", async () => {
    const right = defineStatement("wrong_in_nothing", {
      parameters: { id: uuid, before: nullable(timestamptz) },
      columns: {
        handle: text,
        city: nullable(text),
        status: textEnum(CHANNEL_STATUSES),
        muted: nullableByOuterJoin(boolean),
        long: neverNull(text),
        n: int,
      },
      text: `select p.handle, p.city, p.status, s.muted, p.long, 1 as n from pusher p
        left join subscription s on s.pusher_id = p.id
        where p.id = $id and p.long is not null and p.created_at < coalesce($before::timestamptz, 'infinity')`,
    });
    expect(await wrongIn(right)).toEqual([]);
  });

  test("detects statements declared as reads that write, lock or fail, and undeclared reads", async () => {
    await client.query(
      "create function note_alert() returns text language sql as 'insert into alert default values returning title'",
    );
    const reading = (name: string, from: string) =>
      defineStatement.reading(`wrong_${name}`, { text: `select ${from}` });
    expect(await findReadOnlyDifference(client, reading("writes", "note_alert()"))).toBe(
      "wrong_writes: is declared to read, the database refuses it with 25006",
    );
    expect(await findReadOnlyDifference(client, reading("locks", "id from alert for share"))).toContain("25006");
    expect(await findReadOnlyDifference(client, reading("well", "id from alert where title = 'update'"))).toBe(null);
    const silent = defineStatement("wrong_silent", { text: "select 1 as n from alert" });
    expect(await findReadOnlyDifference(client, silent)).toBe(
      "wrong_silent: nothing in it writes, so it can be declared to read",
    );
  });

  test("detects a column that was renamed", async () => {
    const selected = defineStatement("wrong_source", {
      columns: { title: text },
      text: "select titel as title from alert",
    });
    expect(await wrongIn(selected)).toEqual(['wrong_source: the database refuses it: column "titel" does not exist']);
    const shown = defineStatement("wrong_name", { columns: { headline: text }, text: "select title from alert" });
    expect(await wrongIn(shown)).toEqual([
      "wrong_name: column title is not declared, the database reports text",
      "wrong_name: column headline is declared text, the database has no such column",
    ]);
    const twice = defineStatement("wrong_twice", {
      columns: { id: uuid },
      text: "select id, pusher_id as id from alert",
    });
    expect(await wrongIn(twice)).toEqual(["wrong_twice: column id is selected twice"]);
  });

  test("detects a type that was changed", async () => {
    const statement = defineStatement("wrong_types", {
      parameters: { device_id: text, at: text },
      columns: { device_id: int, permissions: text },
      text: "select device_id, permissions from subscription where device_id = $device_id and subscribed_at < $at",
    });
    expect(await wrongIn(statement)).toEqual([
      "wrong_types: parameter device_id is declared text, the database reports bigint",
      "wrong_types: parameter at is declared text, the database reports timestamp with time zone",
      "wrong_types: column device_id is declared int, the database reports bigint",
      "wrong_types: column permissions is declared text, the database reports text[]",
    ]);
  });

  test("a parameter that is missing, or of no use, stops the definition", () => {
    const missing = () =>
      defineStatement("wrong_missing", { parameters: { id: uuid }, text: "select 1 from alert where id = $alert_id" });
    expect(missing).toThrow("statement wrong_missing names $alert_id, which it does not declare");
    const unused = () =>
      defineStatement("wrong_unused", {
        parameters: { id: uuid, other: uuid },
        text: "delete from alert where id = $id",
      });
    expect(unused).toThrow("statement wrong_unused declares other, but does not use it");
  });

  test("detects wrong nullability", async () => {
    const statement = defineStatement("wrong_nulls", {
      columns: {
        body: text,
        title: nullable(text),
        layout: neverNull(text),
        html: nullableByOuterJoin(text),
        n: nullableByOuterJoin(int),
      },
      text: "select body, title, layout, html, 1 as n from alert",
    });
    expect(await wrongIn(statement)).toEqual([
      "wrong_nulls: column body is declared not null, the database reports that alert.body may be null: use " +
        "nullable, or neverNull if the statement excludes it",
      "wrong_nulls: column title is declared nullable, the database reports that alert.title is not null; if a join " +
        "makes it null, use nullableByOuterJoin",
      "wrong_nulls: column layout is declared neverNull, but alert.layout never is: leave it away",
      "wrong_nulls: column html is declared nullableByOuterJoin, but alert.html may be null anyway: use nullable",
      'wrong_nulls: column n is an expression: nullable(…) or nothing is complete, without the mark for "outer join"',
    ]);
  });

  test("detects a list of texts that is not the column's", async () => {
    const statement = defineStatement("wrong_texts", {
      columns: { status: textEnum(["draft", "sent"]), title: textEnum(["one"]) },
      text: "select status, title from alert",
    });
    expect(await wrongIn(statement)).toEqual([
      "wrong_texts: column status is declared as one of draft, sent, the database reports that alert.status is one " +
        "of draft, repeating, scheduled, sent, cancelled",
      "wrong_texts: column title is declared as one of one, but alert.title takes any text",
    ]);
  });
});

test("TypeScript's types follow from the declaration", () => {
  const statement = defineStatement("wrong_to_run", {
    parameters: { ids: array(uuid), before: nullable(timestamptz) },
    columns: { name: text, status: textEnum(CHANNEL_STATUSES), city: nullable(text) },
    joined: { muted: boolean, subscribed_at: timestamptz },
    text: "select $ids::uuid[], $before::timestamptz",
  });
  type Given = Parameters<typeof statement.positional>[0];
  expectTypeOf<Given["ids"]>().toEqualTypeOf<readonly string[]>();
  expectTypeOf<Given["before"]>().toEqualTypeOf<string | null>();
  type Row = StatementRow<typeof statement>;
  expectTypeOf<Row["name"]>().toEqualTypeOf<string>();
  expectTypeOf<Row["status"]>().toEqualTypeOf<(typeof CHANNEL_STATUSES)[number]>();
  expectTypeOf<Row["city"]>().toEqualTypeOf<string | null>();
  // One column of the join represents all of them.
  const instantOf = (row: Row) => (row.muted === null ? null : row.subscribed_at);
  expectTypeOf(instantOf).returns.toEqualTypeOf<string | null>();
  const kysely = getKysely(orm);
  const wrong = {
    // @ts-expect-error a parameter is missing
    missing: () => runStatement(kysely, statement, { before: null }),
    // @ts-expect-error it is not null
    nothing: () => runStatement(kysely, statement, { ids: null, before: null }),
    // @ts-expect-error there is no such parameter
    unknown: () => runStatement(kysely, statement, { ids: [], before: null, after: null }),
    // @ts-expect-error there is no such column
    column: async () => (await runStatement(kysely, statement, { ids: [], before: null }))[0]?.title,
  };
  expect(statement.positional({ before: null, ids: ["a"] })).toEqual([["a"], null]);
  expect(Object.keys(wrong)).toHaveLength(4);
});

test("the driver takes and delivers every type as it is declared", async () => {
  const columns = {
    flag: boolean,
    bytes: bytea,
    big: bigint,
    small: smallint,
    whole: int,
    words: text,
    real: float8,
    day: date,
    instant: timestamptz,
    id: uuid,
    json: jsonb<{ a: string[] }[]>(),
    chosen: textEnum(["one", "two"]),
    ids: array(uuid),
    texts: array(text),
    bigs: array(bigint),
    wholes: array(int),
    smalls: array(smallint),
    boxes: array(bytea),
    nothing: nullable(text),
  };
  const echo = defineStatement("wrong_echo", {
    parameters: columns,
    columns,
    text: `select ${Object.entries(columns)
      .map(([name, { sql }]) => `$${name}::${sql} as ${name}`)
      .join(", ")}`,
  });
  expect(await findStatementDifferences(client, catalogue, echo)).toEqual([]);
  const values: Parameters<typeof echo.positional>[0] = {
    flag: true,
    bytes: Buffer.from([0, 255]),
    big: "9007199254740993",
    small: -1,
    whole: 2_000_000_000,
    words: "'$1' \"two\"",
    real: 0.1,
    day: "2026-11-20",
    instant: "2026-11-20 14:25:31.5+00",
    id: "0193a1b2-0000-7000-8000-000000000001",
    json: [{ a: ["b", "{}"] }],
    chosen: "two",
    ids: ["0193a1b2-0000-7000-8000-000000000001"],
    texts: ["a,b", 'c"d', "null"],
    bigs: ["9007199254740993"],
    wholes: [1, 2],
    smalls: [],
    boxes: [Buffer.from([1]), Buffer.from([])],
    nothing: null,
  };
  expect(await runStatement(getKysely(orm), echo, values)).toEqual([values]);
});
