// `belfry doctor`: a table on a terminal, JSON for programs, and an exit code that says whether something must be mended.

import type { Command } from "commander";
import type { Finding, State } from "../../identity/operator/checkup_database.ts";
import { ConfigError } from "../../store/config/setting.ts";
import { printResult } from "./output.ts";

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
