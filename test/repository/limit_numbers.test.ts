// The number of a rule is defined in src/model/limits.ts alone: texts, forms, schemas and SQL read it there. In the
// docs it is filled in between `<!-- limit:name -->` and `<!-- / -->` (npm run gen). A number elsewhere is detected by
// the text near it.

import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { formatLimit, LIMIT_DEFINITIONS, LIMITS, type LimitName, spellLimit } from "../../src/model/limits.ts";

const ROOT = `${import.meta.dirname}/../../`;

/** Numbers that look like a limit and are not: the reason, then file and text. */
const OTHERS: Record<string, string[]> = {
  "assumptions of the scale model": ["docs/explanation/scale.md: ten minute"],
  "a week and a month of statistics, a choice among others": [
    "docs/reference/rules/statistics.md: seven day",
    "src/store/stats/stats_schemas.ts: 30 UTC day",
    "src/pages/console/pages/statistics.ts: 7 day",
    "src/pages/console/pages/statistics.ts: 30 day",
    "src/pages/console/charts/daily_charts.ts: seven day",
    "src/pages/console/charts/daily_charts.ts: seven UTC day",
  ],
  "how long a key or an invite works, a choice among others": [
    "src/identity/session/api_keys.ts: 7 day",
    "src/identity/session/api_keys.ts: 30 day",
    "src/pages/console/pages/invites.ts: 30 day",
  ],
  "limits of ntfy's own server": ["docs/reference/senders.md: 3 day"],
  "the half hours of a timeline": [
    "src/store/stats/stats_queries.ts: 30 minute",
    "src/store/stats/stats_queries.ts: interval '30 minutes'",
  ],
  "the time of a long poll, in an example": [
    "docs/start/subscribe.md: 50 second",
    "docs/reference/handset-api.md: 50 second",
  ],
  "a pseudonym's length": [
    "docs/reference/rules/channels.md: ten hex character",
    "src/model/domain/device_pseudonym.ts: 10 hex character",
  ],
  "the sign-in library's own": [
    "src/identity/auth/sign_in.ts: 15 minute",
    "src/identity/auth/passkeys.ts: .max(8",
    "src/identity/auth/sign_in_throttle.ts: 120",
    "src/identity/session/own_sign_in_methods.ts: 30",
  ],
  "limits before a closer check": [
    "operations/list_audit_events.ts: .max(64",
    "src/store/response_schemas/webhook_schemas.ts: .max(64",
    "src/identity/auth/client_metadata_fields.ts: .max(200",
    "src/handset/subscription_transfer.ts: textSchema(1, 64",
    "src/handset/push_operations.ts: textSchema(1, 200",
    "src/identity/session/own_sign_in_methods.ts: .max(40",
    "src/pages/console/pages/sign_in_flow.ts: maxlength: 12",
    "src/pages/console/pages/sign_in_flow.ts: maxlength: 40",
    "src/pages/console/pages/sign_in_methods.ts: maxlength: 12",
    "src/pages/console/pages/one_time_link.ts: maxlength: 500",
    "src/model/sanitizer/attributes.ts: 2000",
    "src/model/sanitizer/attributes.ts: 2000",
    "src/effects/assets/incoming_file.ts: 120",
  ],
  "limits of our own work, which no caller reaches": [
    "src/handset/device_authentication.ts: 10_000",
    "src/store/queries/subscriptions_and_directory.ts: limit 200",
    "src/store/queries/changed_revisions.ts: interval '2 seconds'",
    "src/store/queries/connections.ts: ten minute",
    "src/effects/webhooks/one_attempt_delivery_queue.ts: at most four",
  ],
  "advice, examples, measurements and what the Earth has": [
    "docs/reference/handset-api.md: 60 second",
    "docs/reference/handset-api.md: up to 60",
    "docs/how-to/https.md: ten minute",
    "docs/how-to/https.md: 60 second",
    "docs/how-to/https.md: at most 60",
    "docs/how-to/processes.md: up to 24",
    "docs/how-to/troubleshooting.md: 60 second",
    "src/api/openapi/examples.ts: 15 minute",
    "src/api/transports/request_body.ts: 1_048_576",
    "src/model/fields/value_schemas.ts: .max(90",
    "src/model/fields/value_schemas.ts: .max(180",
  ],
};

const files = globSync(["{src,operations}/**/*.{ts,js}", "README.md", "SECURITY.md", "docs/**/*.md", "examples/*.md"], {
  cwd: ROOT,
})
  .map((name) => name.replaceAll("\\", "/"))
  // Historical texts, texts about the repository itself, and generated texts.
  .filter((name) => !/^(src\/model\/(migrations\/|limits\.ts)|docs\/(decisions|contributing)\/)/.test(name));

const names = Object.keys(LIMIT_DEFINITIONS) as LimitName[];
const oneOf = (texts: readonly string[]) => `(?:${[...new Set(texts)].join("|")})`;

/** The spellings of a value: 4000, 4_000, 4,000, and a small one as a word. */
function writings(name: LimitName): string[] {
  const grouped = LIMITS[name].toLocaleString("en");
  return [String(LIMITS[name]), grouped, grouped.replaceAll(",", "_"), spellLimit(name)];
}

