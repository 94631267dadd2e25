// The player of evaluation tasks. It makes the calls of a task through an MCP client. It checks the end state and the
// answers, and counts the calls and the tokens of their arguments and results (o200k).

import { readFileSync } from "node:fs";
import { estimateTokens } from "../../test/support/token_estimate.ts";

type Row = Record<string, unknown>;

/** Tool, arguments, and the name under which later calls refer to the answer; `refused` where it must be a refusal. */
type Call = [tool: string, args: Row, as?: string];

export interface EvalTask {
  id: string;
  /** The person's message. */
  ask: string;
  /** The scopes of its key; all by default. */
  scopes?: string;
  /** The fewest calls that do it. */
  play: Call[];
  /**
   * The evidence for a reply to the person: patterns that the results must match, and some that they must not match.
   */
  says?: string[];
  never?: string[];
  /** Reading calls, and what of their answers must be so afterwards. */
  ends: [tool: string, args: Row, holds: unknown][];
  /** The highest number that it may use; a hazard has none. */
  tokens?: number;
}

interface EvalWorld {
  read?: number;
  ack?: number;
  times?: number;
}

interface TaskFile {
  world: [string, Row, EvalWorld?][];
  tasks?: EvalTask[];
  injections?: EvalTask[];
  hazards?: EvalTask[];
}

/** The files of tasks, in the order in which they are played. */
export const TASK_FILES = ["tasks.json", "examination.json", "hazards.json"].map(
  (name) => new URL(`./${name}`, import.meta.url),
);

const files = TASK_FILES.map((url) => JSON.parse(readFileSync(url, "utf8")) as TaskFile);
const all = <K extends keyof TaskFile>(name: K) =>
  files.flatMap((file) => (file[name] ?? []) as NonNullable<TaskFile[K]>[number][]);

export const world = all("world");
export const tasks = all("tasks");
export const injections = all("injections");
/** Repetitions and hostile texts that must not publish, publish twice or withdraw more than was meant. */
export const hazards = all("hazards");

/** A client of any SDK. */
export interface McpClient {
  callTool(call: { name: string; arguments: Row }): Promise<unknown>;
}

interface Result {
  isError?: boolean;
  structuredContent?: Row;
  content: { text?: string }[];
}

export interface TaskResult {
  calls: number;
  tokens: number;
  /** The failed checks; empty when all pass. */
  wrong: string[];
}

/** An error of the client is also a refusal, with the text that the caller received. */
const thrown = (error: Error & { errorDescription?: string }): Result => ({
  isError: true,
  structuredContent: {},
  content: [{ text: [error.message, error.errorDescription].join(" ") }],
});

export async function callTool(client: McpClient, name: string, args: Row) {
  const result = (await client.callTool({ name, arguments: args }).catch(thrown)) as Result;
  const text = result.content.map((part) => part.text ?? "").join("");
  const body = result.structuredContent ?? (JSON.parse(text) as Row);
  return { body, text, refused: result.isError === true };
}

const OFFSET = /^[+-]\d+[dh]$/;

/** `+2d` is the time in two days, `-1h` an hour ago; `{n}` is the number of the repetition. */
export function fillPlaceholders(args: Row, now: number, n = 0): Row {
  const instant = (text: string) => {
    const hours = Number(text.slice(0, -1)) * (text.endsWith("d") ? 24 : 1);
    return new Date(now + hours * 3_600_000).toISOString();
  };
  const value = (one: unknown) =>
    typeof one !== "string" ? one : OFFSET.test(one) ? instant(one) : one.replace("{n}", String(n));
  return Object.fromEntries(Object.entries(args).map(([name, one]) => [name, value(one)]));
}

/**
 * `@name` is the id in an answer, `@name.field` another field of it, and `@name/Title` the id of its row with this
 * title, label or address.
 */
