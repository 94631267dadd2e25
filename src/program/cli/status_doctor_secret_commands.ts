// `belfry status`: the location of the database, and the state of the service; a table for a person, JSON for a
// program. Unknown values are null and not a failure, since the command is used to find problems. `belfry doctor`: a
// table on a terminal, JSON for programs, and an exit code that is set if a fix is needed. `belfry cell`: lays out a
// Belfry on Citus. `belfry secret rotate`: the secrets, their sources, and the remaining steps. Neither secret is ever
// an argument, where other users of the machine could read it. The operations are in src/identity/operator.

import { randomBytes } from "node:crypto";
import { type Command, Option } from "commander";
import { getMcpResourceUrl } from "../../identity/auth/canonical_resource_indicator.ts";
import { isLoopbackHost } from "../../identity/auth/redirect_uris.ts";
import type { FindingState, HealthFinding } from "../../identity/operator/health_finding.ts";
import type { OperatorDatabaseSettings } from "../../identity/operator/operator_database.ts";
import { explainTlsOrHostNameError } from "../../model/connection_error_messages.ts";
import { dataPaths } from "../../store/config/data_paths.ts";
import { loadNamedSettings, readReplacementSecret } from "../../store/config/load_settings.ts";
import { ConfigError } from "../../store/config/setting_types.ts";
import { readCredentials } from "../../store/secret/first_credentials_file.ts";
import { printNote, printResult, UsageError } from "./output.ts";
import { toTerminalSafeText } from "./render_for_terminal.ts";

/** A service without a response in this time is reported as not responding. */
const ANSWER_MS = 3_000;

/** The status of another program that responds. */
const UNKNOWN = "unknown";

async function request(url: string, path: string, onError?: (error: unknown) => void): Promise<Response | null> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  return fetch(url + path, { signal, redirect: "manual" }).catch((error) => {
    onError?.(error);
    return null;
  });
}

/** A service that cannot be reached is only null in the result, so this note explains it. */
function noteConnectionError(url: string, error: unknown): void {
  const explained = explainTlsOrHostNameError(url, error);
  if (explained) printNote(explained.message);
}

/** Checks whether the service at this address has this PUBLIC_URL. */
async function hasPublicUrl(url: string, publicUrl: string): Promise<boolean> {
  const response = await request(url, "/");
  const said = (await response?.json().catch(() => null)) as { mcp?: unknown } | null | undefined;
  const isSame = said?.mcp === getMcpResourceUrl(publicUrl);
  if (said?.mcp !== undefined && !isSame)
    printNote(`The service at ${url} has a different PUBLIC_URL. Only ${publicUrl} was checked.`);
  return isSame;
}

/**
 * The addresses at which the service of these settings may respond, the one on this machine first: a proxy at
 * PUBLIC_URL may block /metrics. A loopback address of the last start also has its port. With DATABASE_URL and
 * PUBLIC_URL on another host, a service on this machine may be another one: it must have the same PUBLIC_URL.
 */
async function listServiceAddresses({ dataDir, databaseUrl }: OperatorDatabaseSettings): Promise<string[]> {
  const lastUrl = databaseUrl === null ? readCredentials(dataDir)?.url : undefined;
  if (lastUrl?.startsWith("http:") && isLoopbackHost(new URL(lastUrl).hostname)) return [lastUrl];
  const getPublicUrl = (overrides = {}) => loadNamedSettings(["host", "port", "publicUrl"], overrides).publicUrl;
  const [local, publicUrl] = [getPublicUrl({ PUBLIC_URL: undefined }), lastUrl ?? getPublicUrl()];
  const mayBeOther = databaseUrl !== null && publicUrl !== local && !isLoopbackHost(new URL(publicUrl).hostname);
  if (mayBeOther && !(await hasPublicUrl(local, publicUrl))) return [publicUrl];
  return [...new Set([local, publicUrl])];
}

/** The state that the service reports at the first of these addresses where it responds; null without a service. */
async function findService(urls: string[]) {
  let other: Awaited<ReturnType<typeof serviceAt>> = null;
  for (const url of urls) {
    const found = await serviceAt(url);
    if (found && found.service.status !== UNKNOWN) return found;
    other = found ?? other;
  }
  return other;
}

