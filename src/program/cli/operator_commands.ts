// The operator's commands as a table: flags in, named operation out. The operations and their database access are in
// src/identity/operator.

import type { Command } from "commander";
import type { OperatorOperationName } from "../../identity/operator/operator_operations.ts";
import { ApiError } from "../../model/api_error.ts";
import { loadNamedSettings } from "../../store/config/load_settings.ts";
import { readCredentials } from "../../store/secret/first_credentials_file.ts";
import { addBackupCommands, addExportCommands, addImportFromCommand } from "./export_import_backup_commands.ts";
import { parseDurationSeconds, replaceArgumentNamesWithFlags, toFlag } from "./option_values.ts";
import { printNote, printResult } from "./output.ts";
import {
  addCitusCellCommand,
  addDoctorCommand,
  addSecretCommand,
  addStatusCommand,
} from "./status_doctor_secret_commands.ts";

const readList = (text: string) => text.split(",").map((item) => item.trim());

const WORKSPACE = ["--workspace <wsp_…>", "the workspace; optional if there is only one"] as const;
const MEMBER = ["--member <mem_…>", "the member; default: the workspace's owner"] as const;
const EMAIL = ["--email <address>", "the member’s e-mail address"] as const;

/** Arguments of the operator's operations that are options of the commands. */
const OPTION_ARGUMENTS = ["workspace", "member", "email", "role", "pushers", "pusher", "scopes", "expires_in", "name"];

/** Only for these commands: what reaches the database takes longer to load than all else that a command needs. */
const reach = () => import("../../identity/operator/operator_database.ts");

