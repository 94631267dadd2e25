// The official conformance suite of the protocol against a listening server. It runs the scenarios for servers in both
// eras, and those for authorization servers, where a person gives consent in between. It has no credential to send, so
// a proxy adds one.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConsoleSite, signInOwner } from "../support/console_site.ts";
import { freePort } from "../support/free_port.ts";
import { allowConsent, OAUTH, USUAL_CLIENT } from "../support/oauth_flow.ts";
import { createChildEnvironment, ROOT, runProgram, temporaryFolder } from "../support/processes.ts";
import { CONFORMANCE_EXCEPTIONS } from "./conformance_exceptions.ts";

const SUITE = join(ROOT, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const folder = temporaryFolder();
let site: ConsoleSite;
beforeAll(async () => {
  site = await ConsoleSite.open({ name: "localhost" });
});
afterAll(async () => {
  await site?.close();
  folder.remove();
});

interface Check {
  scenario: string;
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

/** The results that the suite wrote into a folder: one for each scenario, named by it and the time. */
const checksIn = (path: string): Check[] =>
  readdirSync(path).flatMap((name) => {
    const scenario = name.replace(/^server-|-\d{4}-\d\d-\d\dT[\d-]+Z$/g, "");
    const checks: Check[] = JSON.parse(readFileSync(join(path, name, "checks.json"), "utf8"));
    return checks.map((check) => ({ ...check, scenario }));
  });

describe("a server", () => {
  const ERAS = { "2025-11-25": 33, "2026-07-28": 50 } as const;
  const checks: Record<string, Check[]> = {};
  beforeAll(async () => {
    const { port } = new URL(site.url);
    const proxy = createServer((asked, answer) => {
      const headers = { ...asked.headers, authorization: `Bearer ${site.world.owner}` };
      const { method, url: path } = asked;
      const passed = request({ host: "127.0.0.1", port, method, path, headers }, (came) => {
        answer.writeHead(came.statusCode!, came.headers);
        came.pipe(answer);
      });
      passed.on("error", () => answer.destroy());
      answer.on("close", () => passed.destroy());
      asked.pipe(passed);
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
    for (const era of Object.keys(ERAS)) {
      const to = join(folder.path, era);
      await runProgram(process.execPath, [SUITE, "server", "--url", url, "--requirements", era, "-o", to], {});
      checks[era] = checksIn(to);
    }
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });

  const listed = CONFORMANCE_EXCEPTIONS.flatMap(({ what }) => what);
  const fails = ({ status }: Check) => status === "FAILURE" || status === "WARNING";
  const names = ({ scenario, id }: Check) => [scenario, `${scenario}/${id}`];

  test.each(Object.entries(ERAS))("%s: every scenario passes that applies", (era, scenarios) => {
    expect(new Set(checks[era]!.map(({ scenario }) => scenario)).size).toBe(scenarios);
    const failed = checks[era]!.filter(fails);
    const others = failed.filter((check) => !names(check).some((name) => listed.includes(name)));
    expect(
      others.map(({ scenario, id, errorMessage }) => `${scenario}/${id}: ${errorMessage}`),
      "fix the server; list a check that does not apply in conformance_exceptions.ts",
    ).toEqual([]);
  });

  test("a listed exception fails wherever it is tried", () => {
    const passing = listed.filter((name) => {
      const tried = Object.values(checks).map((all) => all.filter((check) => names(check).includes(name)));
      const eras = tried.filter((some) => some.some(({ status }) => status !== "INFO"));
      return eras.length === 0 || !eras.every((some) => some.some(fails));
    });
    expect(passing, "take it out of conformance_exceptions.ts").toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });
});

test("an authorization server: its metadata, and a code for a token, with a person's consent", async () => {
  const { world, url } = site;
  const port = await freePort();
  const redirect_uris = [`http://127.0.0.1:${port}/callback`];
  const registered = await fetch(`${url}${OAUTH}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...USUAL_CLIENT, redirect_uris }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const settings = join(folder.path, "settings.json");
  writeFileSync(settings, JSON.stringify({ url: `${url}/api/auth`, clientId, resource: `${url}/mcp`, port }));
  const to = join(folder.path, "authorization");
  const suite = spawn(process.execPath, [SUITE, "authorization", "--file", settings, "-o", to], {
    cwd: ROOT,
    env: createChildEnvironment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(suite, "exit");
  const owner = await signInOwner(world, url);
  try {
    for await (const line of createInterface({ input: suite.stdout })) {
      if (!line.startsWith(`${url}${OAUTH}/authorize?`)) continue;
      const { headers } = await owner.get(line.slice(url.length));
      const { next } = await allowConsent(owner, headers.get("location")!);
      await (await fetch(next)).text();
    }
  } finally {
    suite.kill();
  }
  expect(await ended).toEqual([0, null]);
  const results = checksIn(to);
  const passed = results.flatMap(({ id, status }) => (status === "SUCCESS" ? [id] : []));
  expect(passed).toEqual(expect.arrayContaining(["authorization-server-metadata", "authorization-code-grant"]));
  expect(results).toHaveLength(passed.length);
});