async function serviceAt(url: string) {
  const [ready, metrics] = await Promise.all([
    request(url, "/readyz", (error) => noteConnectionError(url, error)),
    request(url, "/metrics"),
  ]);
  if (!ready) return null;
  const said = (await ready.json().catch(() => ({}))) as { status?: string; reason?: string; degraded?: string[] };
  const { status = UNKNOWN, reason, degraded } = said;
  const figures = metrics?.ok ? await metrics.text() : null;
  if (status !== UNKNOWN && metrics && !metrics.ok && metrics.status < 500)
    printNote(
      `${url}/metrics is not accessible, so versions and queues are unknown. Set HOST or PORT, or METRICS_PUBLIC=true.`,
    );
  return { service: { url, status, ...(reason && { reason }), ...(degraded && { degraded }) }, figures };
}

interface Rows {
  [name: string]: unknown;
}

/** A line for each value; nested values are below their parent. */
function lines(of: Rows, indent = ""): [string, string][] {
  return Object.entries(of).flatMap(([name, value]): [string, string][] => {
    const title = indent + (/[A-Z]/.test(name) ? name : name.replaceAll("_", " "));
    if (value === null) return [[title, "-"]];
    if (Array.isArray(value))
      return [[title, ""], ...value.map((row): [string, string] => [`${indent}  ${row.step ?? row}`, formatJob(row)])];
    if (typeof value === "object") return [[title, ""], ...lines(value as Rows, `${indent}  `)];
    return [[title, name.endsWith("_bytes") ? `${(Number(value) / 1e6).toFixed(1)} MB` : String(value)]];
  });
}

function formatJob(row: Rows): string {
  if (typeof row !== "object") return "";
  const failures = row.failed ? `, failed ${row.failed} times${row.failing ? ", including the last run" : ""}` : "";
  return `${row.last_success_at ?? "no success since startup"}${failures}`;
}

export function formatStatus(status: Rows): string {
  // The service's texts come from its address (rules#cli-harmless-text).
  const all = lines(status).map((line) => line.map((text) => toTerminalSafeText(text).replaceAll("\n", " ")));
  const width = Math.max(...all.map(([name = ""]) => name.length)) + 2;
  return all.map(([name = "", value]) => `${name.padEnd(width)}${value}`.trimEnd()).join("\n");
}

export function addStatusCommand(program: Command): void {
  program
    .command("status")
    .summary("show the database and service state")
    .description(
      "Show the database's location, state and DATABASE_URL, and the service's health, versions, sizes and queues. " +
        "The password is hidden. The output is a table on a terminal, and JSON otherwise.",
    )
    .option("--json", "print JSON even on a terminal")
    .action(async ({ json }: { json?: true }) => {
      const { describeDatabaseLocation, loadDatabaseSettings, readServiceOverviewIfRunning } = await import(
        "../../identity/operator/operator_database.ts"
      );
      const settings = loadDatabaseSettings();
      const found = await findService(await listServiceAddresses(settings));
      const database = describeDatabaseLocation(settings);
      const state = await readServiceOverviewIfRunning(settings, found?.figures ?? null);
      const status = { ...database, service: found?.service ?? null, state };
      if (json || !process.stdout.isTTY) printResult(status);
      else process.stdout.write(`${formatStatus(status)}\n`);
    });
}

