// Builds all files of one version in one folder: package, image, SBOM, unsigned provenance (in-toto
// and SLSA) and checksums. It never pushes.
// `npm run release -- 0.3.0` also sets the version, dates the changelog, commits and adds the tag.
// `npm run release` builds the present version.
// Options: --to FOLDER, --image none. docs/contributing/releasing.md has the steps.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { addTag, checkTag, findVersionProblems, prepareVersion, ReleaseError, runGit } from "./release_version.ts";
import { createSbom } from "./sbom.ts";

const ROOT = join(import.meta.dirname, "..");
const BUILDERS = ["docker", "podman", "buildah"];

const { values, positionals } = parseArgs({
  options: { to: { type: "string" }, image: { type: "string" } },
  allowPositionals: true,
});
const to = resolve(values.to ?? join(ROOT, "release"));
const [requested] = positionals;

const ask = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd: ROOT, encoding: "utf8", maxBuffer: 64 << 20 }).trim();
const digestOf = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

function refuse(why: string): never {
  console.error(why);
  process.exit(1);
}

const started = new Date();
const changes = runGit(ROOT, "status", "--porcelain");
if (changes !== "") refuse(`Commit first: a release is one commit, and these files differ from it:\n${changes}`);
const isOurs = (file: string) => file === "SHA256SUMS" || file.startsWith("belfry-");
if (existsSync(to) && !readdirSync(to, { withFileTypes: true }).every((entry) => entry.isFile() && isOurs(entry.name)))
  refuse(`${to} contains other files than a release. Name another folder with --to.`);
try {
  if (requested !== undefined) prepareVersion(ROOT, requested, started.toISOString().slice(0, 10));
  const [problem] = findVersionProblems(ROOT, { dated: true });
  if (problem !== undefined) throw new ReleaseError(problem);
  checkTag(ROOT);
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  refuse(error.message);
}

const { name, version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const commit = runGit(ROOT, "rev-parse", "HEAD");
rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });

const packed: { filename: string }[] = Object.values(
  JSON.parse(ask("npm", "pack", "--json", "--loglevel=error", "--pack-destination", to)),
);
const base = `${name}-${version}`;
writeFileSync(join(to, `${base}.sbom.json`), `${JSON.stringify(createSbom(ROOT), null, 2)}\n`);

/** Why a builder cannot be used; null if it can. A client without its service does not count. */
function findBuilderProblem(program: string): string | null {
  const { error, status, signal } = spawnSync(program, ["info"], { stdio: "ignore", timeout: 20_000 });
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return `${program} is not installed`;
  return status === 0 ? null : `\`${program} info\` fails (${signal ?? `exit ${status}`})`;
}

const problems = new Map<string, string>();
/** The first builder that can be used. */
const builder = (values.image === "none" ? [] : BUILDERS).find((program) => {
  const problem = findBuilderProblem(program);
  if (problem !== null) problems.set(program, problem);
  return problem === null;
});
if (builder) {
  const tag = `${name}:${version}`;
  const labels = [`org.opencontainers.image.version=${version}`, `org.opencontainers.image.revision=${commit}`];
  // In the OCI format, the image would have no HEALTHCHECK.
  const format = builder === "docker" ? [] : ["--format", "docker"];
  const args = [
    "build",
    ...format,
    "-f",
    "deploy/Dockerfile",
    "-t",
    tag,
    ...labels.flatMap((label) => ["--label", label]),
    ".",
  ];
  const archive = join(to, `${base}.image.tar`);
  const save = builder === "buildah" ? ["push", tag, `docker-archive:${archive}:${tag}`] : ["save", "-o", archive, tag];
  for (const step of [args, save])
    if (spawnSync(builder, step, { cwd: ROOT, stdio: "inherit" }).status !== 0)
      refuse(`${builder} did not build the image. Fix the cause above, or run again with --image none.`);
}

const files = () => readdirSync(to).sort();
const provenance = {
  _type: "https://in-toto.io/Statement/v1",
  subject: files().map((file) => ({ name: file, digest: { sha256: digestOf(join(to, file)) } })),
  predicateType: "https://slsa.dev/provenance/v1",
  predicate: {
    buildDefinition: {
      buildType: "https://docs.npmjs.com/cli/v11/commands/npm-pack",
      externalParameters: { command: "npm run release", image: builder ?? null },
      internalParameters: {
        node: process.version,
        npm: ask("npm", "--version"),
        platform: process.platform,
        arch: process.arch,
      },
      resolvedDependencies: [
        { uri: "git+file:.", digest: { gitCommit: commit } },
        { uri: "file:package-lock.json", digest: { sha256: digestOf(join(ROOT, "package-lock.json")) } },
      ],
    },
    runDetails: {
      builder: { id: "the machine of a maintainer" },
      metadata: { startedOn: started.toISOString(), finishedOn: new Date().toISOString() },
    },
  },
};
writeFileSync(join(to, `${base}.provenance.json`), `${JSON.stringify(provenance, null, 2)}\n`);
const sums = files().map((file) => `${digestOf(join(to, file))}  ${file}\n`);
writeFileSync(join(to, "SHA256SUMS"), sums.join(""));

if (requested !== undefined) addTag(ROOT);

console.log(`${base} of commit ${commit}, package ${packed[0]?.filename}, in ${to}:\n${sums.join("")}`.trimEnd());
if (!builder) console.log(`No image: ${[...problems.values()].join(", ") || "--image none was given"}.`);
if (requested !== undefined) console.log(`The tag v${version} is at this commit. Nothing was pushed.`);
console.log("docs/contributing/releasing.md lists the next steps.");
