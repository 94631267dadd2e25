// What a test run said, from vitest's JSON. `node outcome.mjs failed FILE` prints the test files with a failure, a line each;
// `node outcome.mjs told FILE …` prints each failure with its message, and a last line that counts the tests of the first
// FILE. It exits with 1 when a test failed there, unless its file passed whole in a later FILE.

import { existsSync, readFileSync } from "node:fs";

const [what, ...paths] = process.argv.slice(2);
const [first, ...later] = paths
  .filter((path) => existsSync(path))
  .map((path) => JSON.parse(readFileSync(path)));
const failedFiles = (run) => run.testResults.filter(({ status }) => status !== "passed");

if (what === "failed") {
  for (const { name } of failedFiles(first)) console.log(name);
} else {
  const passedLater = new Set(
    later.flatMap(({ testResults }) =>
      testResults.filter(({ status }) => status === "passed").map(({ name }) => name),
    ),
  );
  for (const { name, message, assertionResults } of failedFiles(first)) {
    const mark = passedLater.has(name) ? "UNSTEADY (passed when its file ran again, alone)" : "FAILED";
    const failed = assertionResults.filter(({ status }) => status === "failed");
    for (const { fullName, failureMessages } of failed) {
      console.log(`${mark}: ${name} > ${fullName}\n${failureMessages.join("\n")}\n`);
    }
    if (failed.length === 0) console.log(`${mark}: ${name}\n${message}\n`);
  }
  const failuresOf = (files) =>
    files.reduce(
      (sum, { assertionResults }) =>
        sum + assertionResults.filter(({ status }) => status === "failed").length,
      0,
    );
  const failed = failedFiles(first).filter(({ name }) => !passedLater.has(name));
  const unsteady = failuresOf(failedFiles(first).filter(({ name }) => passedLater.has(name)));
  const passed = first.numPassedTests + unsteady;
  const again = unsteady > 0 ? `; ${unsteady} of them in a second run, named above` : "";
  console.log(`${passed} passed, ${failuresOf(failed)} failed, ${first.numPendingTests} skipped${again}`);
  process.exit(failed.length > 0 || passed === 0 ? 1 : 0);
}
