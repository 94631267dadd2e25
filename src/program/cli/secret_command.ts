// `belfry secret rotate`: which secrets, from where, and what is left to do; the change itself stands in src/identity/operator.
// Neither secret is ever an argument, where other users of the machine could read it.

import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import { dataPaths } from "../../store/config/data_paths.ts";
import { loadSettings, nextSecret } from "../../store/config/load.ts";
import { printResult, remark, UsageError } from "./output.ts";

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
