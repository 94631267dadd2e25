// The result of test runs, from vitest's JSON. `node outcome.mjs FILE …` prints each failure with its message, and a
// last line that counts the tests of all runs. It exits with 1 when a test failed or a run contains no test. No failure
// is run again.

import { existsSync, readFileSync } from "node:fs";

const ROOT = new URL("..", import.meta.url).pathname;

/** The failed tests of a test file; the file itself when it could not be read. */
function failuresOf({ name, message, assertionResults }) {
  const file = name.replace(ROOT, "");
  const failed = assertionResults.filter(({ status }) => status === "failed");
  if (failed.length === 0) return [{ test: file, message }];
  return failed.map(({ fullName, failureMessages }) => ({
    test: `${file} > ${fullName}`,
    message: failureMessages.join("\n"),
  }));
}

const total = { passed: 0, failed: 0, skipped: 0 };
for (const path of process.argv.slice(2)) {
  const results = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).testResults : [];
  const tests = results.flatMap(({ assertionResults }) => assertionResults);
  total.passed += tests.filter(({ status }) => status === "passed").length;
  total.skipped += tests.filter(({ status }) => status !== "passed" && status !== "failed").length;
  if (tests.length === 0) {
    total.failed++;
    console.log(`FAILED: ${path} contains no test\n`);
  }
  for (const { test, message } of results.filter(({ status }) => status !== "passed").flatMap(failuresOf)) {
    total.failed++;
    console.log(`FAILED: ${test}\n${message}\n`);
  }
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
