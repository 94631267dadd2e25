// The output of the command line. Results are on standard output, as JSON or as text for a terminal. All else is on
// standard error.

import { CommanderError } from "commander";
import { ApiError, conflict, serverError } from "../../model/api_error.ts";
import { describeFileSystemError } from "../../store/config/file_system_error_messages.ts";
import { ConfigError } from "../../store/config/setting_types.ts";
import { DataDirInUseError } from "../../store/db/data_dir_in_use_error.ts";
import {
  renderResult,
  type TerminalCapabilities,
  toTerminalSafeJson,
  toTerminalSafeText,
} from "./render_for_terminal.ts";

/** The command was written wrongly: exit 2. */
export class UsageError extends Error {}

/** The result as text: for a terminal a table or lines, for programs one line of JSON. */
export const formatResult = (value: unknown, fields?: readonly string[]): string =>
  process.stdout.isTTY
    ? renderResult(value, getTerminalStyle(process.stdout), fields)
    : `${toTerminalSafeJson(value)}\n`;

export function printResult(value: unknown): void {
  process.stdout.write(formatResult(value));
}

/** Colours follow NO_COLOR, FORCE_COLOR and TERM. */
const getTerminalStyle = (stream: NodeJS.WriteStream): TerminalCapabilities => ({
  width: stream.columns || 80,
  colors: stream.hasColors(),
});

/** A remark in addition to the result. It may contain text of a server (rules#cli-harmless-text). */
export function printNote(text: string): void {
  process.stderr.write(`belfry: ${toTerminalSafeText(text)}\n`);
}

/** Prints an error. Returns the exit code: 1 for a refusal (its envelope, or text on a terminal), 2 for wrong usage. */
export function printError(error: unknown): number {
  // commander has printed its own already; code 0 is --help and --version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError || error instanceof ConfigError) {
    printNote(error.message);
    return 2;
  }
  const refused = refusalFor(error);
  const { message, problems = [] } = refused.toEnvelope().error;
  if (process.stderr.isTTY)
    for (const text of [message, ...problems.map((one) => one.message).filter((one) => !message.endsWith(one))])
      printNote(text);
  else process.stderr.write(`${toTerminalSafeJson(refused.toEnvelope())}\n`);
  return 1;
}

function refusalFor(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DataDirInUseError) return conflict("database_in_use", error.message);
  const file = describeFileSystemError(error);
  if (file !== null) return new ApiError("file_inaccessible", file);
  // A fault of ours: where it happened, then the envelope as the last line.
  process.stderr.write(`${error instanceof Error ? error.stack : "unknown error"}\n`);
  return serverError();
}

/** A reader that closed the pipe (`belfry tools | head`) is not a failure, and cannot receive anything more. */
export function exitOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit(process.exitCode ?? 0));
}
