// The table of docs/contributing/architecture.md names the files that a send runs through, and no call runs through
// more files than it may.

import { expect, test } from "vitest";
import { runProgram } from "../support/processes.ts";

test("the table of the files of a send is current, and no path is longer than it may be", async () => {
  const { code, stdout, stderr } = await runProgram(process.execPath, ["scripts/call_path.ts", "--check"], {});
  expect(stderr.replace(/\(node:\d+\)[^\n]*\n|\(Use[^\n]*\n/g, "")).toBe("");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^send_alert: \d+ files, \d+ functions$/m);
});
