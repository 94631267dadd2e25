// Belfrys in schemas of one Citus coordinator, each complete on one worker (docs/explanation/scale.md#cells-on-citus).
// The real service runs in two of them, and neither sees the other. Concurrent sends keep their order. rules#cells

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadAllStatements } from "../../scripts/all_statements.ts";
import { checkNotCitusCell } from "../../src/identity/operator/backup_rows.ts";
import { createCitusDatabaseSchema } from "../../src/identity/operator/create_citus_cell.ts";
import { rewriteStatementForCell } from "../../src/store/db/citus_cell.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { DATABASE_EPOCH_SQL } from "../../src/store/queries/database_epoch.ts";
import { alertArguments } from "../cases/fixtures.ts";
import { citusUrl, freshCell, onCoordinator } from "../support/citus_cells.ts";
import { signInOwner } from "../support/console_site.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { parseUuid } from "../support/handsets.ts";
import { lacksCitus } from "../support/requirements.ts";
import { World } from "../support/world.ts";

test("a statement is rewritten for Citus, and one that Citus accepts is unchanged", () => {
  const plain = "select id from alert where visible_at <= now() and title = $1";
  expect(rewriteStatementForCell(plain)).toBe(plain);
  expect(rewriteStatementForCell('select id from auth."user" where email = $1')).toBe(
    'select id from "user" where email = $1',
  );
  expect(
    rewriteStatementForCell("update a set at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')"),
  ).toBe("update a set at = greatest(cell_clock((select max(1))), cell_shift(updated_at, interval '1 microsecond'))");
  expect(rewriteStatementForCell("select clock_timestamp() - $2::int * interval '1 second'")).toBe(
    "select cell_shift(cell_clock((select max(1))), -($2::int * interval '1 second'))",
  );
  const defines = "alter table a add column at timestamptz not null default clock_timestamp()";
  expect(rewriteStatementForCell(defines)).toBe(defines);
});

test("where no Citus is, no cell is laid out, and the way out is said", async () => {
  const world = await World.open();
  const refused = createCitusDatabaseSchema(world.settings.DATABASE_URL!, "north");
  await expect(refused).rejects.toThrow("Citus is not installed in this database");
  await expect(createCitusDatabaseSchema("postgresql://belfry@127.0.0.1:1/belfry", "north")).rejects.toThrow(
    "The database could not be opened or migrated (ECONNREFUSED). Check DATABASE_URL",
  );
  for (const name of ['no"rth', "North", "1north", "n".repeat(41), ""])
    await expect(createCitusDatabaseSchema(world.settings.DATABASE_URL!, name)).rejects.toThrow(
      "The cell name must start with",
    );
  await world.close();
});

/** A value of a type, for a statement that is only to be planned and run. */
function likely(sql: string): unknown {
  if (sql.endsWith("[]")) return [likely(sql.slice(0, -2))];
  if (sql === "uuid") return "0193a1b2-0000-7000-8000-000000000001";
  if (sql === "boolean") return true;
  if (sql === "jsonb") return "[]";
  if (sql === "bytea") return Buffer.from("ab");
  if (/^(date|timestamp)/.test(sql)) return "2026-11-20";
  return "1";
}

