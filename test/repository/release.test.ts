// `npm run release` on a copy of this tree: the files of a release, the next version with its commit and tag, and
// refusals. The notes of an upgrade list the renamed settings and metrics.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findVersionProblems } from "../../scripts/release_version.ts";
import { COUNTERS, GAUGES, HISTOGRAMS } from "../../src/program/boot/metric_definitions.ts";
import { RENAMED_SETTINGS } from "../../src/store/config/renamed_settings.ts";
import { createChildEnvironment, ROOT, temporaryFolder } from "../support/processes.ts";

const folder = temporaryFolder();
const tree = join(folder.path, "tree");
const to = join(folder.path, "release");
const PATH = `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`;
const env = createChildEnvironment({
  PATH,
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@example.org",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@example.org",
});
const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, env, encoding: "utf8" }).trim();

/** Runs the command on the copy, and returns its exit code and output. */
function release(...options: string[]): { code: number; said: string } {
  const args = ["scripts/release.ts", "--to", to, "--image", "none", ...options];
  const { status, stdout, stderr } = spawnSync("node", args, { cwd: tree, env, encoding: "utf8" });
  return { code: status ?? -1, said: status === 0 ? stdout : stderr };
}

/** A changelog with unreleased changes. */
const withChanges = (changelog: string) => changelog.replace(/^(?=## )/m, "## Unreleased\n\n- A change.\n\n");

const { name, version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

beforeAll(() => {
  const files = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0");
  for (const file of new Set(files.filter(Boolean))) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    // One that is deleted and not yet committed is in the list.
    cpSync(join(ROOT, file), join(tree, file), { force: true, errorOnExist: false });
  }
  symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
  git(tree, "init", "--quiet");
  // The copied changelog may have no unreleased changes.
  const changelog = readFileSync(join(tree, "CHANGELOG.md"), "utf8");
  if (!changelog.includes("## Unreleased")) writeFileSync(join(tree, "CHANGELOG.md"), withChanges(changelog));
  git(tree, "add", "--all");
  git(tree, "commit", "--quiet", "--message", "Everything");
});
afterAll(() => folder.remove());

test("local changes, an unknown version and another version in a file are refused", () => {
  appendFileSync(join(tree, "README.md"), "\nNot committed.\n");
  expect(release()).toEqual({ code: 1, said: expect.stringMatching(/^Commit first.*\n ?M README\.md\n$/) });
  expect(release("99.0.0")).toEqual({ code: 1, said: expect.stringMatching(/^Commit first/) });
  git(tree, "checkout", "--quiet", "README.md");
  for (const [requested, said] of [
    ["next", "A version has three numbers"],
    ["99.0", "A version has three numbers"],
    ["v99.0.0", "A version has three numbers"],
    ["99.0.0-beta.1", "A version has three numbers"],
    ["0.0.9", "Name a later one than this."],
  ])
    expect(release(requested!)).toEqual({ code: 1, said: expect.stringContaining(said!) });
  const untouched = git(tree, "rev-parse", "HEAD");
  expect([git(tree, "status", "--porcelain"), git(tree, "tag", "--list")]).toEqual(["", ""]);

  const commitChange = (file: string, change: (text: string) => string, message: string) => {
    writeFileSync(join(tree, file), change(readFileSync(join(tree, file), "utf8")));
    git(tree, "commit", "--quiet", "--all", "--message", message);
  };
  commitChange("CHANGELOG.md", (text) => text.replaceAll(/^## [0-9.]+ \(.*\)$/gm, "## Some day"), "Forget the date");
  expect(release()).toEqual({ code: 1, said: expect.stringContaining(`no heading "## ${version} (YYYY-MM-DD)"`) });
  git(tree, "reset", "--quiet", "--hard", untouched);
  commitChange(
    "deploy/kubernetes/belfry.yaml",
    (text) => text.replace(`belfry:${version}`, "belfry:0.0.9"),
    "Forget it",
  );
  expect(release()).toEqual({ code: 1, said: expect.stringContaining("belfry.yaml names belfry:0.0.9, but") });
  git(tree, "reset", "--quiet", "--hard", untouched);
  commitChange(
    "CHANGELOG.md",
    (text) => text.replace(/^## Unreleased\n[\s\S]*?^(?=## )/m, "## Unreleased\n\n"),
    "Empty",
  );
  expect(release("99.0.0")).toEqual({ code: 1, said: expect.stringContaining('no changes below "## Unreleased"') });
  git(tree, "reset", "--quiet", "--hard", untouched);
});

test("the next version becomes one commit with its tag", () => {
  const parent = git(tree, "rev-parse", "HEAD");
  // A failure restores the tree: the last step of the version is a commit, and a hook refuses it.
  const hook = join(tree, ".git/hooks/pre-commit");
  mkdirSync(dirname(hook), { recursive: true });
  writeFileSync(hook, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  expect(release("99.0.0").code).not.toBe(0);
  expect([git(tree, "status", "--porcelain"), git(tree, "rev-parse", "HEAD")]).toEqual(["", parent]);
  rmSync(hook);

  expect(release("99.0.0")).toMatchObject({
    code: 0,
    said: expect.stringContaining("The tag v99.0.0 is at this commit"),
  });
  const commit = git(tree, "rev-parse", "HEAD");
  expect(git(tree, "log", "-1", "--format=%s %P")).toBe(`Release 99.0.0 ${parent}`);
  expect(git(tree, "rev-parse", "v99.0.0^{commit}")).toBe(commit);
  expect(findVersionProblems(tree, { dated: true })).toEqual([]);
  const changed = git(tree, "show", "--name-only", "--format=", "HEAD").split("\n");
  expect(changed).toEqual(
    expect.arrayContaining(["CHANGELOG.md", "openapi.json", "package-lock.json", "package.json", "server.json"]),
  );
  expect(git(tree, "show", "HEAD:CHANGELOG.md")).toMatch(/^## 99\.0\.0 \(\d{4}-\d\d-\d\d\)$/m);
});

test("the commit becomes a package, an SBOM, a provenance and checksums that match", () => {
  const base = `${name}-99.0.0`;
  const commit = git(tree, "rev-parse", "HEAD");
  const made = readdirSync(to).sort();
  expect(made).toEqual(["SHA256SUMS", `${base}.provenance.json`, `${base}.sbom.json`, `${base}.tgz`]);
  const sums = readFileSync(join(to, "SHA256SUMS"), "utf8").trim().split("\n");
  const digests = new Map(sums.map((line) => line.split("  ").reverse() as [string, string]));
  expect([...digests.keys()].sort()).toEqual(made.slice(1));
  for (const [file, digest] of digests)
    expect(
      createHash("sha256")
        .update(readFileSync(join(to, file)))
        .digest("hex"),
    ).toBe(digest);

  const { subject, predicate } = JSON.parse(readFileSync(join(to, `${base}.provenance.json`), "utf8"));
  expect(predicate.buildDefinition.resolvedDependencies[0].digest.gitCommit).toBe(commit);
  const told = new Map(subject.map((one: any) => [one.name, one.digest.sha256]));
  expect(told.get(`${base}.tgz`)).toBe(digests.get(`${base}.tgz`));

  const { components, metadata } = JSON.parse(readFileSync(join(to, `${base}.sbom.json`), "utf8"));
  expect(metadata.component).toMatchObject({ name, version: "99.0.0" });
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const parts = new Set(components.map((one: any) => `${one.group ? `${one.group}/` : ""}${one.name}@${one.version}`));
  expect(Object.entries(dependencies).filter(([part, of]) => !parts.has(`${part}@${of}`))).toEqual([]);
  expect(
    [...parts].filter((part) =>
      /^(vitest|typescript|playwright-core|belfry-typed-client|lightningcss-[\w-]+|rolldown|@rolldown\/[\w-]+)@/.test(
        part as string,
      ),
    ),
  ).toEqual([]);

  // The same command again changes nothing but the folder, whose package is the same.
  expect(release("99.0.0").code).toBe(0);
  const again = readFileSync(join(to, `${base}.tgz`));
  expect(createHash("sha256").update(again).digest("hex")).toBe(digests.get(`${base}.tgz`));
  expect([git(tree, "rev-parse", "HEAD"), git(tree, "status", "--porcelain")]).toEqual([commit, ""]);
  expect(git(tree, "tag", "--list")).toBe("v99.0.0");

  // After another commit, the version is taken.
  git(tree, "commit", "--quiet", "--allow-empty", "--message", "Go on");
  for (const options of [["99.0.0"], []])
    expect(release(...options)).toEqual({ code: 1, said: expect.stringContaining(`v99.0.0 is at commit ${commit}`) });
});

test("every file of this tree names the version of package.json", () => {
  expect(findVersionProblems(ROOT, { dated: false })).toEqual([]);
});

// rules#misspelt-settings
test("the notes of the upgrade list each renamed setting and metric", () => {
  const notes = readFileSync(join(ROOT, "docs/how-to/upgrade.md"), "utf8");
  const rows = [...notes.matchAll(/^\| `(\w+)` \| `(\w+)` \|$/gm)].map(([, old, now]) => [old!, now!]);
  const [settings, metrics] = [/^[A-Z]/, /^belfry_/].map((names) => rows.filter(([old]) => names.test(old!)));
  expect(settings).toEqual([...RENAMED_SETTINGS]);
  const present = [COUNTERS, GAUGES, HISTOGRAMS].flatMap((group) => Object.values(group).map((metric) => metric.name));
  expect(metrics!.length).toBeGreaterThan(10);
  for (const [old, now] of metrics!) {
    expect(present).toContain(now);
    expect(present).not.toContain(old);
  }
});