/** Adds migrate, doctor, database, cell, workspaces, members, keys and channels. */
export function addOperatorCommands(program: Command, version: string, now: () => Date): void {
  const ask = async (operation: OperatorOperationName, args: Record<string, unknown>) => {
    const { loadDatabaseSettings, runOnMigratedDatabase } = await reach();
    const { runOperatorOperation } = await import("../../identity/operator/operator_operations.ts");
    return runOnMigratedDatabase(loadDatabaseSettings(), (em) => runOperatorOperation(em, { operation, args }, now()));
  };
  const run = async (operation: OperatorOperationName, args: Record<string, unknown>) => {
    const names = new Map(OPTION_ARGUMENTS.map((name) => [name, toFlag(name)]));
    const result = await ask(operation, args).catch((error) => {
      throw error instanceof ApiError ? replaceArgumentNamesWithFlags(error, names) : error;
    });
    printResult(result);
  };

  program.commandsGroup("Server and operator (on the server's machine):");
  program
    .command("migrate")
    .summary("apply database migrations")
    .description("Apply this version's migrations and print them.")
    .action(async () => {
      const { migrateAsOperator, loadDatabaseSettings } = await reach();
      const { migrations, byService } = await migrateAsOperator(loadDatabaseSettings());
      if (byService) printNote("the running service has already migrated its database");
      printResult({ migrations });
    });

  addStatusCommand(program);

  program
    .command("psql")
    .summary("open a database shell")
    .description("Open psql on the database, with the service running or stopped.")
    .action(async () => {
      const { loadDatabaseSettings, openDatabaseShell } = await reach();
      process.exitCode = await openDatabaseShell(loadDatabaseSettings());
    });

  addDoctorCommand(program, now, async () => (await ask("doctor", { repair: true })) as object);

  group(program, "database", "database epoch")
    .command("promoted")
    .description(
      "Run this after a failover, or after a restore from files or a snapshot, so that devices reload their inboxes " +
        "at the next poll. PostgreSQL promotions, belfry restore and pg_restore are detected automatically.",
    )
    .action(() => run("database_promoted", {}));

  addSecretCommand(program, (args) => ask("rotate_secret", args));
  addBackupCommands(program, version, now);
  addExportCommands(program, now);
  addImportFromCommand(program, now);
  addCitusCellCommand(program);

  /** A command that is an operation: what is named on the command line are its arguments. */
  const operation = (to: Command, name: string, description: string, named: OperatorOperationName) => {
    const command = to.command(name).description(description);
    return command.action(() => {
      const given = command.registeredArguments.map((one, i) => [one.name(), command.processedArgs[i]]);
      return run(named, { ...command.opts(), ...Object.fromEntries(given) });
    });
  };

  const workspaces = group(program, "workspaces", "workspaces (accounts)");
  operation(workspaces, "create", "Create a workspace.", "create_workspace").requiredOption("--name <text>", "name");
  operation(workspaces, "list", "List workspaces.", "list_workspaces");

  const members = group(program, "members", "workspace members");
  operation(members, "add", "Add a member to a workspace.", "add_member")
    .option(...WORKSPACE)
    .requiredOption("--email <address>", "e-mail address")
    .requiredOption("--role <role>", "owner, admin, editor or viewer")
    .option(
      "--pushers <channels>",
      "comma-separated list of channels to restrict access to (psh_… or handle)",
      readList,
    );
  operation(members, "list", "List members.", "list_members").option(...WORKSPACE);

  const which = (command: Command) =>
    command
      .option(...WORKSPACE)
      .option(...MEMBER)
      .option(...EMAIL);
  which(
    operation(
      members,
      "end-second-factor",
      "Turn off two-factor authentication for a member who has lost both their phone and their recovery codes. " +
        "Verify the person's identity first.",
      "end_second_factor",
    ),
  );
  const link = members
    .command("link")
    .description(
      "Create a one-time link to join or to set a new password. If SMTP_URL is set, the link is also e-mailed.",
    );
  which(link).action(async (args) => {
    const where = loadNamedSettings(["databaseUrl", "dataDir"]);
    const settings = loadNamedSettings(["host", "port", "publicUrl", "smtpUrl", "mailFrom"]);
    const made = await ask("link_member", args);
    const { member_id, email, workspace_name, joined, path } = made as LinkMade;
    // The embedded server may listen elsewhere than in these settings; it stores its address.
    const local = where.databaseUrl === null ? readCredentials(where.dataDir) : null;
    const link = (local?.url ?? settings.publicUrl) + path;
    const mailed = await mailTo(settings, email, (linkMail) => linkMail(email, workspace_name, link, joined));
    printResult({ member_id, email, link, mailed });
  });

  const keys = group(program, "keys", "API keys");
  keys
    .command("create")
    .description("Create an API key and show it once.")
    .option(...WORKSPACE)
    .option("--member <mem_…>", "the member that the key acts for; default: the workspace's owner")
    .requiredOption("--scopes <list>", "all, or a comma-separated list of scopes")
    .option("--pusher <channel>", "restrict the key to one channel (psh_… or handle)")
    .option(
      "--expires-in <duration>",
      "a number with s, m, h or d, such as 90d; default: no expiry",
      parseDurationSeconds,
    )
    .option("--name <text>", "the purpose of the key")
    .option("--asks-first", "require human approval before the key publishes")
    .action(({ expiresIn, asksFirst, ...args }) =>
      run("create_key", { ...args, expires_in: expiresIn, requires_approval: asksFirst }),
    );
  operation(keys, "list", "List keys without their secrets.", "list_keys").option(...WORKSPACE);
  keys
    .command("revoke")
    .description("Revoke a key immediately. The output lists webhooks and scheduled alerts that stay active.")
    .argument("<key_…>", "the key ID")
    .option(
      "--end-webhooks",
      "also remove the webhooks that the key added; you can run the command again later to do this",
    )
    .action((key, { endWebhooks }) => run("revoke_key", { key, end_webhooks: endWebhooks }));

  const channels = group(program, "channels", "channel suspension (staff)");
  const suspends = "Suspend a channel: hide it from devices and refuse to send its alerts.";
  for (const command of [
    operation(channels, "suspend", suspends, "suspend_channel"),
    operation(channels, "restore", "Restore a suspended channel.", "restore_channel"),
  ])
    command.argument("<handle>", "the handle");
}

type Mailing = typeof import("../../identity/auth/mail.ts");

/** True when the mail server of the settings accepted the mail. The first owner's placeholder is not an address. */
async function mailTo(
  settings: Parameters<Mailing["createMailer"]>[0],
  email: string,
  message: (linkMail: Mailing["createMemberLinkMail"]) => ReturnType<Mailing["createMemberLinkMail"]>,
): Promise<boolean> {
  if (settings.smtpUrl === null) return false;
  const { FIRST_OWNER_PLACEHOLDER_EMAIL } = await import("../../identity/auth/one_time_links.ts");
  if (email === FIRST_OWNER_PLACEHOLDER_EMAIL) return false;
  // Only here: no other command needs it.
  const { createMailer, createMemberLinkMail } = await import("../../identity/auth/mail.ts");
  const warn = (cause: object) => printNote(`the e-mail was not sent (${(cause as { code?: string }).code})`);
  return (await createMailer(settings, { warn })?.(message(createMemberLinkMail))) ?? false;
}

interface LinkMade {
  member_id: string;
  email: string;
  workspace_name: string;
  joined: boolean;
  /** The path of the link, below the address of the server. */
  path: string;
}

function group(program: Command, name: string, what: string): Command {
  return program.command(name).summary(what).description(`Operator commands for ${what}.`);
}
