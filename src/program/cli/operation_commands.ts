// A command for each operation of the list. Its options are made from the JSON schema of the input. The service checks
// the values.

import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { ApiError } from "../../model/api_error.ts";
import { LIMITS } from "../../model/limits.ts";
import type { OwnerOperation } from "../../operation/define_operation.ts";
import {
  CLEAR_ARGUMENT_NAME,
  CLEAR_ARGUMENT_SCHEMA,
  operationTakesClearArgument,
  parseLenientArguments,
  prefixErrorWithEffect,
  refuseInvalidClearArgument,
} from "../../operation/lenient_arguments.ts";
import { type JsonSchema, removeNullFromSchema, toJsonSchema } from "../../operation/validation_errors.ts";
import { callTool } from "./call_operation_over_mcp.ts";
import { replaceArgumentNamesWithFlags, toFlag, toKebabCase } from "./option_values.ts";
import { UsageError } from "./output.ts";
import { isRecord } from "./render_for_terminal.ts";
import { callByRest } from "./rest_client.ts";
import {
  addResultOptions,
  printFilteredResult,
  readResultOptions,
  repeatCallAndPrintChangedResults,
} from "./result_options.ts";
import {
  addConnectionOptions,
  type CliConnectionOptions,
  printTarget,
  resolveServerConnection,
  type ServerConnection,
} from "./server_connection.ts";

const IDEMPOTENCY_HOURS = LIMITS.idempotency_hours;

const IDEMPOTENCY_KEY: JsonSchema = {
  type: "string",
  description: `Idempotency key: for ${IDEMPOTENCY_HOURS} hours, requests with the same key run only once.`,
};

function argumentsOf(tool: OwnerOperation): [name: string, schema: JsonSchema, required: boolean][] {
  const { properties = {}, required = [] } = toJsonSchema(tool.input);
  const all = {
    ...properties,
    ...(tool.creates && { idempotency_key: IDEMPOTENCY_KEY }),
    ...(operationTakesClearArgument(tool) && { [CLEAR_ARGUMENT_NAME]: CLEAR_ARGUMENT_SCHEMA }),
  };
  return Object.entries(all).map(([name, schema]) => [name, schema, required.includes(name)]);
}

/** Adds the commands of the list to the program. */
export function addOperationCommands(program: Command, tools: readonly OwnerOperation[]): void {
  program.commandsGroup("Operations (each accepts --help):");
  for (const tool of tools) addToolCommand(program, tool);
}

/** Attributes of a command's options → the arguments that they set. */
type Flags = Map<string, string>;

interface ArgumentOptions {
  /** Arguments that the command sets in another way. */
  except?: readonly string[];
  /** Argument → the letter of its short option. */
  short?: Readonly<Record<string, string>>;
  heading?: string;
}

/** Adds an option for each argument of an operation. */
export function addArgumentOptions(
  command: Command,
  tool: OwnerOperation,
  { except = [], short = {}, heading = "Arguments:" }: ArgumentOptions = {},
): Flags {
  const flags: Flags = new Map();
  command.optionsGroup(heading);
  for (const [name, schema, required] of argumentsOf(tool).filter(([name]) => !except.includes(name)))
    for (const option of optionsFor(name, removeNullFromSchema(schema), required && !short[name], short[name])) {
      command.addOption(option);
      flags.set(option.attributeName(), name);
    }
  return flags;
}

/** The arguments that the options of a command line set. */
export const mapFlagsToArguments = (flags: Flags, values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    [...flags].filter(([attribute]) => values[attribute] !== undefined).map(([at, name]) => [name, values[at]]),
  );

interface OperationCall {
  tool: OwnerOperation;
  args: Record<string, unknown>;
  connection: ServerConnection;
  /** Argument → its name in refusals. */
  names: ReadonlyMap<string, string>;
  /** The values of all options of the command. */
  values: Record<string, unknown>;
}

/** Calls the operation and prints its result. @throws ApiError that names the options of the command */
export async function callAndPrintOperation({ tool, args, connection, names, values }: OperationCall): Promise<void> {
  const options = readResultOptions(tool, values);
  printTarget(connection);
  const read = parseLenientArguments(tool, args);
  const call = async () => {
    try {
      refuseInvalidClearArgument(tool, read);
      const result = connection.login
        ? await callTool(tool, read, connection)
        : (await callByRest(tool, read, connection)).body;
      return nameFlagsInNote(result, names);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const named = replaceArgumentNamesWithFlags(error, names);
      // Over MCP, the service names the effect.
      throw connection.login ? named : prefixErrorWithEffect(named, tool, read);
    }
  };
  if (options.watch) await repeatCallAndPrintChangedResults(call, options, options.watch);
  else printFilteredResult(await call(), options);
}

/**
 * The result with the option for a new idempotency key in its note (rules#cli-names-flags). Other names in a note are
 * those of the result's fields.
 */
function nameFlagsInNote(result: unknown, names: ReadonlyMap<string, string>): unknown {
  const flag = names.get("idempotency_key");
  if (flag === undefined || !isRecord(result) || typeof result.note !== "string") return result;
  return { ...result, note: result.note.replace(/\bidempotency_key\b/, flag) };
}

