// The import rules (support/module_rules.ts), compared with the import lines, and the other structural rules.
// docs/contributing/architecture.md explains them.

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { LONGEST } from "../support/longest_first.ts";
import { ANY_IMPORT, COMMON_MODULES, getModule, LAYERS, MODULES } from "../support/module_rules.ts";

const ROOT = join(import.meta.dirname, "../..");
const files = ["src", "operations", "scripts", "bench"]
  .filter((folder) => existsSync(join(ROOT, folder)))
  .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT }))
  .sort();
const textOf = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), "utf8")]));

/** The only ones that see the list of tools. */
const KNOW_THE_TOOLS = /^(src\/(program\/boot\/app|cli)\.ts|scripts\/.*|bench\/.*)$/;

/** The files that may read a clock; all others receive the time as an argument. */
const CLOCKS = new Set([
  "src/program/boot/composition_root.ts",
  "src/cli.ts",
  "src/model/domain/type_ids.ts",
  "src/pages/web_app/browser/current_time.ts",
  "src/program/boot/tracing.ts",
]);

/** Packages of a transport, and the parts that may know them. */
const TRANSPORT_PACKAGES = /^(h3|srvx|commander|@modelcontextprotocol\/.*)$/;
const MAY_TRANSPORT = new Set([
  "program/boot",
  "api/transports",
  "api/ingest",
  "pages/console",
  "pages/web_app",
  "pages/docs_site",
  "pages/public_pages",
  "program/cli",
  "scripts",
  "bench",
]);

/** Where something else than a defined statement reaches the database, and why. */
const RAW_SQL: Record<string, string> = {
  "src/store/db/statement.ts": "runs the statements",
  "src/store/db/migrate.ts": "the names of the migrations, settings of the session that migrates",
  "src/identity/operator/backup_rows.ts": "tables, keys and triggers by the names that the catalogue gives",
  "src/identity/operator/copy_stream.ts": "how the rows of a copy are written",
  "src/store/db/pooler_session_settings_check.ts": "the settings of a pooler's connections",
  "src/identity/operator/create_citus_cell.ts": "names of schemas and roles cannot be parameters",
  "src/program/boot/observability.ts": "checks whether the database is available",
  "src/identity/auth/better_auth.ts": "the library's own tables, by its own adapter",
};

/** The places where the compiler is given a type that it did not infer, their number, and the reason for each. */
const CASTS: Record<string, [times: number, why: string]> = {
  "src/model/fields/field_table.ts": [
    3,
    "an object made by name from a table; the signatures define the type of each name",
  ],
  "src/store/rate_limits/request_client.ts": [
    1,
    "the library's type is a whole request of Node's and reads two fields of it",
  ],
  "src/api/transports/http_responses.ts": [
    1,
    "the router's and the server's types do not show that it is a web request",
  ],
};

interface Import {
  from: string;
  what: string;
  /** Erased before it runs. */
  typeOnly: boolean;
  /** Read when it is first needed. */
  later: boolean;
}

