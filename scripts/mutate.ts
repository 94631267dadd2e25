// `npm run mutate [-- AREA-or-words]`: makes one fault at a time in a copy of the tree, runs the tests that must
// notice, and prints the score. Exits 1 when a fault is not noticed. `--check` only verifies that every fault can still
// be made.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { MUTANTS, type Mutant } from "./mutants.ts";

const ROOT = join(import.meta.dirname, "..");
/** A fault that makes the tests hang also counts as noticed. */
const PATIENCE_MS = 600_000;

const [flags, words] = [true, false].map((flag) =>
  process.argv.slice(2).filter((argument) => argument.startsWith("--") === flag),
) as [string[], string[]];
const FLAGS = ["--check", "--trust", "--verbose"];
const unknown = flags.filter((flag) => !FLAGS.includes(flag));
if (unknown.length > 0) {
  console.error(`No such flag: ${unknown.join(" ")}. There are ${FLAGS.join(", ")}; other arguments choose faults.`);
  process.exit(2);
}
const chosen = MUTANTS.filter(({ area, fault }) => words.every((word) => `${area}: ${fault}`.includes(word)));

/** The errors of the table itself: a text that does not occur exactly once, or tests that do not exist. */
function stale({ file, from, tests }: Mutant): string | null {
  const found = existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), "utf8").split(from).length - 1 : 0;
  if (found !== 1) return `its text occurs in ${file} ${found} times`;
  const missing = tests.find((test) => !existsSync(join(ROOT, test)));
  return missing ? `${missing} does not exist` : null;
}

/** The files of the tree as they are, changes that are not committed among them; packages are shared. */
function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), "belfry-mutants-"));
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  for (const file of listed
    .toString()
    .split("\0")
    .filter((name) => name && existsSync(join(ROOT, name)))) {
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  for (const packages of ["node_modules", "test/typed_client/node_modules"])
    if (existsSync(join(ROOT, packages))) symlinkSync(join(ROOT, packages), join(copy, packages));
  return copy;
}

/** Tests of pure parts need no database, and none of its setup; these two helpers do not need it either. */
const PURE = "scripts/pure_tests.config.ts";
const isPure = (test: string) =>
  !/support\/(?!dns\.ts|sinks\.ts)|inject\(/.test(readFileSync(join(ROOT, test), "utf8"));

/** True when the tests fail. */
function fails(tree: string, tests: readonly string[], named?: string): boolean {
  const args = ["run", "--bail", "1", "--reporter", "dot", ...(named ? ["-t", named] : []), ...tests];
  if (tests.every(isPure)) args.push("--config", PURE);
  const ended = spawnSync(join(ROOT, "node_modules/.bin/vitest"), args, {
    cwd: tree,
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
    stdio: "pipe",
  });
  if (flags.includes("--verbose")) process.stdout.write(ended.stdout);
  return ended.status !== 0;
}

const wrong = MUTANTS.map((mutant) => [mutant, stale(mutant)] as const).filter(([, problem]) => problem);
for (const [{ fault }, problem] of wrong) console.error(`${fault}: ${problem}`);
if (wrong.length > 0) process.exit(1);
if (flags.includes("--check")) process.exit(0);
if (chosen.length === 0) {
  console.error(`No fault matches all of: ${words.join(" ")}.`);
  process.exit(2);
}

const tree = copyTree();
const unnoticed: Mutant[] = [];
try {
  // Tests that fail by themselves would notice everything.
  const red = [...new Set(chosen.flatMap(({ tests }) => tests))].filter(
    (test) => !flags.includes("--trust") && fails(tree, [test]),
  );
  if (red.length > 0) throw new Error(`without any fault, these fail: ${red.join(", ")}`);
  for (const [i, mutant] of chosen.entries()) {
    const path = join(tree, mutant.file);
    const whole = readFileSync(path, "utf8");
    const started = performance.now();
    writeFileSync(
      path,
      whole.replace(mutant.from, () => mutant.to),
    );
    const noticed = fails(tree, mutant.tests, mutant.named);
    writeFileSync(path, whole);
    if (!noticed) unnoticed.push(mutant);
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(
      `${i + 1}/${chosen.length} ${noticed ? "noticed  " : "UNNOTICED"} ${mutant.area}: ${mutant.fault} (${seconds} s)`,
    );
  }
} finally {
  rmSync(tree, { recursive: true, force: true });
}
console.log(`${chosen.length - unnoticed.length} of ${chosen.length} faults are noticed.`);
process.exitCode = unnoticed.length > 0 ? 1 : 0;
