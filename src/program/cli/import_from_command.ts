// `belfry import-from`: which files, and a table of what becomes of them. What that is stands in src/program/moving_in.

import { Argument, type Command, InvalidArgumentError } from "commander";
import { LIMITS, said } from "../../model/limits.ts";
import type { MovedIn } from "../moving_in/move_in.ts";
import { printResult, remark } from "./output.ts";

interface Options {
  workspace?: string;
  member?: string;
  messages: number;
  keysTo?: string;
  public?: true;
  dryRun?: boolean;
}

function readCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : -1;
  if (count < 0 || count > LIMITS.import_messages)
    throw new InvalidArgumentError(`It must be a number from 0 to ${said("import_messages")}.`);
  return count;
}

export function addImportFromCommand(program: Command, now: () => Date): void {
  program
    .command("import-from")
    .summary("make channels and keys of another program's files")
    .description(
      "Read the files of ntfy (user.db, cache.db) or Gotify (gotify.db): a channel for each topic or application, a key that may publish there, and past messages as alerts that ring nowhere. Passwords and tokens stay. Private channels, unless --public is given.",
    )
    .addArgument(new Argument("<program>", "whose files").choices(["ntfy", "gotify"]))
    .argument("<files...>", "its SQLite files, or copies of them")
    .option("--workspace <wsp_…>", "the workspace; may be left out while there is only one")
    .option("--member <mem_…>", "for whom the keys act; the workspace's owner when absent")
    .option("--messages <number>", "the newest of each; 0 takes none over", readCount, LIMITS.import_messages)
    .option(
      "--keys-to <file>",
      "a new file for the keys that only you read; else they are printed, this once",
    )
    .option("--public", "list the channels for everybody")
    .option("--dry-run", "say what would become of everything, and leave nothing")
    .action(async (name: "ntfy" | "gotify", files: string[], options: Options) => {
      const { openTables } = await import("../moving_in/tables.ts");
      const { readNtfy } = await import("../moving_in/kept_files.ts");
      const { readGotify } = await import("../moving_in/kept_files.ts");
      const { moveIn } = await import("../moving_in/move_in.ts");
      const { operatorSettings, workForOperator } = await import("../../identity/operator/reach.ts");
      const { workspace, member, messages: most, keysTo = null, dryRun = false } = options;
      const tables: ReturnType<typeof openTables>[] = [];
      try {
        for (const path of files) tables.push(openTables(path));
        const source = (name === "ntfy" ? readNtfy : readGotify)(tables, now());
        const asked = { workspace, member, isPublic: options.public ?? false, most, keysTo, dryRun };
        const channels = await workForOperator(operatorSettings(), (em) => moveIn(em, source, asked, now()));
        process.stderr.write(tableOf(channels));
        for (const note of source.notes) remark(note);
        printResult({ dry_run: dryRun, channels, notes: source.notes });
      } finally {
        for (const one of tables) one.close();
      }
    });
}

const COLUMNS = ["from", "handle", "state", "messages", "left_out"] as const;

/** For people; names come from the file, so nothing in them moves a terminal. */
function tableOf(channels: readonly MovedIn[]): string {
  const shown = (value: unknown) => [...String(value).replace(/\p{C}/gu, "")].slice(0, 40).join("");
  const rows = [
    COLUMNS.map((name) => name.replace("_", " ")),
    ...channels.map((one) => COLUMNS.map((name) => shown(one[name]))),
  ];
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}