function referred(args: Row, answers: Map<string, Row>): Row {
  const find = (text: string): unknown => {
    const [, name = "", path, title] = /^@(\w+)(?:\.([\w.]+)|\/(.*))?$/.exec(text) ?? [];
    const answer = answers.get(name);
    if (path !== undefined)
      return path.split(".").reduce<unknown>((at, field) => (at as Row | undefined)?.[field], answer);
    if (title === undefined) return answer?.id;
    const rows = (answer?.data ?? []) as Row[];
    return rows.find((row) => [row.title, row.label, row.url].includes(title))?.id ?? "none";
  };
  const value = (one: unknown): unknown =>
    Array.isArray(one) ? one.map(value) : typeof one === "string" && one.startsWith("@") ? find(one) : one;
  return Object.fromEntries(Object.entries(args).map(([name, one]) => [name, value(one)]));
}

/** A minute about: an assistant that thinks first counts from later. */
const ABOUT = 600_000;

/**
 * Compares a result with the expected one: its fields must be the named ones. Its rows must contain one like each that
 * is named, or none like `{"none": …}`. A text after ~ is a pattern; `+2d` is a time; empty fields are left out.
 */
export function matchesExpected(value: unknown, wanted: unknown, now: number): boolean {
  if (wanted === null || wanted === false) return value === undefined || value === wanted;
  if (Array.isArray(wanted)) {
    const rows = Array.isArray(value) ? value : [];
    return wanted.every((one) => rows.some((row) => matchesExpected(row, one, now)));
  }
  if (typeof wanted === "object") {
    if ("none" in wanted) return Array.isArray(value) && !value.some((row) => matchesExpected(row, wanted.none, now));
    return Object.entries(wanted).every(([name, one]) => matchesExpected((value as Row | undefined)?.[name], one, now));
  }
  if (typeof wanted !== "string") return value === wanted;
  if (wanted.startsWith("~")) return new RegExp(wanted.slice(1), "i").test(String(value ?? ""));
  if (!OFFSET.test(wanted)) return value === wanted;
  const at = Date.parse(fillPlaceholders({ wanted }, now).wanted as string);
  return Math.abs(Date.parse(String(value)) - at) < ABOUT;
}

/** The failed checks of a task's end state. `said`: the reply to the person, or the results of the calls. */
export async function findUnmetExpectation(
  task: EvalTask,
  client: McpClient,
  now: number,
  said: string | null,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [tool, args, wanted] of task.ends) {
    const { body } = await callTool(client, tool, args);
    if (!matchesExpected(body, wanted, now)) wrong.push(`${tool} does not show ${JSON.stringify(wanted)}`);
  }
  if (said === null) return wrong;
  const pattern = (text: string) => new RegExp(text, "i");
  for (const text of task.says ?? []) if (!pattern(text).test(said)) wrong.push(`missing text: ${text}`);
  for (const text of task.never ?? []) if (pattern(text).test(said)) wrong.push(`unexpected text: ${text}`);
  return wrong;
}

/** Plays a task; `reader` looks at the end state with every scope. */
export async function runTask(task: EvalTask, client: McpClient, reader = client): Promise<TaskResult> {
  const now = Date.now();
  const answers = new Map<string, Row>();
  const wrong: string[] = [];
  if (
    tasks.includes(task) &&
    task.ends.length > 0 &&
    (await findUnmetExpectation(task, reader, now, null)).length === 0
  )
    wrong.push("the end state is reached before anything is done");
  let said = "";
  let tokens = 0;
  for (const [tool, args, as = ""] of task.play) {
    const given = referred(fillPlaceholders(args, now), answers);
    const { body, text, refused } = await callTool(client, tool, given);
    if (refused !== (as === "refused")) wrong.push(`${tool} answered ${text.slice(0, 300)}`);
    answers.set(as, body);
    said += `${text}\n`;
    tokens += estimateTokens(JSON.stringify(given)) + estimateTokens(text);
  }
  return {
    calls: task.play.length,
    tokens,
    wrong: [...wrong, ...(await findUnmetExpectation(task, reader, now, said))],
  };
}
