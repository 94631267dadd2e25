// `belfry status`: where the database is, whether a service answers, and how it is; a table for a person, JSON for a program. What cannot
// be found out is null and no failure, since whoever asks may ask because something is wrong. `belfry doctor`: a table on a terminal, JSON
// for programs, and an exit code that says whether something must be mended. `belfry cell`: lays out a Belfry on Citus. `belfry secret rotate`:
// which secrets, from where, and what is left to do; neither is ever an argument, where other users of the machine could read it. What they
// do stands in src/identity/operator.

import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import type { Finding, State } from "../../identity/operator/checkup_database.ts";
import { dataPaths } from "../../store/config/data_paths.ts";
import { loadSettings, nextSecret } from "../../store/config/load.ts";
import { ConfigError } from "../../store/config/setting.ts";
import { readCredentials } from "../../store/secret/credentials.ts";
import { printResult, remark, UsageError } from "./output.ts";

/** What does not answer within so long is told as not answering. */
const ANSWER_MS = 3_000;

async function asked(url: string, path: string): Promise<Response | null> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  return fetch(url + path, { signal, redirect: "manual" }).catch(() => null);
}

/** What the service on this machine says of itself; null where none answers. */
async function serviceAt(url: string) {
  const [ready, metrics] = await Promise.all([asked(url, "/readyz"), asked(url, "/metrics")]);
  if (!ready) return null;
  const said = (await ready.json().catch(() => ({}))) as {
    status?: string;
    reason?: string;
    degraded?: string[];
  };
  const { status = "unknown", reason, degraded } = said;
  const figures = metrics?.ok ? await metrics.text() : null;
  return { service: { url, status, ...(reason && { reason }), ...(degraded && { degraded }) }, figures };
}

interface Rows {
  [name: string]: unknown;
}

/** A line for each value; what lies in another stands below it. */
function lines(of: Rows, indent = ""): [string, string][] {
  return Object.entries(of).flatMap(([name, value]): [string, string][] => {
    const title = indent + (/[A-Z]/.test(name) ? name : name.replaceAll("_", " "));
    if (value === null) return [[title, "-"]];
    if (Array.isArray(value))
      return [[title, ""], ...value.map((row): [string, string] => [`${indent}  ${row.step ?? row}`, told(row)])];
    if (typeof value === "object") return [[title, ""], ...lines(value as Rows, `${indent}  `)];
    return [[title, name.endsWith("_bytes") ? `${(Number(value) / 1e6).toFixed(1)} MB` : String(value)]];
  });
}

const told = (row: Rows): string =>
  typeof row === "object" ? `${row.last_success_at}${row.failed ? `, failed ${row.failed} times` : ""}` : "";

function statusTable(status: Rows): string {
  const all = lines(status);
  const width = Math.max(...all.map(([name]) => name.length)) + 2;
  return all.map(([name, value]) => `${name.padEnd(width)}${value}`.trimEnd()).join("\n");
}

export function addStatusCommand(program: Command): void {
  program
    .command("status")
    .summary("say where the database is, and how the service is")
    .description(
      "Say where the database is, whether it runs, and the DATABASE_URL for any tool that looks in; whether the service answers, its versions, sizes and what waits. A table on a terminal, JSON otherwise.",
    )
    .option("--json", "JSON on a terminal, too")
    .action(async ({ json }: { json?: true }) => {
      const { databaseStatus, operatorSettings, stateForOperator } = await import("../../identity/operator/reach.ts");
      const settings = operatorSettings();
      // By URL the service may be on another machine; what answers at its address is believed all the same.
      const left = settings.databaseUrl === null ? readCredentials(settings.dataDir)?.url : undefined;
      const url = left ?? loadSettings(["host", "port", "publicUrl"]).publicUrl;
      const found = await serviceAt(url);
      const database = databaseStatus(settings);
      const state = await stateForOperator(settings, found?.figures ?? null);
      const status = { ...database, service: found?.service ?? null, state };
      if (json || !process.stdout.isTTY) printResult(status);
      else process.stdout.write(`${statusTable(status)}\n`);
    });
}

/** `mend` removes rows that belong to nothing, and counts again. */
export function addDoctorCommand(program: Command, now: () => Date, mend: () => Promise<void>): void {
  program
    .command("doctor")
    .summary("say what should be mended")
    .description(
      "Look at settings, files, disk, clock, database, neighbours and backups, count every counter again from its rows, and say of each what to do. Ends with 1 where something must be mended. Changes nothing without --mend.",
    )
    .option("--mend", "remove rows that belong to nothing, and only count")
    .action(async (options: { mend?: true }) => {
      if (options.mend) return mend();
      const { operatorSettings } = await import("../../identity/operator/reach.ts");
      const { checkUp } = await import("../../identity/operator/checkup.ts");
      const { findings, checks } = await checkUp(usable(operatorSettings), now);
      const wrong = findings.some(({ state }) => state === "wrong");
      if (process.stdout.isTTY) process.stdout.write(tableOf(findings));
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

const MARKS: Record<State, string> = { ok: "ok", warning: "warning", wrong: "WRONG", skipped: "-" };

/** For a terminal: a line each, and the way out below what is not well. */
export function tableOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length)) + 2;
  const mark = (state: State) => MARKS[state].padEnd(9);
  return findings
    .map(({ check, state, says, way_out }) => {
      const line = `${mark(state)}${check.padEnd(width)}${says}\n`;
      return way_out === null ? line : `${line}${" ".repeat(9 + width)}→ ${way_out}\n`;
    })
    .join("");
}

export function addCellCommand(program: Command): void {
  program
    .command("cell")
    .summary("lay out a Belfry on Citus (experimental)")
    .description(
      "Experimental. Lay a whole Belfry into a schema of its own on the Citus coordinator that DATABASE_URL names, as a superuser, and print the DATABASE_URL with which the service works in it, its password for the only time. A cell that stands already is left as it is. Removes nothing.",
    )
    .argument("<name>", "small letters, digits and _")
    .action(async (name: string) => {
      const { databaseUrl } = loadSettings(["databaseUrl"]);
      if (databaseUrl === null)
        throw new UsageError("DATABASE_URL is missing: set it to the coordinator's, as a superuser.");
      const { layCell } = await import("../../identity/operator/cells.ts");
      const cell = await layCell(databaseUrl, name);
      printResult(cell);
      remark(cell.made ? "keep the password: it is shown this once" : "it stood already, and was left as it is");
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
      "Seal everything again under NEW_SECRET that is sealed under SECRET, whole or not at all. Every Belfry process on the database must be stopped. Where DATA_DIR keeps the secret, its file is changed, too, and NEW_SECRET may be left out.",
    )
    .action(async () => {
      const { hasDatabase } = await import("../../store/embedded/cluster.ts");
      const { loadSecret, replaceSecretFile } = await import("../../store/secret/secret.ts");
      const settings = loadSettings(["dataDir", "databaseUrl", "secret"]);
      const given = nextSecret();
      const inFile = settings.secret === null;
      if (!given && !inFile) throw new UsageError("NEW_SECRET is missing: set it to at least 32 random bytes.");
      const used = settings.databaseUrl === null && hasDatabase(settings.dataDir);
      const args = { from: loadSecret(settings, used), to: given ?? randomBytes(32).toString("base64url") };
      const run = async () => printResult(await rotate(args));
      if (inFile) await replaceSecretFile(settings.dataDir, args.to, run);
      else await run();
      remark(
        inFile
          ? `${dataPaths(settings.dataDir).secret} holds the new secret`
          : "start with SECRET set to the new secret",
      );
    });
}
