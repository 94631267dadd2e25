// `npm run release`: everything of one version in one folder. It has the package, an image where a program can build
// one, and their SBOM. It also has their provenance (in the form of in-toto and SLSA, unsigned), and the checksums of
// all. npm run release -- --to FOLDER --image none

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createSbom } from "./sbom.ts";

const ROOT = join(import.meta.dirname, "..");
const BUILDERS = ["docker", "podman", "buildah"];

const { values } = parseArgs({ options: { to: { type: "string" }, image: { type: "string" } } });
const to = values.to ?? join(ROOT, "release");

const ask = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd: ROOT, encoding: "utf8", maxBuffer: 64 << 20 }).trim();
const json = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));
const digestOf = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

function refuse(why: string): never {
  console.error(why);
  process.exit(1);
}

const { name, version } = json("package.json");
const dated = new RegExp(`^## ${version.replaceAll(".", "\\.")} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, "m");
const changes = ask("git", "status", "--porcelain");
if (changes !== "") refuse(`Commit first: what is released is one commit, and these files differ from it:\n${changes}`);
if (json("package-lock.json").version !== version)
  refuse("package-lock.json has another version than package.json: run npm install --package-lock-only.");
for (const file of ["server.json", "openapi.json"])
  if (!readFileSync(join(ROOT, file), "utf8").includes(`"version": "${version}"`))
    refuse(`${file} has another version than package.json: run npm run gen.`);
if (!dated.test(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8")))
  refuse(`CHANGELOG.md has no heading "## ${version} (YYYY-MM-DD)".`);

const commit = ask("git", "rev-parse", "HEAD");
const started = new Date();
if (existsSync(to) && readdirSync(to).length > 0 && !existsSync(join(to, "SHA256SUMS")))
  refuse(`${to} contains something else than a release; name another folder by --to.`);
rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });

const packed: { filename: string }[] = Object.values(
  JSON.parse(ask("npm", "pack", "--json", "--loglevel=error", "--pack-destination", to)),
);
const base = `${name}-${version}`;
writeFileSync(join(to, `${base}.sbom.json`), `${JSON.stringify(createSbom(ROOT), null, 2)}\n`);

/** The first of these programs that responds; a client without a running service does not count. */
const builder =
  values.image === "none"
    ? undefined
    : BUILDERS.find((one) => spawnSync(one, ["info"], { stdio: "ignore", timeout: 20_000 }).status === 0);
if (builder) {
  const tag = `${name}:${version}`;
  const labels = [`org.opencontainers.image.version=${version}`, `org.opencontainers.image.revision=${commit}`];
  const args = ["build", "-f", "deploy/Dockerfile", "-t", tag, ...labels.flatMap((label) => ["--label", label]), "."];
  execFileSync(builder, args, { cwd: ROOT, stdio: "inherit" });
  const archive = join(to, `${base}.image.tar`);
  if (builder === "buildah")
    execFileSync(builder, ["push", tag, `docker-archive:${archive}:${tag}`], { stdio: "inherit" });
  else execFileSync(builder, ["save", "-o", archive, tag], { stdio: "inherit" });
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
      builder: { id: "somebody's own machine" },
      metadata: { startedOn: started.toISOString(), finishedOn: new Date().toISOString() },
    },
  },
};
writeFileSync(join(to, `${base}.provenance.json`), `${JSON.stringify(provenance, null, 2)}\n`);
const sums = files().map((file) => `${digestOf(join(to, file))}  ${file}\n`);
writeFileSync(join(to, "SHA256SUMS"), sums.join(""));

console.log(`${base} of commit ${commit}, package ${packed[0]?.filename}, in ${to}:\n${sums.join("")}`.trimEnd());
if (!builder) console.log(`No image: none of ${BUILDERS.join(", ")} answers here, or --image none was given.`);
