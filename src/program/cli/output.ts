// The output of the command line: results as JSON on standard output, everything else on standard error, and the exit
// code. It knows no command.

import { CommanderError } from "commander";
import { ApiError, conflict, serverError } from "../../model/api_error.ts";
import { describeFileError } from "../../store/config/file_errors.ts";
import { ConfigError } from "../../store/config/setting_types.ts";
import { DataDirInUseError } from "../../store/db/data_dir_error.ts";

/** The command was written wrongly: exit 2. */
export class UsageError extends Error {}

/** Indented for people, one line for programs. */
export function printResult(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0)}\n`);
}

/** A remark in addition to the result. */
export function printNote(text: string): void {
  process.stderr.write(`belfry: ${text}\n`);
}

/** Reports the error; the exit code: 1 refused (the envelope), 2 wrong usage (a sentence). */
export function printError(error: unknown): number {
  // commander has printed its own already; code 0 is --help and --version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError || error instanceof ConfigError) {
    printNote(error.message);
    return 2;
  }
  process.stderr.write(`${JSON.stringify(refusalFor(error).toEnvelope())}\n`);
  return 1;
}

function refusalFor(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DataDirInUseError) return conflict("database_in_use", error.message);
  const file = describeFileError(error);
  if (file !== null) return new ApiError("file_inaccessible", file);
  // A fault of ours: where it happened, then the envelope as the last line.
  process.stderr.write(`${error instanceof Error ? error.stack : "unknown error"}\n`);
  return serverError();
}

/** A reader that closed the pipe (`belfry tools | head`) is not a failure, and cannot receive anything more. */
export function exitOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit(process.exitCode ?? 0));
}
