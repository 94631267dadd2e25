// Covers rules#console-for-people. Pages use no API terms. Every schema error has a message in the terms of a form. A
// refusal about arguments or formats of the API has a second sentence for people (src/model/api_and_ui_error_texts.ts).

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { OPERATIONS } from "../../operations/index.ts";
import { SESSION_OPERATIONS } from "../../src/identity/session/index.ts";
import { formatErrorForUi } from "../../src/model/api_and_ui_error_texts.ts";
import { ApiError } from "../../src/model/api_error.ts";
import { assertDefined } from "../../src/model/assert.ts";
import { ALERT_VERB_OUTCOMES_BY_STATUS, createTransitionError } from "../../src/model/domain/alert_transitions.ts";
import {
  catchApiError,
  checkAlertContent,
  checkAlertNotExpired,
  requireFutureSendAt,
} from "../../src/model/domain/alert_validation.ts";
import { ALERT_FIELDS } from "../../src/model/fields/alert.ts";
import { getFieldLabels } from "../../src/model/fields/field_table.ts";
import { createValidationError } from "../../src/operation/validation_errors.ts";
import { toFormError } from "../../src/pages/console/form_submission.ts";
import { ROOT } from "../support/rule_citations.ts";

/**
 * Terms of the API: names of arguments and operations, paths, formats, and instructions that only programs can follow.
 */
