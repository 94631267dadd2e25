// The count with which CI ends, from the JSON of several test runs.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const OUTCOME = join(import.meta.dirname, "../../.ci/outcome.mjs");
const folder = mkdtempSync(join(tmpdir(), "belfry-outcome-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a run of one file: a test that passes, a skipped one, and one with this status. Returns its path. */
function writeRun(name: string, status: "passed" | "failed"): string {
  const path = join(folder, name);
  const assertionResults = [
    { fullName: "passes", status: "passed", failureMessages: [] },
    { fullName: "varies", status, failureMessages: status === "failed" ? ["Error: too late\n    at x"] : [] },
    { fullName: "needs another machine", status: "skipped", failureMessages: [] },
  ];
  const testResults = [{ name: "/tree/test/a.test.ts", status, message: "", assertionResults }];
  writeFileSync(path, JSON.stringify({ testResults }));
  return path;
}

function outcome(...runs: string[]): { code: number | null; out: string; last: string } {
  const { status, stdout } = spawnSync(process.execPath, [OUTCOME, ...runs], { encoding: "utf8" });
  return { code: status, out: stdout, last: stdout.trim().split("\n").at(-1)! };
}

test("runs are counted together, and a run without tests is a failure", () => {
  const [first, second] = [writeRun("first.json", "passed"), writeRun("second.json", "passed")];
  expect(outcome(first, second)).toMatchObject({ code: 0, last: "4 passed, 0 failed, 2 skipped" });
  expect(outcome(first, join(folder, "none.json"))).toMatchObject({ code: 1, last: "2 passed, 1 failed, 1 skipped" });
});

test("a failed test fails the run and is printed with its message", () => {
  const { code, out, last } = outcome(writeRun("failed.json", "failed"));
  expect([code, last]).toEqual([1, "1 passed, 1 failed, 1 skipped"]);
  expect(out).toContain("test/a.test.ts > varies\nError: too late");
});