const IMPORT = /^(?:import|export)\s+(type\s+)?(?:([^"';]*?)\s+from\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

function importsOf(file: string): Import[] {
  return [...textOf.get(file)!.matchAll(IMPORT)].map(([, type, names = "", what, dynamic]) => {
    const listed = /^\{(.*)\}$/s
      .exec(names.trim())?.[1]
      ?.split(",")
      .map((name) => name.trim())
      .filter(Boolean);
    const typeOnly = Boolean(type) || (listed?.length ? listed.every((name) => name.startsWith("type ")) : false);
    return { from: file, what: what ?? dynamic!, typeOnly, later: dynamic !== undefined };
  });
}

const imports = files.flatMap(importsOf);
const ours = imports
  .filter(({ what }) => what.startsWith("."))
  .map((line) => ({ ...line, to: normalize(join(dirname(line.from), line.what)) }));
const code = (file: string) =>
  textOf
    .get(file)!
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/ \/\/ .*$/gm, "");

test("there is something to read", () => expect(ours.length).toBeGreaterThan(200));

test("every room has its line in the table, and every line its room", () => {
  const rooms = new Set(files.map(getModule));
  expect([...rooms].filter((room) => !(room in MODULES))).toEqual([]);
  const optional = new Set(["bench"]);
  expect(Object.keys(MODULES).filter((room) => !rooms.has(room) && !optional.has(room))).toEqual([]);
});

test("every folder has its responsibility in support/module_rules.ts; a module of one file has it there", () => {
  const single = files.filter((file) => /^src\/([^/]+\/)?[^/]+$/.test(file) && !(dirname(file).slice(4) in MODULES));
  const silent = Object.entries(MODULES).filter(([, { decides }]) => !decides);
  expect(silent.map(([room]) => room).sort()).toEqual(single.map(getModule).sort());
});

test("the first screen of src: its wings, and where the program begins", () => {
  const first = new Set(files.flatMap((file) => /^src\/([^/]+)/.exec(file)?.[1] ?? []));
  expect([...first].sort()).toEqual([...Object.keys(LAYERS), "cli.ts", "main.ts"].sort());
  expect(Object.keys(LAYERS).length).toBeLessThanOrEqual(12);
});

test("every import is allowed", () => {
  const wrong = ours.filter(({ from, to }) => {
    const [part, other] = [getModule(from), getModule(to)];
    const allowed = MODULES[part]?.may ?? [];
    if (COMMON_MODULES.includes(other)) return false;
    if (part === "operations" && other === "operations") return true;
    return part !== other && !allowed.includes(other) && allowed !== ANY_IMPORT;
  });
  expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
});

/** The wing of a room in src; anything else is its own. */
const wingOf = (file: string) => (file.startsWith("src/") ? file.split("/")[1]! : getModule(file));

test.each([
  ["rooms", getModule],
  ["wings", wingOf],
])("no two %s import each other", (_, of) => {
  const pairs = new Set(ours.map(({ from, to }) => `${of(from)} → ${of(to)}`));
  const turned = (pair: string) => pair.split(" → ").toReversed().join(" → ");
  const mutual = [...pairs].filter((pair) => pair !== turned(pair) && pairs.has(turned(pair)));
  expect(mutual).toEqual([]);
});

test("only a few know the list of tools", () => {
  const knowing = ours.filter(({ to, typeOnly }) => to === "operations/index.ts" && !typeOnly).map(({ from }) => from);
  expect(knowing.filter((file) => !KNOW_THE_TOOLS.test(file))).toEqual([]);
});

test("only src/program/boot/app.ts, scripts and tests import from src into tools or test", () => {
  const reaching = ours.filter(
    ({ from, to }) => from.startsWith("src/") && /^(operations|test|scripts|bench)\//.test(to),
  );
  // The arguments and results of each operation, for pages that call it by its name.
  const types = reaching.filter(({ typeOnly, to }) => typeOnly && to === "operations/index.ts");
  expect(types.map(({ from }) => from)).toEqual(["src/pages/console/page_definitions.ts"]);
  const others = reaching.filter((line) => !types.includes(line) && !KNOW_THE_TOOLS.test(line.from));
  expect(others.map(({ from }) => from)).toEqual([]);
});

test("packages of a transport stay in the transports", () => {
  const wrong = imports.filter(
    ({ from, what }) => TRANSPORT_PACKAGES.test(what) && !MAY_TRANSPORT.has(getModule(from)),
  );
  // The router's event type is all that the routes of other parts may name.
  expect(wrong.map(({ from, what }) => `${from} → ${what}`)).toEqual([]);
});

test("process.env only in the settings", () => {
  expect(files.filter((file) => code(file).includes("process.env") && !/^(scripts|bench)\//.test(file))).toEqual([
    "src/store/config/load_settings.ts",
  ]);
});

test("the clock comes through the context", () => {
  const reading = files.filter(
    (file) => /\bDate\.now\(|\bnew Date\(\)/.test(code(file)) && !/^(scripts|bench)\//.test(file),
  );
  expect(reading.filter((file) => !CLOCKS.has(file))).toEqual([]);
});

/** Tables whose rows no statement of ours makes or removes: the entity manager does. */
const BY_MANAGER = ["workspace", "member", "api_key", "pusher", "invite", "webhook_endpoint", "asset"];

test("one row of these is made and removed through the entity manager", () => {
  const byHand = new RegExp(`\\b(insert into|delete from) (${BY_MANAGER.join("|")})\\b`, "i");
  const inSrc = files.filter((file) => /^(src|operations)\//.test(file) && getModule(file) !== "model/migrations");
  // Statements from a file stay several.
  expect(inSrc.filter((file) => byHand.test(code(file)))).toEqual(["src/identity/operator/export_tables.ts"]);
});

test("SQL runs as a defined statement", () => {
  const raw = /\.executeQuery\b|(?<!\.transaction\(\))\.execute\b|\.getKysely\b|\bCompiledQuery\b/;
  const running = files.filter((file) => /^(src|operations)\//.test(file) && raw.test(code(file)));
  const others = running.filter((file) => !file.startsWith("src/model/migrations/"));
  expect(others.sort()).toEqual(Object.keys(RAW_SQL).sort());
});

/** Waits for a time, waits with a limit of one second, and limits of a test below the usual one. */
const OWN_WAIT = /\bwaitForTimeout\(|\bvi\.wait(For|Until)\(|\btest\b.*\{ timeout: \d{1,3}_000 \}/;

test("every test is in a folder that test/README.md describes, waits long enough, and explains a skip", () => {
  const tests = globSync("test/**/*.test.ts", { cwd: ROOT, exclude: ["**/node_modules"] });
  expect(tests.length).toBeGreaterThan(50);
  const outside = tests.filter((file) => file.split("/").length !== 3);
  expect(outside, "move it into a folder of test/, or to another one").toEqual([]);
  const page = readFileSync(join(ROOT, "test/README.md"), "utf8");
  const folders = [...new Set(tests.map((file) => file.split("/")[1]!))];
  const unsaid = folders.filter((folder) => !page.includes(`| \`${folder}/\` |`));
  expect(unsaid, "give each a line in test/README.md").toEqual([]);
  const gone = LONGEST.filter((file) => !tests.includes(file));
  expect(gone, "fix the list in test/support/longest_first.ts").toEqual([]);
  const silent = tests.filter((file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    return /\bskip(If)?\(/.test(text) && !text.includes("support/requirements.ts");
  });
  expect(silent, "a skip has its reason from test/support/requirements.ts").toEqual([]);
  const waiting = tests.filter((file) => OWN_WAIT.test(readFileSync(join(ROOT, file), "utf8")));
  // That one repeats a push, since the browser's tools lose some.
  expect(waiting, "wait with test/support/wait.ts").toEqual(["test/web_app/service_worker.test.ts"]);
});

test("a type is forced in few places, each with its reason", () => {
  // The faults that tests must notice are text.
  const forced = files.filter((file) => file !== "scripts/mutants.ts");
  const times = forced.map((file) => [file, code(file).match(/\bas (unknown as|never)\b/g)?.length ?? 0]);
  const allowed = Object.entries(CASTS).map(([file, [most]]) => [file, most]);
  expect(times.filter(([, count]) => count !== 0).sort()).toEqual(allowed.sort());
});

/**
 * The modules that a service loads before its first response. `import()` in them defers a part with its dependencies.
 */
const STARTS = ["src/main.ts", "src/program/boot/run_service.ts", "src/program/boot/composition_root.ts"];

/** Packages that are loaded on first use: a third of all code, and most starts never need them. */
const READ_LATER = new RegExp(
  `^(${(
    "better-auth @better-auth @simplewebauthn @zxcvbn-ts @mikro-orm/migrations @modelcontextprotocol sanitize-html " +
      "nodemailer sharp undici ioredis aws4fetch commander prom-client d3-scale d3-shape"
  ).replaceAll(" ", "|")})(/|$)`,
);

/** Own rooms of this kind. */
const OPENED_LATER = new Set(["api/openapi", "api/docs_page", "model/migrations", "program/cli", "scripts"]);

test("a start loads no package that may stay unused", () => {
  const now = Map.groupBy(
    imports.filter(({ typeOnly, later }) => !typeOnly && !later),
    ({ from }) => from,
  );
  const reached = new Set(STARTS);
  const early: string[] = [];
  for (const from of reached)
    for (const { what } of now.get(from) ?? [])
      if (what.startsWith(".")) reached.add(normalize(join(dirname(from), what)));
      else if (READ_LATER.test(what)) early.push(`${from} → ${what}`);
  expect(reached.size).toBeGreaterThan(150);
  expect(early).toEqual([]);
  expect([...reached].filter((file) => OPENED_LATER.has(getModule(file)))).toEqual([]);
});

test("no import circles, imports of types included", () => {
  const next = Map.groupBy(ours, ({ from }) => from);
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (file: string, path: string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" → "));
    if (done.has(file) || path.includes(file)) return;
    for (const { to } of next.get(file) ?? []) walk(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
  expect(circles).toEqual([]);
});

/** The nesting depth of blocks, read from the formatter's indentation. */
function depthOf(text: string): number {
  const open: boolean[] = [];
  let deepest = 0;
  for (const line of text.split("\n")) {
    if (/^\s*[}\])]/.test(line)) open.pop();
    if (!/[{[(]$/.test(line)) continue;
    open.push(/(=>|\)(: [^=]+)?|\belse|\btry|\bfinally) \{$/.test(line));
    deepest = Math.max(deepest, open.filter(Boolean).length);
  }
  return deepest;
}

test("the way in which an operation runs is read from top to bottom: blocks at most four deep", () => {
  const inRoom = files.filter((file) => getModule(file) === "operation");
  expect(inRoom.filter((file) => depthOf(code(file)) > 4)).toEqual([]);
});

describe("files", () => {
  const inSrc = files.filter((file) => file.startsWith("src/"));
  const longerThan = (most: number, pattern: string) =>
    globSync(pattern, { cwd: ROOT }).filter(
      (file) => readFileSync(join(ROOT, file), "utf8").split("\n").length - 1 > most,
    );
  test("at most 300 lines, style sheets and scripts included", () => {
    expect(longerThan(300, "src/**/*.{ts,js,css}")).toEqual([]);
  });
  test(
    "tests at most 800: tests of the same database and server are together, since starting them costs more than " +
      "reading",
    () => {
      expect(longerThan(800, "test/*/*.ts")).toEqual([]);
    },
  );
  test("each begins with what it decides", () => {
    // A record has it in its description.
    const record = (file: string) => textOf.get(file)!.includes("export default define");
    const silent = inSrc.filter((file) => !record(file) && !/^(#!.*\n)?\/\/ \S|^\/\*\*? \S/.test(textOf.get(file)!));
    expect(silent).toEqual([]);
  });
});