describe.skipIf(lacksCitus())("on Citus", () => {
  type Laid = Awaited<ReturnType<typeof freshCell>>;
  let cells: Laid[] = [];
  const worlds: World[] = [];

  beforeAll(async () => {
    cells = [await freshCell(), await freshCell()];
    for (const { url } of cells) worlds.push(await World.open({ settings: { DATABASE_URL: url } }));
  });
  afterAll(async () => {
    for (const world of worlds) await world.close();
    for (const cell of cells) await cell.remove();
  });

  const places = async () =>
    onCoordinator(
      `select split_part(table_name::text, '.', 1) as cell, count(distinct nodeport)::int as workers, min(nodeport)::int
        as port
       from citus_shards where table_name::text ~ '^(${cells.map(({ cell }) => cell).join("|")})\\.' group by 1 order by
         1`,
    );

  test("each is whole on one worker, is found again by its name, and another's schema is not taken", async () => {
    const found = await places();
    expect(found.map(({ workers }) => workers)).toEqual([1, 1]);
    const [cell] = cells as [Laid];
    const name = cell.cell.replace("belfry_cell_", "");
    const again = await createCitusDatabaseSchema(citusUrl(), name);
    expect(again).toMatchObject({ cell: cell.cell, worker: cell.worker, made: false });
    expect(new URL(again.database_url).password).toBe("");
    await onCoordinator(`create schema belfry_cell_${name}x`);
    await expect(createCitusDatabaseSchema(citusUrl(), `${name}x`)).rejects.toThrow(
      "already exists and was not created by this command",
    );
    await onCoordinator(`drop schema belfry_cell_${name}x`);
    await expect(createCitusDatabaseSchema(cell.url, `${name}y`)).rejects.toThrow("requires superuser access");
  });

  test("every statement that the service defines is one that Citus takes", async () => {
    const orm = createOrm({ databaseUrl: cells[0]!.url, databasePoolSize: 1 });
    const pool = await (orm.em.getConnection() as any).getNativeClient();
    const client = await pool.connect();
    const refused: string[] = [];
    for (const { name, text, parameters } of await loadAllStatements()) {
      const values = parameters.map(([, { sql }]) => likely(sql));
      // As objects, since a text that closes a transaction would wait for its end.
      await client.query({ text: "begin" });
      await client.query({ text: rewriteStatementForCell(text), values }).catch(({ code, message }: any) => {
        // The invalid values for the types and rules of a table and for its triggers.
        if (!/^(22|23|42501)/.test(code)) refused.push(`${name}: ${code} ${message}`);
      });
      await client.query({ text: "rollback" });
    }
    client.release();
    await orm.close(true);
    expect(refused).toEqual([]);
  });

  test("the whole of an alert's life, in both at once", async () => {
    await Promise.all(
      worlds.map(async (world) => {
        const channel = await world.pusher({ handle: "harbour" });
        const token = await world.device(channel.handle);
        const alert = await world.alert(channel.id, { title: "In a cell", send: true });
        const draft = await world.alert(channel.id, { title: "A draft" });
        expect((await world.rest("update_alert", alertArguments(draft, { title: "Edited" }))).status).toBe(200);
        expect((await world.rest("send_alert", alertArguments(draft))).body).toMatchObject({ status: "sent" });
        const inbox = await world.handset("GET", "/inbox", token);
        expect(inbox.body.data.map(({ title }: any) => title)).toEqual(["Edited", "In a cell"]);
        const reports = ["read", "ack"].map((kind) => ({ alert_id: alert.id, kind }));
        for (let i = 0; i < 2; i++)
          expect((await world.handset("POST", "/reports", token, { reports })).status).toBe(200);
        expect((await world.rest("get_alert_stats", alertArguments(alert))).body.totals).toEqual({ reads: 1, acks: 1 });
        const later = await world.alert(channel.id, { title: "Later" });
        const at = new Date(Date.now() + 3_600_000).toISOString();
        expect((await world.rest("schedule_alert", alertArguments(later, { send_at: at }))).body.status).toBe(
          "scheduled",
        );
        expect((await world.rest("cancel_alert", alertArguments(later))).body.status).toBe("cancelled");
        expect((await world.rest("delete_alert", alertArguments(later))).status).toBe(204);
        expect((await world.rest("list_account_alerts", { query: "cell" })).body.data).toHaveLength(1);
        // Devices that join and people who sign in are in the cell's own tables.
        const person = await signInOwner(world);
        expect((await person.get("/console/account")).status).toBe(200);
        await expectRecountClean(world.service.orm);
      }),
    );
    for (const world of worlds)
      expect(await world.sql("select handle, (select count(*)::int from alert) as alerts from pusher")).toEqual([
        { handle: "harbour", alerts: 2 },
      ]);
  });

  test("the role of one reads and writes nothing of the other", async () => {
    const [one, two] = cells as [Laid, Laid];
    const orm = createOrm({ databaseUrl: one.url, databasePoolSize: 1 });
    for (const text of [`select * from ${two.cell}.alert`, `delete from ${two.cell}.alert`])
      await expect((orm.em.fork() as any).execute(text)).rejects.toThrow("permission denied");
    // Nor is it backed up, or restored, in an untested configuration.
    await expect(checkNotCitusCell(orm.em.fork())).rejects.toThrow("does not support Citus cells");
    await orm.close(true);
    const [there] = worlds as [World, World];
    const [channel] = (await there.rest("list_pushers", {})).body.data;
    expect((await worlds[1]!.rest("get_pusher", { pusher_id: channel.id })).status).toBe(404);
  });

  test("sends that come together, over two processes, become visible in the order of their revisions", async () => {
    const [world] = worlds as [World];
    const other = await world.replica({ DATABASE_URL: cells[0]!.url });
    const channel = await world.pusher();
    const id = parseUuid(channel.id);
    const drafts = await Promise.all(
      Array.from({ length: 20 }, (_, i) => world.alert(channel.id, { title: `Draft ${i}` })),
    );
    // Results of a read only grow: a client that has seen a send finds all later ones above it.
    const seen: string[][] = [];
    let done = false;
    const look = async () => {
      while (!done) {
        const rows = await world.sql(
          "select id from alert where pusher_id = ? and status = 'sent' order by visible_at, id",
          [id],
        );
        seen.push(rows.map((row: any) => row.id));
      }
    };
    const looking = look();
    const sends = Promise.all([
      ...drafts.map((draft, i) => (i % 2 ? world : other).rest("send_alert", alertArguments(draft))),
      ...Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? other : world).alert(channel.id, { title: `New ${i}`, send: true }),
      ),
    ]);
    await sends.finally(() => {
      done = true;
    });
    await looking;
    const last = (
      await world.sql("select id from alert where pusher_id = ? and status = 'sent' order by visible_at, id", [id])
    ).map((row: any) => row.id);
    expect(last).toHaveLength(40);
    for (const earlier of seen) expect(last.slice(0, earlier.length)).toEqual(earlier);
    expect(
      await world.sql("select revision::int, published::int from channel_state where pusher_id = ?", [id]),
    ).toEqual([{ revision: 40, published: 40 }]);
    await other.close();
    await expectRecountClean(world.service.orm);
  });

  test("a cell is moved to the other worker, and its service continues there", async () => {
    const [world] = worlds as [World];
    const [cell] = cells as [Laid];
    const port = async () => (await places()).find((place) => place.cell === cell.cell).port;
    const before = await port();
    const epoch = async () => (await world.sql(`select ${DATABASE_EPOCH_SQL} as epoch`))[0].epoch;
    const known = await epoch();
    const [to] = await onCoordinator(
      `select node_name as host, node_port::int as port from citus_get_active_worker_nodes() where node_port <>
        ${before}`,
    );
    await onCoordinator(`select citus_schema_move('${cell.cell}', '${to.host}', ${to.port})`);
    expect(await port()).toBe(to.port);
    // No earlier validator is valid.
    expect(await epoch()).not.toBe(known);
    const channel = await world.pusher();
    const token = await world.device(channel.handle);
    await world.alert(channel.id, { title: "After the move", send: true });
    expect((await world.handset("GET", "/inbox", token)).body.data).toMatchObject([{ title: "After the move" }]);
    await expectRecountClean(world.service.orm);
  });
});
