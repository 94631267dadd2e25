// The operator's commands as a table: flags in, named operation out. What the operations do stands in src/identity/operator; how
// they reach the database, too.

import { type Command, InvalidArgumentError } from "commander";
import type { OperatorOperation } from "../../identity/operator/operations.ts";
import { loadSettings } from "../../store/config/load.ts";
import { readCredentials } from "../../store/secret/credentials.ts";
import { addBackupCommands, addCarryCommands, addImportFromCommand } from "./carry_commands.ts";
import { printResult, remark } from "./output.ts";
import { addCellCommand, addDoctorCommand, addSecretCommand, addStatusCommand } from "./status_command.ts";

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
/** A hundred years; what lives longer needs no expiry. */
const LONGEST = 36_500 * 86_400;

/** 90d → seconds. */
function readDuration(text: string): number {
  const parts = /^(\d{1,12})([smhd])$/.exec(text);
  const seconds = parts ? Number(parts[1]) * (SECONDS[parts[2] ?? ""] ?? 0) : 0;
  if (seconds < 1 || seconds > LONGEST)
    throw new InvalidArgumentError("It must be a number with s, m, h or d, such as 90d, of at most 36500d.");
  return seconds;
}

const readList = (text: string) => text.split(",").map((item) => item.trim());

const WORKSPACE = ["--workspace <wsp_…>", "the workspace; may be left out while there is only one"] as const;
const MEMBER = ["--member <mem_…>", "the member; the workspace's owner when absent"] as const;
const EMAIL = ["--email <address>", "the member, by its e-mail address"] as const;

/** Only for these commands: what reaches the database takes longer to load than all else that a command needs. */
const reach = () => import("../../identity/operator/reach.ts");