/** `120 characters`, `five seconds`, `64 KiB`, `30 sends a minute`. */
function withUnit(name: LimitName): string {
  const unit = LIMIT_DEFINITIONS[name][1];
  if (unit === "bytes") return formatLimit(name);
  const of = unit === "calls" ? "(?:\\w+ ){0,2}an? minute" : `(?:\\w+ )?${unit.replace(/s$/, "")}`;
  return `${oneOf(writings(name))}[ -]${of}`;
}

/** Parts of a limit's name that identify its subject. */
const VAGUE = /^(alert|answer|app|body|brief|days|device|handset|hours|least|minutes|seconds|text|usual|.{1,3})$/;
const wordsOf = (name: LimitName) =>
  name
    .split("_")
    .filter((word) => !VAGUE.test(word))
    .map((word) => word.replace(/s$/, ""));

const SIGNS = [
  new RegExp(`(?<![\\w.,$-])${oneOf(names.map(withUnit))}`, "gi"),
  new RegExp(`\\b(?:at most|up to|no more than|newest|1 to) ${oneOf(names.flatMap(writings))}(?![\\w.,-]*\\w)`, "gi"),
  // Independent of the number: limits of a field, of a schema or of a statement.
  /\b(?:max|min)length["']?\s*[=:]\s*["'{]*(?!1\b)\d+/gi,
  /\bmost: \d+|(?<!Math)\.max\(\d+|\b(?:textSchema|prose)\(\d+, \d+|\bslugSchema\(\d+/g,
  /\b(?:limit|offset) (?![012]\b)\d+|\binterval '(?!1 )\d+ \w+'/g,
];

/** A number in code near a part of the name of the limit with this value. */
function besideItsName(line: string): string[] {
  return [
    ...line.replace(/status\w*\W+\d{3}/gi, "").matchAll(/(?<![\w.#$`,:-])\d[\d_]*(?:\s*\*\s*\d[\d_]*)*(?![\w.%:])/g),
  ].flatMap(([found]) => {
    const value = found.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1);
    const meant = (name: LimitName) =>
      LIMITS[name] === value && wordsOf(name).some((word) => line.toLowerCase().includes(word));
    return value > 24 && names.some(meant) ? [found] : [];
  });
}

/** Generated parts are exempt. */
const written = (text: string) =>
  text
    .replace(/<!-- generated:\w+ -->[\s\S]*?<!-- \/generated -->/g, (made) => made.replace(/[^\n]/g, ""))
    .replace(/<!-- limit:\w+ -->.*?<!-- \/ -->/g, "…");

/** The values that must come from the table. */
const strays = (file: string, content: string): { line: number; text: string }[] =>
  written(content)
    .split("\n")
    .flatMap((line, at) => [
      ...SIGNS.flatMap((sign) => [...line.matchAll(sign)].map(([text]) => ({ line: at + 1, text }))),
      ...(file.endsWith(".md") ? [] : besideItsName(line).map((text) => ({ line: at + 1, text }))),
    ]);

test("no number of a rule is written outside of the table", () => {
  const others = Object.values(OTHERS).flat();
  const known = new Set<string>();
  const found = files.flatMap((file) =>
    strays(file, readFileSync(ROOT + file, "utf8")).flatMap(({ line, text }) => {
      const other = `${file}: ${text}`;
      known.add(other);
      return others.includes(other) ? [] : [`${file}:${line}: ${text}`];
    }),
  );
  expect(found, "read it from src/model/limits.ts").toEqual([]);
  expect(
    others.filter((other) => !known.has(other)),
    "unused, so remove it from OTHERS",
  ).toEqual([]);
});

describe("a number is found", () => {
  test.each([
    ["in a form", "page.ts", '<input name="title" maxlength="120">'],
    ["in a form of the app", "view.ts", "<input maxLength={120} />"],
    ["in a counter", "page.ts", 'field({ name: "title", most: 120 })'],
    ["in a schema", "fields.ts", "z.string().max(120)"],
    ["in a constant", "rules.ts", `const MAX_TITLE = ${LIMITS.alert_title};`],
    ["as bytes", "rules.ts", `const FEED = ${LIMITS.feed_bytes / 1024} * 1024;`],
    ["in SQL", "queries.ts", "order by created_at limit 50`,"],
    ["in an interval of SQL", "queries.ts", "where created_at < now() - interval '7 days'"],
    ["in a description", "tool.ts", `description: "A title has at most ${LIMITS.alert_title} characters.",`],
    ["in a doc", "page.md", `A text has up to ${formatLimit("alert_body")} characters.`],
    ["as a word", "page.md", `One POST, in ${spellLimit("webhook_seconds")} seconds.`],
    ["as a size", "page.md", `Answers stay under ${formatLimit("mcp_answer")}.`],
    ["as a rate", "page.md", `A channel publishes ${LIMITS.sends} alerts a minute.`],
  ])("%s", (_, file, text) => expect(strays(file, text)).not.toEqual([]));
});

test("a number that is read from the table or filled in is not", () => {
  expect(strays("page.ts", 'field({ name: "title", most: LIMITS.alert_title })')).toEqual([]);
  expect(strays("page.md", "Up to <!-- limit:alert_body -->16,384<!-- / --> characters.")).toEqual([]);
});
