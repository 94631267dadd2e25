// The version of a release: the places that name it, the date in the changelog, the commit and the tag.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A release that cannot be made; the message names the way out. */
export class ReleaseError extends Error {}

const NUMBERS = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
const UNRELEASED = /^## Unreleased\n+(?!## )(?=.)/m;

/** The name of a package or image with its version, in commands and manifests. */
const NAMED = "belfry[-:][0-9]+\\.[0-9]+\\.[0-9]+";

const read = (root: string, path: string): string => readFileSync(join(root, path), "utf8");
const readVersion = (root: string): string => JSON.parse(read(root, "package.json")).version;

/** Runs git in `root` and returns its output. @throws Error if git fails */
export const runGit = (root: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 64 << 20 }).trim();

/** Tracked files with the name of a released package or image. Texts about earlier releases keep theirs. */
function findNamingFiles(root: string): string[] {
  const paths = [".", ":!CHANGELOG.md", ":!docs/decisions", ":!test", ":!package-lock.json"];
  return spawnSync("git", ["grep", "-lE", NAMED, "--", ...paths], { cwd: root, encoding: "utf8" })
    .stdout.split("\n")
    .filter(Boolean);
}

/**
 * Places that name another version than package.json, one sentence each. The changelog needs a dated heading only for
 * a release: `dated`.
 */
export function findVersionProblems(root: string, { dated }: { dated: boolean }): string[] {
  const version = readVersion(root);
  const problems: string[] = [];
  const lock = JSON.parse(read(root, "package-lock.json"));
  if (lock.version !== version || lock.packages[""].version !== version)
    problems.push("package-lock.json has another version than package.json: run npm install --package-lock-only.");
  for (const file of ["server.json", "openapi.json"])
    if (!read(root, file).includes(`"version": "${version}"`))
      problems.push(`${file} has another version than package.json: run npm run gen.`);
  for (const file of findNamingFiles(root)) {
    const others = [...read(root, file).matchAll(new RegExp(NAMED, "g"))].filter(
      ([name]) => name.slice("belfry-".length) !== version,
    );
    if (others.length > 0) problems.push(`${file} names ${others[0]}, but package.json has the version ${version}.`);
  }
  const heading = new RegExp(`^## ${version.replaceAll(".", "\\.")} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, "m");
  if (dated && !heading.test(read(root, "CHANGELOG.md")))
    problems.push(`CHANGELOG.md has no heading "## ${version} (YYYY-MM-DD)".`);
  return problems;
}

const isLater = (version: string, than: string): boolean => {
  const [left, right] = [version, than].map((text) => NUMBERS.exec(text)!.slice(1).map(Number)) as [number[], number[]];
  const differs = left.findIndex((number, i) => number !== right[i]);
  return differs !== -1 && left[differs]! > right[differs]!;
};

/** The commit of the version's tag; null without the tag. */
function findTaggedCommit(root: string, version: string): string | null {
  const found = runGit(root, "for-each-ref", "--format=%(objectname) %(*objectname)", `refs/tags/v${version}`);
  return found === "" ? null : found.split(" ").at(-1)!;
}

/** Refuses a release whose tag is at another commit. @throws ReleaseRefused */
export function checkTag(root: string): void {
  const version = readVersion(root);
  const tagged = findTaggedCommit(root, version);
  if (tagged !== null && tagged !== runGit(root, "rev-parse", "HEAD"))
    throw new ReleaseError(
      `The tag v${version} is at commit ${tagged}. Check that commit out, or release the next version.`,
    );
}

/** Adds the version's tag at HEAD, unless it is there. */
export function addTag(root: string): void {
  const version = readVersion(root);
  if (findTaggedCommit(root, version) === null)
    runGit(root, "tag", "--annotate", `v${version}`, "--message", `Belfry ${version}`);
}

/**
 * Gives the tree at `root` the version, dates the unreleased changes and commits both. A tree with this version is not
 * changed. The tree must have no local changes; a failure restores it.
 * @param date YYYY-MM-DD.
 * @throws ReleaseRefused for an unusable version, or a changelog without unreleased changes.
 */
export function prepareVersion(root: string, version: string, date: string): void {
  const present = readVersion(root);
  if (!NUMBERS.test(version))
    throw new ReleaseError("A version has three numbers, such as 0.3.0. Run npm run release -- 0.3.0.");
  if (version === present) return;
  if (!isLater(version, present))
    throw new ReleaseError(`package.json has the version ${present}. Name a later one than this.`);
  const changelog = read(root, "CHANGELOG.md");
  if (!UNRELEASED.test(changelog))
    throw new ReleaseError('CHANGELOG.md has no changes below "## Unreleased". Describe them there first.');
  try {
    writeFileSync(join(root, "CHANGELOG.md"), changelog.replace("## Unreleased", `## ${version} (${date})`));
    const options = ["--no-git-tag-version", "--ignore-scripts", "--no-workspaces-update", "--loglevel=error"];
    execFileSync("npm", ["version", version, ...options], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    for (const file of findNamingFiles(root))
      writeFileSync(
        join(root, file),
        read(root, file).replace(new RegExp(NAMED, "g"), (name) => `${name.slice(0, "belfry-".length)}${version}`),
      );
    execFileSync(process.execPath, ["scripts/gen.ts"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    runGit(root, "add", "--all");
    runGit(root, "commit", "--quiet", "--message", `Release ${version}`);
  } catch (error) {
    runGit(root, "reset", "--hard", "--quiet");
    throw error;
  }
}
