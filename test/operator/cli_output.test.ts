// Text of the command line without a server: tables and records for a terminal, harmless characters, and the names of
// options in refusals.

import { expect, test } from "vitest";
import { ApiError } from "../../src/model/api_error.ts";
import {
  parseDurationSeconds,
  readRetryAfter,
  replaceArgumentNamesWithFlags,
} from "../../src/program/cli/option_values.ts";
import {
  getDisplayWidth,
  renderResult,
  toTerminalSafeJson,
  toTerminalSafeText,
} from "../../src/program/cli/render_for_terminal.ts";
import { formatStatus } from "../../src/program/cli/status_doctor_secret_commands.ts";

const PLAIN = { width: 80, colors: false };
/** Escape sequences in 7 and 8 bits, a window title, a bell, line control and controls of direction. */
const HOSTILE = "\u001b[31mred\u001b]0;t\u0007 \u009b2J\u0085\u0008\r\u007f\u202eabc\u2066\u200f\u2028end";
const CONTROLS = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066\u2067]/u;

// rules#cli-harmless-text
test.each([
  ["a cell of a list", { data: [{ id: "alr_1", title: HOSTILE }] }],
  ["a field of a record", { id: "alr_1", title: HOSTILE, body: HOSTILE }],
  ["an item of a list of texts", { id: "alr_1", tags: [HOSTILE] }],
  ["a field inside a record", { stats: { label: HOSTILE } }],
  ["a row inside a record", { choices: [{ choice: HOSTILE }] }],
  ["an object in a cell", { data: [{ id: "alr_1", actions: [{ label: HOSTILE }] }] }],
  ["the name of a field", { [HOSTILE]: 1, data: [{ [HOSTILE]: "x" }] }],
  ["the place of the next page", { data: [{ id: "alr_1" }], meta: { next_before: HOSTILE } }],
  ["a text alone", HOSTILE],
])("%s cannot control the terminal", (_, value) => {
  expect(renderResult(value, PLAIN)).not.toMatch(CONTROLS);
  expect(renderResult(value, PLAIN)).toContain("red");
});

// rules#cli-harmless-text
test("JSON has no control characters and stays the same value", () => {
  const json = toTerminalSafeJson({ text: HOSTILE });
  expect(json).not.toMatch(CONTROLS);
  expect(JSON.parse(json)).toEqual({ text: HOSTILE });
  expect(toTerminalSafeText(HOSTILE)).not.toMatch(CONTROLS);
  // Joiners of emoji and of Persian stay.
  expect(toTerminalSafeText("👨‍👩‍👧 می‌خواهم")).toBe("👨‍👩‍👧 می‌خواهم");
});

// rules#cli-harmless-text
test("the table of the status has one line for each value of the service", () => {
  const table = formatStatus({ service: { status: HOSTILE, [HOSTILE]: 1, degraded: [HOSTILE] }, state: null });
  expect(table).not.toMatch(CONTROLS);
  expect(table.split("\n")).toHaveLength(6);
});

test.each([
  ["7", 7],
  ["2147484", 86_400],
  ["-5", 0],
  ["Thu, 26 Nov 2026 13:00:00 GMT", 0],
  ["", 0],
])("retry-after %j is %i seconds", (value, seconds) => {
  const refused = new ApiError("rate_limited", "Wait.", { headers: { "retry-after": value } });
  expect(readRetryAfter(refused)).toBe(seconds);
});

test("only the rows of a list can be chosen with --fields", () => {
  const row = { id: "alr_1", body: "x".repeat(30), note: "y".repeat(30) };
  expect(renderResult({ data: [row] }, { width: 30, colors: false })).toContain("more fields: choose with --fields");
  expect(renderResult({ days: [row] }, { width: 30, colors: false })).toMatch(/more fields$/m);
});

test("right-to-left text is isolated, so that the columns next to it stay in place", () => {
  const [, row] = renderResult({ data: [{ id: "alr_1", title: "שלום", status: "x" }] }, PLAIN).split("\n");
  expect(row).toBe("alr_1  \u2068שלום\u2069   x");
});

test.each([
  ["abc", 3],
  ["日本語", 6],
  ["e\u0301a", 2],
  ["👨‍👩‍👧", 2],
  ["ﬁｗ", 3],
  ["", 0],
])("%s takes %i columns", (text, width) => expect(getDisplayWidth(text)).toBe(width));

