// The package of `npm pack`, unpacked in an empty folder with its dependencies, and no others. It serves on each
// promised Node, and `belfry mcp` loads nothing of the service. npm's own install of 150 packages takes half a minute
// of processor time and shows no more, so the packages are links.

import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Command } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { withProductionLock } from "../../scripts/sbom.ts";
import type { OwnerOperation } from "../../src/operation/define_operation.ts";
import { loadBrowserScripts } from "../../src/pages/web_app/browser_scripts.ts";
import { createCliProgram } from "../../src/program/cli/command_tree.ts";
import { runGo } from "../support/go_modules.ts";
import { listPackedCommands } from "../support/packed_commands.ts";
import {
  type CommandRun,
  commandRunner,
  createChildEnvironment,
  prepareCluster,
  ROOT,
  type RunningServer,
  runProgram,
  startServer,
  temporaryFolder,
} from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";

const folder = temporaryFolder();
const modules = join(folder.path, "node_modules");
const DIST = join(modules, "belfry/dist");
const CLI = join(DIST, "src/cli.js");
const packedCommand = commandRunner(DIST);
let packed: string[];

function link(name: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
}

beforeAll(async () => {
  const silent = ["--loglevel=silent", "--pack-destination", folder.path];
  const { code, stdout } = await runProgram("npm", ["pack", "--json", ...silent], {});
  expect(code).toBe(0);
  const [{ filename, files }] = Object.values(JSON.parse(stdout)) as any[];
  packed = files.map(({ path }: { path: string }) => path);
  mkdirSync(join(modules, "belfry"), { recursive: true });
  const into = ["--strip-components=1", "-C", join(modules, "belfry")];
  expect(await runProgram("tar", ["xzf", join(folder.path, filename), ...into], {})).toMatchObject({ code: 0 });
  const { packages } = withProductionLock(ROOT, (at) =>
    JSON.parse(readFileSync(join(at, "package-lock.json"), "utf8")),
  );
  for (const [at, { optional }] of Object.entries<any>(packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(at)?.[1];
    if (name && (!optional || globSync(join(ROOT, at)).length > 0)) link(name);
  }
});
afterAll(() => folder.remove());

/** Sources of the browser scripts. The package has the built scripts, and the texts and links that the server uses. */
const FOR_BROWSERS = new RegExp(
  [
    "/web_app/browser/(?!texts/(?!formats)|rules/(?:text_links|geo_circle|distance|rule_types))",
    String.raw`/web_app/(mcp_card/\w+\.ts|worker/|build_scripts\.ts)`,
    String.raw`/public_pages/(near|page_language)\.js`,
  ].join("|"),
);

test("it contains what it runs on, and nothing else", () => {
  const shipped = packed.filter((path) => path.startsWith("dist/"));
  const docs = globSync(["*.md", "docs/**/*.{md,png,svg}"], { cwd: ROOT });
  const code = globSync("{src,operations}/**/*.*", { cwd: ROOT })
    .filter((path) => !FOR_BROWSERS.test(path) && !path.endsWith(".d.ts"))
    .map((path) => path.replace(/\.ts$/, ".js"));
  const made = ["src/pages/web_app/scripts.json", "package.json"];
  expect(shipped.sort()).toEqual([...code, ...docs, ...made].map((path) => `dist/${path}`).sort());
  // The image is also built from it.
  expect(readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n")).toEqual(
    expect.arrayContaining(["!*.md", "!docs"]),
  );
  const others = packed.filter((path) => !shipped.includes(path) && !/^(notices|examples)\//.test(path));
  const examples = packed.filter((path) => path.startsWith("examples/"));
  expect(examples.sort()).toEqual(globSync("examples/**/*.*", { cwd: ROOT }).sort());
  expect(others.sort()).toEqual(["LICENSE", "NOTICE", "README.md", "package.json", "skills/belfry/SKILL.md"]);
});

/** Prints at the end which files were loaded, and how much processor time that took. */
const SAYS = `import { registerHooks } from "node:module";
const urls = [];
registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
process.on("exit", () => console.error(JSON.stringify({ urls, ...process.cpuUsage() })));`;

const LIGHT = [
  { asked: ["mcp", "--url", "http://127.0.0.1:1", "--key", "x"], ends: 0 },
  // A wrong folder ends it.
  { asked: ["listen", "harbour", "--url", "http://127.0.0.1:1", "--state", "/dev/null/x"], ends: 2 },
];

// rules#mcp-over-stdio, rules#listen
test.each(LIGHT)(
  "belfry $asked.0 loads the command line's parser and nothing of the service",
  async ({ asked, ends }) => {
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(SAYS)}`;
    await runProgram(process.execPath, [CLI, ...asked], { NODE_OPTIONS });
    const { code, refusal } = await runProgram(process.execPath, [CLI, ...asked], { NODE_OPTIONS });
    expect(code).toBe(ends);
    const files = refusal.urls.filter((url: string) => url.startsWith("file:"));
    const packages = files.flatMap((url: string) => /node_modules\/(?!belfry\/)([^/]+)/.exec(url)?.[1] ?? []);
    expect([...new Set(packages)]).toEqual(["commander"]);
    const rooms = files.flatMap((url: string) => /belfry\/dist\/((?:src\/\w+|operations)\/\w*)/.exec(url)?.[1] ?? []);
    expect([...new Set(rooms)].sort()).toEqual([
      "src/model/api_and_ui_error_texts",
      "src/model/api_error",
      "src/model/connection_error_messages",
      "src/model/domain",
      "src/model/error_codes",
      "src/model/limits",
      "src/program/boot",
      "src/program/cli",
      "src/store/config",
      "src/store/db",
      "src/store/secret",
    ]);
    expect(files.length).toBeLessThan(50);
    // Microseconds. Reading the service's code takes five times as much.
    expect(refusal.user + refusal.system).toBeLessThan(600_000);
  },
);

test("belfry tools lists the operations", async () => {
  const listed = await runProgram(process.execPath, [CLI, "tools"], {});
  expect(listed.stderr).toBe("");
  expect(listed.json.data).toHaveLength(OPERATIONS.length);
});

/** The paths of all commands that have none below them. */
function leaves(command: Command, path: string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(" ")];
  return command.commands.flatMap((one) => leaves(one, [...path, one.name()]));
}
const commandsWith = (tools: readonly OwnerOperation[]) =>
  leaves(createCliProgram({ tools, version: "", serve: async () => {}, now: () => new Date(0) }));

test("each command of the package shows its help", async () => {
  const wrong: unknown[] = [];
  for (const path of commandsWith(OPERATIONS)) {
    const { code, stdout } = await packedCommand([...path.split(" "), "--help"], {});
    if (code !== 0 || !stdout.startsWith(`Usage: belfry ${path}`)) wrong.push({ path, code, stdout });
  }
  expect(wrong).toEqual([]);
});

/** Tests of their own run these: they stay until something ends them. */
const STAYING = ["mcp", "listen", "serve"];

/** The prefix of a command in a container of the image, from .ci/containers: the same commands run there. */
const container = process.env.BELFRY_TEST_CONTAINER?.split(" ");

/** Runs each example that publishes, copied out of the package, since Node strips no types below node_modules. */
async function publishByExamples({ url, key }: RunningServer): Promise<void> {
  const at = join(folder.path, "examples");
  cpSync(join(modules, "belfry/examples"), at, { recursive: true });
  const commands = { sh: ["sh"], ts: [process.execPath], py: ["python3"], go: ["go", "run"], php: ["php"] };
  const needs = { sh: "curl", ts: null, py: "python3", go: "go", php: "php" } as const;
  for (const [language, command] of Object.entries(commands)) {
    const program = needs[language as keyof typeof needs];
    if (program !== null && isMissing(program)) continue;
    const variables = [`BELFRY_URL=${url}`, `BELFRY_API_KEY=${key}`];
    const example = [...command, `publish.${language}`, "example-package", `From ${language}`];
    const { status, stdout, stderr } = await runGo(at, ["env", ...variables, ...example]);
    expect({ language, status, stderr }).toEqual({ language, status: 0, stderr: "" });
    expect(stdout).toMatch(/drafted (alr_\w+)\nsent \1\n$/);
  }
}

test("each command of the package runs with its service", async () => {
  const dataDir = prepareCluster(join(folder.path, "data"));
  const server = container ? null : await startServer(dataDir, { args: [CLI, "serve"] });
  const served = server && { DATA_DIR: dataDir, PORT: new URL(server.url).port };
  const run = (args: string[], settings: Record<string, string>, input?: string) => {
    if (!container) return packedCommand(args, { ...served, ...settings }, input);
    const { PATH: _, ...others } = settings;
    const set = Object.entries(others).map(([name, value]) => `${name}=${value}`);
    return runProgram(container[0]!, [...container.slice(1), "env", ...set, "belfry", ...args], {}, input);
  };
  const commands = listPackedCommands(container ? "/tmp" : folder.path);
  const results: Record<string, CommandRun> = {};
  const idOf = (command: string) => results[command]!.json.id ?? results[command]!.json.backup;
  try {
    for (const { line, settings = {}, input, says } of commands) {
      const args = line.split(" ").map((word) => word.replace(/^\{(.*)\}$/, (_, command) => idOf(command)));
      const result = await run(args, settings, input && results[input]!.stdout);
      results[args[0]!] = result;
      if (says instanceof RegExp) expect(result.stdout, line).toMatch(says);
      else expect(result.json ?? result.refusal, line).toMatchObject(says);
    }
    if (server) await publishByExamples(server);
  } finally {
    await server?.stop();
  }
  const missing = commandsWith(OPERATIONS).filter(
    (path) => !commands.some(({ line }) => `${line} `.startsWith(`${path} `)),
  );
  expect(missing.sort(), "give each command a run in test/support/packed_commands.ts").toEqual(STAYING.sort());
});

const NODES = [
  { major: "24", node: process.execPath, without: false },
  { major: "22", node: process.env.NODE_22 ?? "", without: isMissing("Node 22") },
  { major: "20", node: process.env.NODE_20 ?? "", without: isMissing("Node 20") },
];

for (const { major, node, without } of NODES)
  test.skipIf(without)(`on Node ${major} it serves, and an assistant speaks to it`, async () => {
    const version = await runProgram(node, ["--version"], {});
    expect(version.stdout).toMatch(`v${major}.`);
    if (major === "20") {
      // Without a newer Node and npm, a command ends before it begins.
      for (const args of [["login"], ["logout"], ["open"], ["listen", "x"], ["tools"]]) {
        const { code, stderr } = await runProgram(node, [CLI, ...args], { PATH: folder.path });
        expect({ args, code, stderr }).toMatchObject({ args, code: 2, stderr: expect.stringContaining("needs Node") });
      }
      // The dependencies from npm, installed next to it before.
      link("node");
    }
    const { version: own } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const said = await runProgram(node, [CLI, "--version"], {});
    expect(said).toMatchObject({ code: 0, stdout: `${own}\n`, stderr: "" });

    const dataDir = prepareCluster(join(folder.path, `data-${major}`));
    const server = await startServer(dataDir, { node, args: [CLI, "serve"] });
    try {
      expect(server.log()).toContain("belfry create-alert");
      const pages = ["/c", "/sw.js", "/api/v1/docs", "/docs/how-to/https", "/console/sign-in"];
      for (const page of ["/healthz", "/readyz", "/app", ...pages])
        expect([page, (await fetch(server.url + page)).status]).toEqual([page, 200]);
      const app = await (await fetch(`${server.url}/app`)).text();
      const script = await fetch(server.url + /src="(\/static\/app\/[^"]+\/main\.js)"/.exec(app)![1]!);
      expect(await script.text()).toBe((await loadBrowserScripts()).app["main.js"]);
      const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
      await client.connect(
        new StdioClientTransport({
          command: node,
          args: [CLI, "mcp", "--url", server.url],
          env: createChildEnvironment({ DATA_DIR: dataDir }),
        }),
      );
      expect((await client.listTools()).tools).toHaveLength(OPERATIONS.length);
      const me = await client.callTool({ name: "get_me", arguments: {} });
      expect(me).toMatchObject({ structuredContent: { credential: { type: "key" } } });
      await client.close();
    } finally {
      await server.stop();
    }
    expect(await server.exited).toBe(0);
  });