/** Adds migrate, doctor, database, cell, workspaces, members, keys and channels. */
export function addOperatorCommands(program: Command, version: string, now: () => Date): void {
  const ask = async (operation: OperatorOperation, args: Record<string, unknown>) => {
    const { operatorSettings, workForOperator } = await reach();
    const { runOperation } = await import("../../identity/operator/operations.ts");
    return workForOperator(operatorSettings(), (em) => runOperation(em, { operation, args }, now()));
  };
  const run = async (operation: OperatorOperation, args: Record<string, unknown>) =>
    printResult(await ask(operation, args));

  program.commandsGroup("Server and operator (on the server's machine):");
  program
    .command("migrate")
    .summary("bring the database up")
    .description("Bring the database up to this version; prints the migrations that were missing.")
    .action(async () => {
      const { migrateForOperator, operatorSettings } = await reach();
      const { migrations, byService } = await migrateForOperator(operatorSettings());
      if (byService) remark("the running service has already brought its database up");
      printResult({ migrations });
    });

  addStatusCommand(program);

  program
    .command("psql")
    .summary("open a shell on the database")
    .description("Open psql on the database, whether the service runs or not.")
    .action(async () => {
      const { operatorSettings, shellOnDatabase } = await reach();
      process.exitCode = await shellOnDatabase(operatorSettings());
    });

  addDoctorCommand(program, now, () => run("doctor", { mend: true }));

  group(program, "database", "the database")
    .command("promoted")
    .description(
      "Say that the database may lack what it had: restored by copying files or a snapshot, or a standby that took over. Every handset reads its inbox anew with its next poll. A promotion that PostgreSQL counts, belfry restore and pg_restore are noticed without it.",
    )
    .action(() => run("database_promoted", {}));

  addSecretCommand(program, (args) => ask("rotate_secret", args));
  addBackupCommands(program, version, now);
  addCarryCommands(program, now);
  addImportFromCommand(program, now);
  addCellCommand(program);

  /** A command that is an operation: what is named on the command line are its arguments. */
  const operation = (to: Command, name: string, description: string, named: OperatorOperation) => {
    const command = to.command(name).description(description);
    return command.action(() => {
      const given = command.registeredArguments.map((one, i) => [one.name(), command.processedArgs[i]]);
      return run(named, { ...command.opts(), ...Object.fromEntries(given) });
    });
  };

  const workspaces = group(program, "workspaces", "workspaces (accounts)");
  operation(workspaces, "create", "Create a workspace.", "create_workspace").requiredOption(
    "--name <text>",
    "its name",
  );
  operation(workspaces, "list", "List the workspaces.", "list_workspaces");

  const members = group(program, "members", "members of workspaces");
  operation(members, "add", "Add a member to a workspace.", "add_member")
    .option(...WORKSPACE)
    .requiredOption("--email <address>", "its e-mail address")
    .requiredOption("--role <role>", "owner, admin, editor or viewer")
    .option("--pushers <ids>", "comma list of the only channels that it sees (psh_…,psh_…)", readList);
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
      "Turn off the two-factor authentication of a person who lost the phone and the recovery codes. Be sure who asks.",
      "end_second_factor",
    ),
  );
  const link = members
    .command("link")
    .description(
      "Make a one-time link: for a member who has not joined to join, for one who has to choose a new password. It is mailed as well where SMTP_URL is set.",
    );
  which(link).action(async (args) => {
    const where = loadSettings(["databaseUrl", "dataDir"]);
    const settings = loadSettings(["host", "port", "publicUrl", "smtpUrl", "mailFrom"]);
    const made = await ask("link_member", args);
    const { member_id, email, workspace_name, joined, path } = made as LinkMade;
    // The embedded server may listen elsewhere than these settings say; it wrote down where.
    const local = where.databaseUrl === null ? readCredentials(where.dataDir) : null;
    const link = (local?.url ?? settings.publicUrl) + path;
    const mailed = await mailTo(settings, email, (linkMail) => linkMail(email, workspace_name, link, joined));
    printResult({ member_id, email, link, mailed });
  });

  const keys = group(program, "keys", "API keys");
  keys
    .command("create")
    .description("Make an API key and show it for the only time.")
    .option(...WORKSPACE)
    .option("--member <mem_…>", "the member that it acts for; the workspace's owner when absent")
    .requiredOption("--scopes <list>", "all, or a comma list of scopes")
    .option("--pusher <psh_…>", "bind it to one channel")
    .option("--expires-in <duration>", "a number with s, m, h or d, such as 90d; never when absent", readDuration)
    .option("--name <text>", "what it is for")
    .option("--asks-first", "a person decides before it publishes, whatever its scopes are")
    .action(({ expiresIn, asksFirst, ...args }) =>
      run("create_key", { ...args, expires_in: expiresIn, asks_first: asksFirst }),
    );
  operation(keys, "list", "List keys, never their secret part.", "list_keys").option(...WORKSPACE);
  keys
    .command("revoke")
    .description("Revoke a key, from its next request on. The answer names the webhooks and alerts that go on.")
    .argument("<key_…>", "its id")
    .option("--end-webhooks", "also remove the webhooks that it registered; works afterwards as well")
    .action((key, { endWebhooks }) => run("revoke_key", { key, end_webhooks: endWebhooks }));

  const channels = group(program, "channels", "suspension of channels (staff)");
  const suspends = "Suspend a channel: it disappears for handsets and takes no sends.";
  for (const command of [
    operation(channels, "suspend", suspends, "suspend_channel"),
    operation(channels, "restore", "Restore a suspended channel.", "restore_channel"),
  ])
    command.argument("<handle>", "its handle");
}

type Mailing = typeof import("../../identity/auth/mail.ts");

/** True when the mail server of the settings took the mail. The first owner's stand-in is no address. */
async function mailTo(
  settings: Parameters<Mailing["createMail"]>[0],
  email: string,
  message: (linkMail: Mailing["linkMail"]) => ReturnType<Mailing["linkMail"]>,
): Promise<boolean> {
  if (settings.smtpUrl === null) return false;
  const { STAND_IN } = await import("../../identity/auth/links.ts");
  if (email === STAND_IN) return false;
  // Only here: no other command needs it.
  const { createMail, linkMail } = await import("../../identity/auth/mail.ts");
  const warn = (cause: object) => remark(`the mail was not sent (${(cause as { code?: string }).code})`);
  return (await createMail(settings, { warn })?.(message(linkMail))) ?? false;
}

interface LinkMade {
  member_id: string;
  email: string;
  workspace_name: string;
  joined: boolean;
  /** Of the link, below the address of the server. */
  path: string;
}

function group(program: Command, name: string, what: string): Command {
  return program.command(name).summary(what).description(`Operator commands for ${what}.`);
}
