// The options `--fields`, `--jq` and `--watch`: parts of a result, a filter by the program jq, and repeated calls. Both
// kinds of filters are checked before the call, which may change something.

import { spawnSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import { ApiError } from "../../model/api_error.ts";
import type { OwnerOperation } from "../../operation/define_operation.ts";
import { type JsonSchema, removeNullFromSchema } from "../../operation/validation_errors.ts";
import { MAX_WAIT_SECONDS, readRetryAfter, readWholeNumber } from "./option_values.ts";
import { formatResult, printNote, UsageError } from "./output.ts";
import { isRecord, toTerminalSafeJson, toTerminalSafeText } from "./render_for_terminal.ts";

const WATCH_SECONDS = 5;

/** Lists and statistics can be watched. */
const isWatchable = (tool: OwnerOperation) => tool.readOnly && /^list_|_stats$/.test(tool.name);

/** Adds the options that choose what is printed. */
export function addResultOptions(command: Command, tool: OwnerOperation): void {
  command.optionsGroup("Output:");
  command.addOption(new Option("--fields <names>", "only these fields, such as id,title").argParser(readFieldNames));
  command.option("--jq <expression>", "filter the JSON with a jq expression; jq must be installed");
  if (!isWatchable(tool)) return;
  command.addOption(
    new Option("--watch [seconds]", "repeat the call and print changes until a signal ends it")
      .argParser(readInterval)
      .preset(WATCH_SECONDS),
  );
}

function readInterval(text: string): number {
  const seconds = readWholeNumber(text);
  if (seconds > MAX_WAIT_SECONDS) throw new InvalidArgumentError(`It must be at most ${MAX_WAIT_SECONDS} seconds.`);
  return seconds;
}

function readFieldNames(text: string, before: readonly string[] = []): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (!names.every((name) => /^\w+(\.\w+)*$/.test(name)))
    throw new InvalidArgumentError("It must be a comma-separated list of field names, such as id,title,totals.reads.");
  return [...before, ...names];
}

interface ResultOptions {
  fields?: readonly string[];
  jq?: string;
  /** Seconds between two calls. */
  watch?: number;
}

/** The options as given. @throws UsageError for a field that results do not have, and for a bad or missing filter */
export function readResultOptions(tool: OwnerOperation, values: Record<string, unknown>): ResultOptions {
  const { fields, jq, watch } = values as ResultOptions;
  if (fields) {
    const known = listFields(tool);
    const unknown = fields.find((path) => !known.has(path.split(".")[0] ?? ""));
    if (unknown !== undefined)
      throw new UsageError(`--fields: ${unknown} is not a field. Choose from ${[...known].join(", ")}.`);
  }
  // Without input, jq compiles the expression and does not run it.
  const { failure } = jq === undefined ? { failure: null } : runJq(jq, "");
  if (failure !== null) throw new UsageError(`--jq: ${failure}`);
  return { ...(fields && { fields }), ...(jq !== undefined && { jq }), ...(watch && { watch }) };
}

/** Names of the fields of a result, or of the rows of a list, in each of its views. */
function listFields({ output, brief, titles }: OwnerOperation): Set<string> {
  const schemas = [output, brief?.output, titles?.output].filter((schema) => schema !== undefined);
  return new Set(schemas.flatMap((schema) => namesIn(z.toJSONSchema(schema, { io: "output" }) as JsonSchema)));
}

function namesIn(root: JsonSchema, schema: JsonSchema = root): string[] {
  const at = resolve(root, removeNullFromSchema(schema));
  const branches = [...(at.anyOf ?? []), ...((at.oneOf as JsonSchema[] | undefined) ?? [])];
  if (branches.length > 0) return branches.flatMap((branch) => namesIn(root, branch));
  const rows = at.properties?.data && resolve(root, at.properties.data).items;
  return rows ? namesIn(root, rows) : Object.keys(at.properties ?? {});
}

