// `npm run audit` on a copy of its input, with a registry of the test's own. Forbidden parts of an installation fail,
// parts for tests only do not, and a registry without a response is reported.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createChildEnvironment, ROOT, temporaryFolder } from "../support/processes.ts";

const folder = temporaryFolder();
/** Faults by package, as the registry's bulk answer has them; null: it has no such answer. */
let faults: Record<string, object[]> | null = null;
const registry = createServer((request, response) => {
  request.resume();
  const known = request.method === "POST" && faults;
  response.writeHead(known ? 200 : 405, { "content-type": "application/json" });
  response.end(JSON.stringify(known || {}));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  mkdirSync(join(folder.path, "scripts"));
  for (const name of ["package.json", "package-lock.json", "scripts/dependency_audit.ts", "scripts/sbom.ts"])
    cpSync(join(ROOT, name), join(folder.path, name));
});
afterAll(async () => {
  await new Promise((resolve) => registry.close(resolve));
  folder.remove();
});

const audit = (): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const env = createChildEnvironment({
      PATH: `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`,
      npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}`,
    });
    execFile("node", ["scripts/dependency_audit.ts"], { cwd: folder.path, env }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });

test("a registry without a response is reported, and fails nothing", async () => {
  const { code, out, err } = await audit();
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^\d+ packages: \d+ MIT, /);
  expect(out).toMatch(/^The registry did not report known vulnerabilities: 405/m);
  expect(out).not.toContain("127.0.0.1");
});

test("an installed part fails by a high fault or a licence; a low one, or one for tests, does not", async () => {
  const lock = JSON.parse(readFileSync(join(folder.path, "package-lock.json"), "utf8"));
  lock.packages["node_modules/diff"].license = "GPL-3.0-only";
  lock.packages["node_modules/vitest"].license = "GPL-3.0-only";
  writeFileSync(join(folder.path, "package-lock.json"), JSON.stringify(lock));
  const fault = (title: string, severity: string) => [
    { id: title.length, url: `https://faults.example/${severity}`, title, severity, vulnerable_versions: "*" },
  ];
  faults = {
    marked: fault("Reads too much", "high"),
    qr: fault("Draws slowly", "low"),
    vitest: fault("Tests too much", "critical"),
  };
  const { code, out, err } = await audit();
  expect(code).toBe(1);
  expect(err.trim().split("\n")).toEqual([
    `diff@${lock.packages["node_modules/diff"].version} is under GPL-3.0-only: see scripts/dependency_audit.ts.`,
    "marked, high: Reads too much (https://faults.example/high)",
  ]);
  expect(out).toContain("2 known faults in them.");
  expect(out).toContain("qr, low: Draws slowly");
});
