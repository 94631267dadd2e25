// `belfry cell`: lays out a Belfry on Citus (src/identity/operator/cells.ts).

import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import { dataPaths } from "../../store/config/data_paths.ts";
import { loadSettings, nextSecret } from "../../store/config/load.ts";
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
      if (!given && !inFile)
        throw new UsageError("NEW_SECRET is missing: set it to at least 32 random bytes.");
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