/** `repair` deletes orphaned rows and counts again. */
export function addDoctorCommand(program: Command, now: () => Date, repair: () => Promise<object>): void {
  program
    .command("doctor")
    .summary("check the installation for problems")
    .description(
      "Check settings, files, disk, clock, database, external services, backups and counters, and suggest fixes. " +
        "Exits with status 1 if there is a problem. Changes nothing without --fix.",
    )
    .option("--fix", "restrict secret files to their owner, and delete orphaned rows that contain only counters")
    .addOption(new Option("--mend", "former name of --fix").hideHelp())
    .action(async (options: { fix?: true; mend?: true }) => {
      if (options.fix || options.mend) {
        const { fixFileModes } = await import("../../identity/operator/file_permission_checks.ts");
        const files = fixFileModes(loadNamedSettings(["dataDir"]).dataDir);
        return printResult({ ...(await repair()), files });
      }
      const { loadDatabaseSettings } = await import("../../identity/operator/operator_database.ts");
      const { runHealthChecks } = await import("../../identity/operator/health_checks.ts");
      const { findings, checks } = await runHealthChecks(usable(loadDatabaseSettings), now);
      const wrong = findings.some(({ state }) => state === "wrong");
      if (process.stdout.isTTY) process.stdout.write(formatFindings(findings));
      else printResult({ ok: !wrong, findings, checks });
      if (wrong) process.exitCode = 1;
    });
}

/** Null for settings that are wrong, which are a finding of their own. */
function usable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

const MARKS: Record<FindingState, string> = { ok: "ok", warning: "warning", wrong: "WRONG", skipped: "-" };

/** For a terminal: a line each, and the solution below a problem. */
export function formatFindings(findings: readonly HealthFinding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length)) + 2;
  const mark = (state: FindingState) => MARKS[state].padEnd(9);
  return findings
    .map(({ check, state, says, way_out }) => {
      const line = `${mark(state)}${check.padEnd(width)}${toTerminalSafeText(says)}\n`;
      return way_out === null ? line : `${line}${" ".repeat(9 + width)}→ ${toTerminalSafeText(way_out)}\n`;
    })
    .join("");
}

export function addCitusCellCommand(program: Command): void {
  program
    .command("cell")
    .summary("set up a schema on Citus (experimental)")
    .description(
      "Experimental. Create a separate schema for Belfry on the Citus coordinator at DATABASE_URL (as a superuser), " +
        "and print the service's DATABASE_URL, including the password, once. An existing schema is not changed.",
    )
    .argument("<name>", "lowercase letters, digits and _")
    .action(async (name: string) => {
      const { databaseUrl } = loadNamedSettings(["databaseUrl"]);
      if (databaseUrl === null)
        throw new UsageError(
          "DATABASE_URL is missing. Set it to the URL of the coordinator, with a superuser as its user.",
        );
      const { createCitusDatabaseSchema } = await import("../../identity/operator/create_citus_cell.ts");
      const cell = await createCitusDatabaseSchema(databaseUrl, name);
      printResult(cell);
      printNote(cell.made ? "save the password: it is shown only once" : "it already existed and was not changed");
    });
}

/** Adds the command; `rotate` runs the operation on the database of the settings. */
export function addSecretCommand(
  program: Command,
  rotate: (args: { from: string; to: string }) => Promise<unknown>,
): void {
  program
    .command("secret")
    .summary("the server secret")
    .description("Operator commands for the server secret.")
    .command("rotate")
    .description(
      "Re-encrypt all values with NEW_SECRET instead of SECRET. If one value fails, no value is changed. First stop " +
        "all Belfry processes that use the database. If DATA_DIR contains the secret, its file is updated and " +
        "NEW_SECRET is optional.",
    )
    .action(async () => {
      const { hasEmbeddedDatabase } = await import("../../store/embedded/cluster.ts");
      const { loadSecret, replaceSecretFile } = await import("../../store/secret/server_secret.ts");
      const settings = loadNamedSettings(["dataDir", "databaseUrl", "secret"]);
      const given = readReplacementSecret();
      const inFile = settings.secret === null;
      if (!given && !inFile) throw new UsageError("NEW_SECRET is missing. Set it to at least 32 random bytes.");
      const used = settings.databaseUrl === null && hasEmbeddedDatabase(settings.dataDir);
      const args = { from: loadSecret(settings, used), to: given ?? randomBytes(32).toString("base64url") };
      const run = async () => printResult(await rotate(args));
      if (inFile) await replaceSecretFile(settings.dataDir, args.to, run);
      else await run();
      printNote(
        inFile
          ? `${dataPaths(settings.dataDir).secret} now contains the new secret`
          : "start with SECRET set to the new secret",
      );
    });
}