const OF_THE_API = new RegExp(
  [
    /[a-z]+_[a-z]|\w\.\d|\bomit\b|leave it out|must be one of (?!the available choices)|\bnull\b|RFC \d|BCP|IANA|ASCII/,
    /\bNUL\b|must be (an? )?(string|array|object|true or false)|[Ii]dempotency|\bcredential|\bscope\b|\bETag\b/,
    /exclude each other|a-z 0-9/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

const apiWords = (sentences: readonly string[]) => sentences.filter((sentence) => OF_THE_API.test(sentence));

/** Values that a client may send in place of anything. */
const WRONG: readonly unknown[] = [
  ...[undefined, null, true, "", " ", "no such thing", "a\u200bb", "a\u0000b", "\u0007", "x".repeat(600_000)],
  ...[-1, 0.5, 1e12, Number.NaN, {}, { type: "ring", label: "", url: "ftp://" }],
  ...[[], [null], ["no such thing"], ["x".repeat(300)], Array(60).fill("x"), [{ type: "ring", label: "", url: "" }]],
];

/** Every refusal of each field of an operation, as a form without any labels shows it. */
function refusals({ input }: { input: z.ZodObject }): string[] {
  const tries = Object.keys(input.shape).flatMap((name) => WRONG.map((value) => ({ [name]: value })));
  return [...tries, { no_such_field: 1 }].flatMap((args) => {
    const read = input.safeParse(args, { reportInput: true });
    if (read.success) return [];
    const refused = toFormError(createValidationError(read.error, input), {});
    expect([refused.code, ...refused.fields.map(({ code }) => code)]).not.toContain("invalid_value");
    return [...refused.fields.map(({ message }) => message), formatErrorForUi(refused)];
  });
}

describe("what is wrong with a field", () => {
  test.each([...OPERATIONS, ...SESSION_OPERATIONS].map((operation) => [operation.name, operation] as const))(
    "of %s",
    (_, operation) => {
      const said = refusals(operation);
      expect([...new Set(apiWords(said))]).toEqual([]);
    },
  );

  test("has the form's label, and stays with its row of a list where that has one", () => {
    const LABELS = { ...getFieldLabels(ALERT_FIELDS), "actions.1.url": "Button 2 link" };
    const { input } = assertDefined(
      OPERATIONS.find(({ name }) => name === "create_alert"),
      "there is such a tool",
    );
    const good = { pusher_id: "psh_1", title: "T" };
    const wrong = (args: object) => {
      const { error } = input.safeParse({ ...good, ...args }, { reportInput: true });
      const { fields } = toFormError(createValidationError(assertDefined(error, "these are wrong"), input), {}, LABELS);
      return fields.map(({ param, code, message }) => ({ param, code, message }));
    };
    const button = { label: "Read", url: "https://x.example/" };
    expect(wrong({ actions: [{ ...button, type: "ring" }] })).toEqual([
      { ...{ param: "actions", code: "invalid_choice" }, message: "Buttons must be one of the available choices." },
    ]);
    expect(wrong({ actions: [button, { label: "More" }] })).toEqual([
      { param: "actions.1.url", code: "field_required", message: "Button 2 link is missing." },
    ]);
    expect(wrong({ title: "x".repeat(121) })).toEqual([
      { param: "title", code: "too_long", message: "Title must be at most 120 characters long." },
    ]);
  });
});

describe("rules across several fields of an alert", () => {
  const [before, now, later] = ["2026-11-20", "2026-11-21", "2026-11-22"].map((day) => `${day}T00:00:00.000000Z`) as [
    string,
    string,
    string,
  ];
  const bare = {
    ...{ layout: "text", image_url: null, image_asset_id: null, html: null, html_asset_id: null },
    ...{ send_at: null, expires_at: null },
  };
  const changed = { send_at: true, expires_at: true, scheduled: false };
  const content = (more: object, how: object = {}) =>
    catchApiError(() => checkAlertContent({ ...bare, ...more }, 0, { ...changed, ...how }, now));

  test.each([
    content({ image_url: "a", image_asset_id: "b" }),
    content({ html: "a", html_asset_id: "b" }),
    content({ layout: "image" }),
    content({ layout: "html" }),
    content({ layout: "document" }),
    content({ lat: 1 }),
    content({ send_at: before }, { scheduled: true }),
    content({ expires_at: before }),
    content({ send_at: later, expires_at: later }),
    catchApiError(() => requireFutureSendAt(null, now)),
    catchApiError(() => requireFutureSendAt(before, now)),
    catchApiError(() => checkAlertNotExpired(before, now)),
    ...Object.values(ALERT_VERB_OUTCOMES_BY_STATUS).flatMap((verbs) =>
      Object.values(verbs).flatMap((cell) => (cell.do === "refuse" ? [createTransitionError(cell)] : [])),
    ),
  ])("%s", (refusal) => {
    expect(refusal).toBeInstanceOf(ApiError);
    expect(apiWords([formatErrorForUi(toFormError(refusal!, {}))])).toEqual([]);
  });
});

test("a refusal for programs has a second text for people", () => {
  const files = globSync("{tools,src/{model,operation,store,effects,identity/session}}/**/*.ts", { cwd: ROOT });
  const written = (text: string, call: RegExp) =>
    [...text.matchAll(call)]
      .filter(([, , words]) => words!.includes(" "))
      .map(([, , words]) =>
        // The name of a field at the begin of a sentence becomes its label.
        words!.replace(/\$\{[^}]*\}/g, "9").replace(/^[a-z_]+ (?=must )/, ""),
      );
  /** A fixed sentence, as the first argument of a call, or the second after a code. */
  const first = (names: string) =>
    new RegExp(`\\b(?:${names})\\(\\s*(?:"[a-z_]+",\\s*)?(["\`])((?:(?!\\1)[^\\\\]|\\\\.)*)\\1`, "g");
  const alone: string[] = [];
  let both = 0;
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), "utf8");
    alone.push(
      ...apiWords(
        written(text, first("invalidRequest|conflict|forbidden|refuse|createZodRefineParams|createZodFieldIssue")),
      ).map((said) => `${file}: ${said}`),
    );
    both += written(text, first("createApiAndUiText")).length;
  }
  expect(both).toBeGreaterThan(30);
  expect(alone).toEqual([]);
});

test("a limit shows when to retry, and not its name", () => {
  const refused = new ApiError("rate_limited", "At most 30 calls in 60 seconds (send_alert); retry in 7 seconds.", {
    headers: { "retry-after": "7" },
  });
  expect(formatErrorForUi(refused)).toBe("Too many requests. Try again in 7 seconds.");
});
