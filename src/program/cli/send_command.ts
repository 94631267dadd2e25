// The command `belfry send`, which publishes one alert with a text from the command line or from standard input. Its
// other options are the arguments of create_alert.

import { fstatSync } from "node:fs";
import { type Command, Option } from "commander";
import type { OwnerOperation } from "../../operation/define_operation.ts";
import {
  addArgumentOptions,
  callAndPrintOperation,
  mapFlagsToArguments,
  readConnectionFlags,
  readStandardInput,
} from "./operation_commands.ts";
import { parseDurationSeconds, toFlag } from "./option_values.ts";
import { printNote, UsageError } from "./output.ts";
import { addResultOptions } from "./result_options.ts";
import { addConnectionOptions, resolveServerConnection } from "./server_connection.ts";

/** The operation behind the command. */
const NAME = "create_alert";

/** Arguments of the operation that the channel and the text set. */
const FROM_WORDS = ["pusher_id", "body", "send"];

const INPUT_UNREAD = "standard input was not read, because --title is set; add - to send it as the text";

const NO_TEXT = "The alert has no text. Pass the text or --title, or write the text to standard input.";

/** Adds `belfry send`. `now` is the clock for `--in`. */
export function addSendCommand(program: Command, tools: readonly OwnerOperation[], now: () => Date): void {
  const tool = tools.find(({ name }) => name === NAME);
  if (!tool) return;
  const command = program
    .command("send")
    .summary("publish an alert")
    .description(
      "Publish an alert on a channel, now or later. Without --title, the first line of the text is the title.",
    )
    .argument("<channel>", "the channel's handle or id (psh_…)")
    .argument("[text...]", "the text; - for standard input, which is also read if neither text nor --title is set")
    .configureHelp({ sortOptions: false });
  const short = { title: "t", priority: "p" };
  const flags = addArgumentOptions(command, tool, { except: FROM_WORDS, short, heading: "Alert:" });
  command.addOption(
    new Option("--in <duration>", "delay before publishing: a number followed by s, m, h or d, such as 30m")
      .argParser(parseDurationSeconds)
      .conflicts("sendAt"),
  );
  addResultOptions(command, tool);
  addConnectionOptions(command);
  command.action(async (channel: string, words: string[], values: Record<string, unknown>) => {
    const args = mapFlagsToArguments(flags, values);
    const connection = resolveServerConnection(readConnectionFlags(program, command, flags));
    const text = await readText(words, args.title === undefined);
    const content = await fitText(args.title, text);
    const delay = values.in as number | undefined;
    const names = new Map([...flags.values()].map((name) => [name, toFlag(name)]));
    await callAndPrintOperation({
      tool,
      args: {
        ...args,
        ...content,
        ...(delay !== undefined && { send_at: new Date(now().getTime() + delay * 1000).toISOString() }),
        pusher_id: channel,
        send: true,
      },
      connection,
      values,
      names: names.set("pusher_id", "The channel").set("body", "The text"),
    });
  });
}

/** Standard input comes from a shell's pipe, or from a file that is not empty. */
function isPipeOrFile(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || (input.isFile() && input.size > 0);
  } catch {
    // It is closed.
    return false;
  }
}

/** The text of the arguments, or standard input. @throws UsageError for standard input that is not text */
async function readText(words: readonly string[], isNeeded: boolean): Promise<string> {
  const fromInput = words.length === 0 ? isNeeded : words.length === 1 && words[0] === "-";
  if (!fromInput) {
    if (words.length === 0 && isPipeOrFile()) printNote(INPUT_UNREAD);
    return words.join(" ");
  }
  if (words.length === 0 && process.stdin.isTTY) throw new UsageError(NO_TEXT);
  const text = await readStandardInput().catch(() => {
    throw new UsageError("Standard input cannot be read: it must be UTF-8 text.");
  });
  return text;
}

/** Title and text within their limits, as in messages of other senders; prints a note for each change. */
async function fitText(title: unknown, text: string) {
  const { splitTitle } = await import("../../api/ingest/message_text.ts");
  const { fitAlert } = await import("../../api/ingest/fit_alert_to_limits.ts");
  const notes: string[] = [];
  const split = splitTitle(typeof title === "string" ? title : null, text, notes);
  if (split.title === "") throw new UsageError(NO_TEXT);
  const fitted = fitAlert(split, notes);
  for (const note of notes) printNote(note);
  return { title: fitted.title, ...(fitted.body && { body: fitted.body }) };
}
