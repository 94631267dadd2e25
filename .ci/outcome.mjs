// The outcome of test runs, from vitest's JSON. `node outcome.mjs failed FILE` prints the test files with a failure, a
// line each. `node outcome.mjs told FILE …` prints each failure with its message, and a last line that counts all
// tests. It exits with 1 when a test failed or a run has no result. NAME.again.json next to NAME.json is a second run
// of the failures. Tests that pass there are unsteady. The first time is written into test/unsteady.json, to be
// committed. The second time is a failure.

import { existsSync, readFileSync, writeFileSync } from "node:fs";

const LIST = new URL("../test/unsteady.json", import.meta.url);
const ROOT = new URL("..", import.meta.url).pathname;

const [what, ...paths] = process.argv.slice(2);
const readRun = (path) => JSON.parse(readFileSync(path, "utf8")).testResults;
const isFailed = ({ status }) => status !== "passed";

/** Each failure of a test file's result; of one that could not be read, the file's own. */
function failuresOf({ name, message, assertionResults }) {
  const file = name.replace(ROOT, "");
  const failed = assertionResults.filter(({ status }) => status === "failed");
  if (failed.length === 0) return [{ test: file, message }];
  return failed.map(({ fullName, failureMessages }) => ({
    test: `${file} > ${fullName}`,
    message: failureMessages.join("\n"),
  }));
}

if (what === "failed") {
  for (const { name } of readRun(paths[0]).filter(isFailed)) console.log(name);
} else {
  const seen = JSON.parse(readFileSync(LIST, "utf8"));
  const sightings = [];
  const total = { passed: 0, failed: 0, skipped: 0 };
  const tell = (mark, { test, message }) => console.log(`${mark}: ${test}\n${message}\n`);
  for (const path of paths) {
    const results = existsSync(path) ? readRun(path) : [];
    const again = path.replace(/json$/, "again.json");
    const passedAlone = existsSync(again)
      ? readRun(again).flatMap((result) => (isFailed(result) ? [] : result.name))
      : [];
    const all = results.flatMap(({ assertionResults }) => assertionResults);
    total.passed += all.filter(({ status }) => status === "passed").length;
    total.skipped += all.filter(({ status }) => status !== "passed" && status !== "failed").length;
    if (all.length === 0) {
      total.failed++;
      console.log(`FAILED: ${path} tells of no test\n`);
    }
    for (const result of results.filter(isFailed))
      for (const failure of failuresOf(result)) {
        const unsteady = passedAlone.includes(result.name);
        const known = seen.find(({ test }) => test === failure.test);
        if (unsteady && !known) {
          tell("UNSTEADY (passed when its file ran again, alone)", failure);
          total.passed++;
          sightings.push({
            test: failure.test,
            date: new Date().toISOString().slice(0, 10),
            message: failure.message.split("\n")[0],
          });
        } else {
          total.failed++;
          tell(unsteady ? `FAILED (unsteady again; first seen on ${known.date})` : "FAILED", failure);
        }
      }
  }
  if (sightings.length > 0) {
    writeFileSync(LIST, `${JSON.stringify([...seen, ...sightings], null, 2)}\n`);
    console.log("Commit these lines of test/unsteady.json: the next time, each of them is a failure.");
    for (const sighting of sightings) console.log(JSON.stringify(sighting));
  }
  const { passed, failed, skipped } = total;
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}
