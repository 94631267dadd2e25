// CI's handling of a run's failures: those that pass alone are accepted once, in a committed list, and never again.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "belfry-outcome-"));
for (const name of [".ci", "test"]) mkdirSync(join(folder, name));
copyFileSync(join(import.meta.dirname, "../../.ci/outcome.mjs"), join(folder, ".ci/outcome.mjs"));
const list = join(folder, "test/unsteady.json");
writeFileSync(list, "[]\n");
afterAll(() => rmSync(folder, { recursive: true }));

/** A run of one file with one test that passes, and one with this outcome. */
function ran(name: string, status: "passed" | "failed"): string {
  const path = join(folder, name);
  const assertionResults = [
    { fullName: "stands", status: "passed", failureMessages: [] },
    { fullName: "sways", status, failureMessages: status === "failed" ? ["Error: too late\n    at x"] : [] },
    { fullName: "is for another machine", status: "skipped", failureMessages: [] },
  ];
  const testResults = [{ name: join(folder, "test/a.test.ts"), status, message: "", assertionResults }];
  writeFileSync(path, JSON.stringify({ testResults }));
  return path;
}

function told(...runs: string[]): { code: number; out: string; last: string } {
  const command = [join(folder, ".ci/outcome.mjs"), "told", ...runs];
  const read = (code: number, out: string) => ({ code, out, last: out.trim().split("\n").at(-1)! });
  try {
    return read(0, execFileSync(process.execPath, command, { encoding: "utf8" }));
  } catch (error: any) {
    return read(error.status, error.stdout);
  }
}

test("runs are counted together, and one without a result is a failure", () => {
  const [first, second] = [ran("first.json", "passed"), ran("second.json", "passed")];
  expect(told(first, second)).toMatchObject({ code: 0, last: "4 passed, 0 failed, 2 skipped" });
  expect(told(first, join(folder, "none.json"))).toMatchObject({
    code: 1,
    last: "2 passed, 1 failed, 1 skipped",
  });
});

test("a failure is one, also when it is one again alone", () => {
  const run = ran("failed.json", "failed");
  expect(told(run)).toMatchObject({ code: 1, last: "1 passed, 1 failed, 1 skipped" });
  ran("failed.again.json", "failed");
  expect(told(run).code).toBe(1);
  expect(JSON.parse(readFileSync(list, "utf8"))).toEqual([]);
});

test("a test that passes alone is recorded the first time, and fails the second time", () => {
  const run = ran("whole.json", "failed");
  ran("whole.again.json", "passed");
  const sighting = { test: "test/a.test.ts > sways", message: "Error: too late" };
  const once = told(run);
  expect(once).toMatchObject({ code: 0, last: "2 passed, 0 failed, 1 skipped" });
  expect(JSON.parse(readFileSync(list, "utf8"))).toMatchObject([sighting]);
  expect(once.out).toContain(`{"test":"${sighting.test}"`);
  expect(told(run)).toMatchObject({ code: 1, last: "1 passed, 1 failed, 1 skipped" });
});
