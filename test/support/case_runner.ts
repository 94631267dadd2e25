// Case rows: one rule and its result. Each row runs over REST. One success and one refusal of each tool also run over
// MCP, in a new state. Both transports must give equal bodies. test/rules/transports_property.test.ts compares all
// other calls. rules#two-faces

import { expect, test } from "vitest";
import { MAX_RESULT_BYTES } from "../../src/api/transports/mcp_results.ts";
import type { ErrorType } from "../../src/model/api_error.ts";
import { ERROR_TYPE_STATUSES } from "../../src/model/api_error.ts";
import type { ErrorCode } from "../../src/model/error_codes.ts";
import { hasViewArgument } from "../../src/operation/define_operation.ts";
import { DEFAULT_PAGE_SIZE } from "../../src/store/response_schemas/shared_parameters_and_pages.ts";
import { type Answer, findOperation, type World } from "./world.ts";

export interface TestCase<Given = any> {
  /** The rule of the row: its name in docs/reference/rules. */
  rule: string;
  /** Further rules of the row. */
  also?: readonly string[];
  tool: string;
  /** Distinguishes rows of one rule. */
  name?: string;
  /** A row that means something over one transport only. */
  over?: TestTransport;
  /** Brings about the state; runs once for each transport. Its result is passed to `input`, `as` and `after`. */
  given?: (world: World) => Promise<Given>;
  /** The arguments, as MCP names them. */
  input: (given: Given) => Record<string, unknown>;
  /** The credential; the owner's when left out, null for none. */
  as?: (world: World, given: Given) => Promise<string | null> | string | null;
  want: Expectation;
  /** Further checks afterwards. */
  after?: (world: World, given: Given, answer: Answer) => Promise<void> | void;
}

type Expectation =
  | { error: ErrorType; code?: ErrorCode; param?: string | null; says?: RegExp }
  /** Success; `body` is matched as a part. */
  | { body?: object };

type TestTransport = "REST" | "MCP";