const resolve = (root: JsonSchema, schema: JsonSchema): JsonSchema =>
  typeof schema.$ref === "string"
    ? ((root.$defs as Record<string, JsonSchema> | undefined)?.[schema.$ref.replace("#/$defs/", "")] ?? root)
    : schema;

/** The value at a path such as `totals.reads`, or null. */
const valueAt = (value: unknown, path: string): unknown =>
  path.split(".").reduce((at: unknown, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : null), value);

/** The result, or each row of a list, with only the named fields. Their paths are the keys. */
function select(result: unknown, fields: readonly string[]): unknown {
  const pick = (value: unknown) => Object.fromEntries(fields.map((path) => [path, valueAt(value, path)]));
  const { data } = result as { data?: unknown };
  return Array.isArray(data) ? { ...(result as object), data: data.map(pick) } : pick(result);
}

interface Selected {
  /** The text that is printed; the whole result where the filter failed. */
  text: string;
  /** The message of a filter that failed, or null. */
  failure: string | null;
  /** Set if a signal of the terminal ended the filter. */
  interrupted?: boolean;
}

function formatSelected(result: unknown, { fields, jq }: ResultOptions): Selected {
  const selected = fields ? select(result, fields) : result;
  if (jq === undefined) return { text: formatResult(selected, fields), failure: null };
  const { stdout, failure, interrupted } = runJq(jq, JSON.stringify(selected));
  if (failure !== null) return { text: `${toTerminalSafeJson(result)}\n`, failure, interrupted };
  return { text: process.stdout.isTTY ? toTerminalSafeText(stdout) : stdout, failure };
}

/** Prints what is chosen of a result. Where the filter fails, prints the whole result and sets exit code 1. */
export function printFilteredResult(result: unknown, options: ResultOptions): void {
  const { text, failure } = formatSelected(result, options);
  process.stdout.write(text);
  if (failure !== null) printFilterFailure(failure);
}

function printFilterFailure(failure: string): void {
  printNote(`the call succeeded, but --jq failed: ${failure}`);
  process.exitCode = 1;
}

/** Runs jq. `failure` is its message, or null. @throws UsageError where it is not installed */
function runJq(expression: string, input: string) {
  // A leading space: an expression may begin like an option.
  const { error, status, signal, stdout, stderr } = spawnSync("jq", ["-r", ` ${expression}`], {
    input,
    encoding: "utf8",
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === "ENOENT") throw new UsageError("--jq requires jq on your PATH. Install it, or use --fields.");
  // jq may succeed without reading all of its input.
  const failed = status !== 0 || (error !== undefined && code !== "EPIPE");
  const failure = failed ? toTerminalSafeText(stderr ?? "").trim() || "jq failed" : null;
  return { stdout, failure, interrupted: signal === "SIGINT" || signal === "SIGTERM" };
}

const CLEAR_SCREEN = "\u001b[H\u001b[2J\u001b[3J";

/**
 * Repeats a call until a signal ends it. A terminal shows the last result; elsewhere each changed result is printed.
 * Failures of the server are noted and tried again. @throws ApiError for other refusals
 */
export async function repeatCallAndPrintChangedResults(
  call: () => Promise<unknown>,
  options: ResultOptions,
  seconds: number,
): Promise<void> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const { isTTY } = process.stdout;
  let last = "";
  while (!stop.signal.aborted) {
    let wait = seconds;
    try {
      const { text, failure, interrupted } = formatSelected(await call(), options);
      if (interrupted) return;
      if (isTTY) process.stdout.write(`${CLEAR_SCREEN}${text}`);
      else if (text !== last) process.stdout.write(text);
      if (failure !== null && (isTTY || text !== last)) printFilterFailure(failure);
      last = text;
    } catch (error) {
      if (!(error instanceof ApiError) || !["server_error", "rate_limited"].includes(error.type)) throw error;
      printNote(error.message);
      wait = Math.max(wait, readRetryAfter(error));
    }
    await pause(wait * 1000, null, { signal: stop.signal }).catch(() => {});
  }
}
