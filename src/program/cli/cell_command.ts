// `belfry cell`: lays out a Belfry on Citus (src/identity/operator/cells.ts).

import type { Command } from "commander";
import { loadSettings } from "../../store/config/load.ts";
import { printResult, remark, UsageError } from "./output.ts";

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
      remark(
        cell.made ? "keep the password: it is shown this once" : "it stood already, and was left as it is",
      );
    });
}
