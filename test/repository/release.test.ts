// `npm run release` on a copy of this tree. One commit becomes a folder whose files name their contents, their origin
// and their parts. Other states than one commit and one version are refused.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { environment, ROOT, temporaryFolder } from "../support/processes.ts";

const folder = temporaryFolder();
const tree = join(folder.path, "tree");
const to = join(folder.path, "release");
const PATH = `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`;
const env = environment({
  PATH,
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@example.org",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@example.org",
});
const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, env, encoding: "utf8" }).trim();

function release(): { code: number; said: string } {
  const args = ["scripts/release.ts", "--to", to, "--image", "none"];
  try {
    return { code: 0, said: execFileSync("node", args, { cwd: tree, env, encoding: "utf8", stdio: "pipe" }) };
  } catch (error: any) {
    return { code: error.status, said: error.stderr };
  }
}

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
  git(tree, "add", "--all");
  git(tree, "commit", "--quiet", "--message", "Everything");
});
afterAll(() => folder.remove());

test("one commit becomes a package, an SBOM, a provenance and checksums that are valid", () => {
  const { code, said } = release();
  expect({ code, said }).toMatchObject({ code: 0 });
  const base = `${name}-${version}`;
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
  expect(predicate.buildDefinition.resolvedDependencies[0].digest.gitCommit).toBe(git(tree, "rev-parse", "HEAD"));
  const told = new Map(subject.map((one: any) => [one.name, one.digest.sha256]));
  expect(told.get(`${base}.tgz`)).toBe(digests.get(`${base}.tgz`));

  const { components, metadata } = JSON.parse(readFileSync(join(to, `${base}.sbom.json`), "utf8"));
  expect(metadata.component).toMatchObject({ name, version });
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
  // Packing the same commit again results in the same package.
  release();
  const again = readFileSync(join(to, `${base}.tgz`));
  expect(createHash("sha256").update(again).digest("hex")).toBe(digests.get(`${base}.tgz`));
  expect(git(tree, "status", "--porcelain")).toBe("");
});

test("other states than one commit and one version are refused with a message", () => {
  appendFileSync(join(tree, "README.md"), "\nNot committed.\n");
  expect(release()).toEqual({ code: 1, said: expect.stringMatching(/^Commit first.*\n ?M README\.md\n$/) });
  git(tree, "checkout", "--quiet", "README.md");
  appendFileSync(join(tree, ".gitignore"), "\n");
  execFileSync("sed", ["-i", "s/^## [0-9.]* (.*)$/## Some day/", "CHANGELOG.md"], { cwd: tree });
  git(tree, "commit", "--quiet", "--all", "--message", "Forget the date");
  expect(release()).toEqual({
    code: 1,
    said: expect.stringContaining(`no heading "## ${version} (YYYY-MM-DD)"`),
  });
});