/** The differences between two runs of one row: ids, times, handles and codes that were made for it. */
function comparable(body: unknown): unknown {
  const seen = new Map<string, string>();
  const text = JSON.stringify(body, (key, value) =>
    key === "gradient_from" || key === "gradient_to" ? "#colour" : value,
  );
  const handle = (body as { handle?: unknown } | null)?.handle;
  return JSON.parse(
    (typeof handle === "string" ? text.replaceAll(handle, "handle") : text)
      .replace(/\b(psh|alr|inv|whk|ast|key|wsp|mem|aud|dlv|evt)_[0-9a-z]{26}\b/g, (id) => {
        if (!seen.has(id)) seen.set(id, `${id.slice(0, 3)}#${seen.size}`);
        return seen.get(id)!;
      })
      .replace(/("code":"(?![a-z_]+")|\?invite=)[\w-]{20,}/g, "$1code")
      .replace(/("plan":")pln_[\w-]+/g, "$1plan")
      .replace(/("next_after":")[\w-]+/g, "$1place")
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "instant")
      .replace(/\bt[0-9a-z]+-[0-9a-z]+\b/gi, "handle")
      .replace(/whsec_[\w-]+/g, "whsec")
      .replace(/"device":"[0-9a-f]{10}"/g, '"device":"pseudonym"')
      .replace(/Retry in \d+ seconds/g, "Retry in n seconds")
      .replace(/\bm\d+@example\.org\b/g, "address")
      // Only an answer over MCP begins with its effect (rules#refusal-begins-with-effect).
      .replace(/"message":"Nothing was (sent|changed)\. /g, '"message":"'),
  );
}

/**
 * MCP's result with the same options as REST's default: the full view. A list that ended early has the pages up to the
 * requested limit. Both transports must then return the same bytes. test/transports/mcp_views.test.ts tests the
 * defaults.
 */
async function wholeOverMcp(
  world: World,
  name: string,
  args: Record<string, unknown>,
  key: string | null,
): Promise<Answer> {
  const tool = findOperation(name);
  const full = hasViewArgument(tool) && !Object.hasOwn(args, "view") ? { ...args, view: "full" } : args;
  const answer = await world.mcp(name, full, key);
  if (!tool.pagedBy || answer.status !== 200) return answer;
  const { body } = answer;
  // A list without requested pages has `meta` only because it ended early.
  const all = args.limit === undefined && /^list_(pushers|invites)$/.test(name);
  const wanted = all ? Number.POSITIVE_INFINITY : typeof args.limit === "number" ? args.limit : DEFAULT_PAGE_SIZE;
  while (body.meta?.next_before && body.data.length < wanted) {
    const rest = { ...(all ? {} : { limit: wanted - body.data.length }), before: body.meta.next_before };
    const next = await world.mcp(name, { ...full, ...rest }, key);
    body.data.push(...next.body.data);
    if (next.body.meta || !all) body.meta = next.body.meta;
    else delete body.meta;
  }
  return answer;
}

async function runOver(over: TestTransport, world: World, row: TestCase): Promise<Answer> {
  const given = await row.given?.(world);
  const key = row.as ? await row.as(world, given) : world.owner;
  const args = row.input(given);
  const answer =
    over === "REST" ? await world.rest(row.tool, args, key) : await wholeOverMcp(world, row.tool, args, key);
  const { want } = row;
  if ("error" in want) {
    expect({ over, status: answer.status, error: answer.body?.error }).toMatchObject({
      over,
      status: ERROR_TYPE_STATUSES[want.error],
      error: {
        type: want.error,
        ...(want.code === undefined ? {} : { code: want.code }),
        ...(want.param === undefined ? {} : { param: want.param }),
      },
    });
    if (want.says) expect(answer.body.error.message).toMatch(want.says);
  } else {
    expect({ over, status: answer.status, body: answer.body }).toMatchObject({
      over,
      status: findOperation(row.tool).http.status,
      ...(want.body ? { body: want.body } : {}),
    });
  }
  await row.after?.(world, given, answer);
  return answer;
}

const getCaseTitle = (row: TestCase) => `${row.tool}: ${row.name ?? row.rule}`;

/** The first success and the first refusal of each tool, among rows that mean the same over both transports. */
export function rowsOverMcp(cases: readonly TestCase[]): ReadonlySet<TestCase> {
  const both = cases.filter(({ over }) => over === undefined);
  return new Set(
    [...Map.groupBy(both, ({ tool, want }) => `${tool} ${"error" in want}`).values()].map(([first]) => first!),
  );
}

/** Makes a test of every row. Rows of `overMcp` run over both transports. */
export function runCases(
  cases: readonly TestCase[],
  world: () => World,
  overMcp: ReadonlySet<TestCase> = rowsOverMcp(cases),
): void {
  for (const row of cases)
    test(getCaseTitle(row), async () => {
      if (row.over) {
        await runOver(row.over, world(), row);
        return;
      }
      const rest = await runOver("REST", world(), row);
      const { brief, pagedBy } = findOperation(row.tool);
      // A list that is too long ends early instead, and its pages are joined.
      if (brief && !pagedBy && rest.status < 300 && Buffer.byteLength(JSON.stringify(rest.body)) > MAX_RESULT_BYTES) {
        // Too long for an assistant: what MCP has is the short form of the same answer.
        const given = await row.given?.(world());
        const key = row.as ? await row.as(world(), given) : world().owner;
        const { body } = await wholeOverMcp(world(), row.tool, row.input(given), key);
        expect(comparable(body)).toEqual(comparable(brief.output.parse(brief.of(rest.body))));
        return;
      }
      if (!overMcp.has(row)) return;
      const mcp = await runOver("MCP", world(), row);
      // DELETE has no body over REST and returns the deleted id over MCP.
      if (rest.status === 204) return;
      const { left_out = {}, ...shown } = mcp.body;
      const same = { ...rest.body };
      for (const [name, count] of Object.entries<number>(left_out)) same[name] = same[name].slice(0, -count);
      expect(comparable(shown)).toEqual(comparable(same));
    });
}