test.each([20, 40, 80, 200])("a table fits into %i columns, and ids stay whole", (width) => {
  const rows = ["short", "a long title ".repeat(20), "日本語 の".repeat(30)].map((title, n) => ({
    ...{ id: `alr_${n}`, status: "sent", title, body: title, actions: [], send_at: null },
    ...{ sent_at: "2026-11-26T13:00:00Z", url: "https://example.org/a/long/path" },
  }));
  const lines = renderResult({ data: rows }, { width, colors: false }).trimEnd().split("\n");
  for (const line of lines.slice(0, 4)) expect(getDisplayWidth(line)).toBeLessThanOrEqual(width);
  expect(lines[2]).toMatch(/^alr_1 /);
  // An empty column is not shown.
  expect(lines[0]).not.toContain("send_at");
  if (width < 80) expect(lines.at(-1)).toMatch(/^\d more fields/);
});

test("named fields are shown in their order, with the next page", () => {
  const data = [{ title: "T", "totals.reads": 3 }];
  const meta = { next_before: "2026-11-26T13:00:00Z" };
  expect(renderResult({ data, meta }, PLAIN, ["totals.reads", "title"])).toBe(
    "totals.reads  title\n3             T\nNext page: --before 2026-11-26T13:00:00Z\n",
  );
  expect(renderResult({ data: [], meta: { next_before: null } }, PLAIN)).toBe("No results.\n");
});

test("a record has a line for each value that is not empty", () => {
  const record = { id: "alr_1", body: "one\ntwo", url: null, tags: ["a", "b"], totals: { reads: 1 }, days: [{ n: 1 }] };
  expect(renderResult(record, PLAIN)).toBe(
    "id      alr_1\nbody    one\n        two\ntags    a, b\ntotals\n  reads  1\ndays\n  n\n  1\n",
  );
});

test("colours mark what matters, and only where they are wanted", () => {
  const value = { data: [{ status: "sent", title: "constructor" }] };
  expect(renderResult(value, { width: 80, colors: true })).toContain("\u001b[32msent\u001b[39m");
  expect(renderResult(value, PLAIN)).not.toContain("\u001b");
});

const FLAGS = new Map(
  ["pusher_id", "title", "send_at", "limit", "actions"].map((name) => [name, `--${name.replace("_", "-")}`]),
);

// rules#cli-names-flags
test.each([
  ["pusher_id", "pusher_id is required.", "--pusher-id is required."],
  ["title", "title is required. Give the alert a title.", "--title is required. Give the alert a title."],
  ["send_at", "expires_at must be later than send_at.", "expires_at must be later than --send-at."],
  ["title", "Nothing was sent. title is required.", "Nothing was sent. --title is required."],
  ["actions.0.label", "actions.0.label must be a string.", "--actions[0].label must be a string."],
  ["x", "Unknown field. Accepted: limit, pusher_id, other.", "Unknown field. Accepted: --limit, --pusher-id, other."],
  [null, "Use --pusher-id or x-send_at.", "Use --pusher-id or x-send_at."],
])("a refusal about %s names the option", (param, message, named) => {
  const refused = replaceArgumentNamesWithFlags(new ApiError("field_required", message, { param }), FLAGS);
  expect(refused.toEnvelope().error).toMatchObject({ message: named, param });
});

// rules#cli-names-flags
test("every problem of a refusal names its option", () => {
  const fields = [
    { param: "title", message: "title is required." },
    { param: "send_at", message: "send_at must be in the future." },
  ];
  const refused = replaceArgumentNamesWithFlags(
    new ApiError("field_required", "title is required.", { param: "title", fields }),
    FLAGS,
  );
  expect(refused.toEnvelope().error.problems?.map(({ message }) => message)).toEqual([
    "--title is required.",
    "--send-at must be in the future.",
  ]);
});

test.each([
  ["90s", 90],
  ["30m", 1800],
  ["2h", 7200],
  ["90d", 7_776_000],
])("%s is %i seconds", (text, seconds) => expect(parseDurationSeconds(text)).toBe(seconds));
test.each(["", "90", "0m", "-5m", "1.5h", "5 m", "36501d", "5w"])("%j is not a duration", (text) =>
  expect(() => parseDurationSeconds(text)).toThrow("It must be a number followed by s, m, h or d"),
);