function addToolCommand(program: Command, tool: OwnerOperation): void {
  const { method, path, when } = tool.http;
  const command = program
    .command(toKebabCase(tool.name))
    .summary(tool.title)
    .description(
      `${tool.description}\n\nScope ${scopesOf(tool)}; ${method} ${path}${when ? ` {"action":"${when.action}"}` : ""}`,
    )
    .configureHelp({ sortOptions: false });
  if (toKebabCase(tool.name) !== tool.name) command.alias(tool.name);

  const flags = addArgumentOptions(command, tool);
  command.addOption(
    new Option("--json <object>", "arguments as a JSON object, or - for standard input; flags override them"),
  );
  const [first = "json"] = argumentsOf(tool).map(([name]) => name);
  command.addArgument(
    new Argument("[-]", "the same as --json -").argParser((given) => {
      if (given === "-") return given;
      throw new InvalidArgumentError(`Put each value after its flag, for example --${toKebabCase(first)} <value>.`);
    }),
  );
  addResultOptions(command, tool);
  addConnectionOptions(command);
  command.action(async (input: "-" | undefined, values: Record<string, unknown>) => {
    const { json = input } = values;
    if (input !== undefined && json !== input)
      throw new UsageError("Pass the arguments with --json or on standard input, not both.");
    const given = typeof json === "string" ? await readObject(json) : null;
    // JSON has the names of the fields.
    const names = new Map(given ? [] : [...flags.values()].map((name) => [name, toFlag(name)]));
    const connection = resolveServerConnection(readConnectionFlags(program, command, flags));
    await callAndPrintOperation({
      tool,
      args: { ...given, ...mapFlagsToArguments(flags, values) },
      connection,
      names,
      values,
    });
  });
}

function scopesOf({ scope, alsoRequires, mayRequire }: OwnerOperation): string {
  const further = Object.keys({ ...alsoRequires, ...mayRequire });
  return further.length > 0 ? `${scope} (some calls also need ${further.join(", ")})` : scope;
}

/** The server and the key of a command line, before or after the name of the command. */
export function readConnectionFlags(program: Command, command: Command, flags: Flags): CliConnectionOptions {
  const { url, key } = command.opts();
  const before = program.opts();
  return {
    url: (flags.has("url") ? undefined : url) ?? before.url,
    key: (flags.has("key") ? undefined : key) ?? before.key,
  };
}

/** One flag for an argument, and its negation for a truth value. */
function optionsFor(name: string, schema: JsonSchema, required: boolean, letter?: string): Option[] {
  const flag = letter ? `-${letter}, ${toFlag(name)}` : toFlag(name);
  const kind = kindOf(schema);
  const items = kind === "array" ? removeNullFromSchema(schema.items ?? {}) : schema;
  const meaning = [
    required && "(required)",
    schema.description,
    items.properties && `an object with ${Object.keys(items.properties).join(", ")}`,
    kind === "array" && "(repeat the flag to pass more)",
    kind === "boolean" && `(--no-${toKebabCase(name)} for false)`,
  ];
  const value = kind === "boolean" ? "[boolean]" : `<${placeholder(items)}>`;
  const option = new Option(`${flag} ${value}`, meaning.filter(Boolean).join(" "));
  // Only named, in help and completions: the service refuses another one itself.
  if (items.enum) option.argChoices = items.enum.map(String);
  if (kind === "array")
    return [option.argParser((raw, soFar: unknown[] = []) => [...soFar, readScalar(kindOf(items), raw)])];
  option.argParser((raw) => readScalar(kind, raw));
  return kind === "boolean" ? [option, new Option(`--no-${toKebabCase(name)}`).hideHelp()] : [option];
}

type Kind = "string" | "number" | "boolean" | "object" | "array";

function kindOf({ type }: JsonSchema): Kind {
  const named = Array.isArray(type) ? type.find((one) => one !== "null") : type;
  return named === "integer" ? "number" : ((named ?? "string") as Kind);
}

function placeholder(schema: JsonSchema): string {
  if (schema.enum) return "value";
  if (schema.format === "date-time") return "instant";
  if (schema.format === "uri") return "url";
  const kind = kindOf(schema);
  return kind === "object" ? "json" : kind === "string" ? "text" : kind;
}

/**
 * A value that cannot be converted stays as it is, and the service refuses it by name. Only unreadable JSON is wrong
 * usage.
 */
function readScalar(kind: Kind, raw: string): unknown {
  if (kind === "number" && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(raw)) return Number(raw);
  if (kind === "boolean" && /^(true|false)$/.test(raw)) return raw === "true";
  if (kind !== "object" && kind !== "array") return raw;
  try {
    return JSON.parse(raw);
  } catch {
    throw new InvalidArgumentError("It must be JSON.");
  }
}

async function readObject(text: string): Promise<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text === "-" ? await readStandardInput() : text);
  } catch {
    throw new UsageError("--json (or standard input) cannot be read: it must be one JSON object in UTF-8.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError("--json (or standard input) must be one JSON object.");
  return { ...value };
}

/** Standard input to its end. @throws TypeError for anything but UTF-8 */
export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}
