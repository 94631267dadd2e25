// Requirements of a test on the machine. A test that cannot run is skipped, counted, and its reason printed, in one
// way. Where all programs were installed before (BELFRY_TEST_REQUIRE=1, set by CI), a missing one is an error.

import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Programs that are found on the PATH, and those that a setting names. */
const NAMED_BY = {
  Chromium: "CHROMIUM",
  Inspector: "MCP_INSPECTOR",
  "assistants' clients": "MCP_CLIENTS",
  "Node 20": "NODE_20",
  "Node 22": "NODE_22",
};
export type RequiredProgram =
  | "caddy"
  | "curl"
  | "go"
  | "haproxy"
  | "jq"
  | "nginx"
  | "nats-server"
  | "openssl"
  | "pgbouncer"
  | "php"
  | "prometheus"
  | "prometheus-alertmanager"
  | "promtool"
  | "psql"
  | "python3"
  | "redis-server"
  | "script"
  | keyof typeof NAMED_BY;

const isOnPath = (program: string) =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));

/** For `skipIf`: whether a program is missing, which it prints. @throws where every program must be there. */
export function isMissing(program: RequiredProgram): boolean {
  const setting = program in NAMED_BY ? NAMED_BY[program as keyof typeof NAMED_BY] : null;
  const there = setting ? process.env[setting] : isOnPath(program);
  if (there) return false;
  const reason = setting ? `${setting} names no ${program}` : `no ${program} on the PATH`;
  if (process.env.BELFRY_TEST_REQUIRE === "1") throw new Error(`${reason}, and BELFRY_TEST_REQUIRE is 1`);
  return skipForReason(reason);
}

/**
 * For `skipIf`: whether a program that no package of ours brings, and that only some registries have, is missing,
 * which it prints.
 */
export const isSenderMissing = (program: string): boolean =>
  skipForReason(isOnPath(program) ? null : `no ${program} on the PATH`);

/** For `skipIf`: returns whether there is a reason that no installation can fix (rights, the system), and prints it. */
export function skipForReason(reason: string | null): boolean {
  if (reason !== null) console.log(`skipped: ${reason}`);
  return reason !== null;
}

/** For `skipIf`: whether a test cannot be several addresses of this machine at once. */
export const lacksLoopbackAddresses = (): boolean =>
  skipForReason(process.platform === "linux" ? null : "only Linux has the whole of 127.0.0.0/8");

const DEBIAN = "/usr/lib/postgresql";

/**
 * The programs of Debian's newest PostgreSQL; null where it is not there. The package's own brings no pg_basebackup.
 */
export function findDebianPostgres(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const whole = versions.filter((version) => existsSync(join(DEBIAN, version, "bin/pg_basebackup")));
  const newest = whole.sort((a, b) => Number(a) - Number(b)).at(-1);
  return newest === undefined ? null : join(DEBIAN, newest, "bin");
}

/**
 * For `skipIf`: returns whether PostgreSQL for standbys is missing, and prints it. @throws where every program is
 * required.
 */
export function lacksReplicaPostgres(): boolean {
  const reason = findDebianPostgres() ? null : `no pg_basebackup below ${DEBIAN}`;
  if (reason && process.env.BELFRY_TEST_REQUIRE === "1") throw new Error(`${reason}, and BELFRY_TEST_REQUIRE is 1`);
  return skipForReason(reason);
}

/** For `skipIf`: whether no Citus is named, which it prints; no registry that CI installs from has it. */
export const lacksCitus = (): boolean =>
  skipForReason(
    process.env.TEST_CITUS_URL
      ? null
      : "TEST_CITUS_URL names no Citus coordinator (scripts/citus.sh starts one where Citus is installed)",
  );
