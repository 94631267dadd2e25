// Any JSON object. Common names of title, text, severity and link are detected. The templates `?title=` and `?body=`
// name other paths. A template has no logic ({{name}}, {{a.b}}, {{#list}}…{{/list}}). Neither the template nor its
// values are trusted. Templates cannot reach code or files, lists are iterated on one level only, and output ends at
// the limit of an alert.

import { invalidRequest } from "../../../model/api_error.ts";
import { INGEST_SOURCE_PROGRAMS, type IngestSourceProgramId } from "../../../model/fields/sender_programs.ts";
import { LIMITS } from "../../../model/limits.ts";
import type { AlertInput, ParsedIngestRequest, SenderAdapter } from "../adapter.ts";
import { parseHttpsUrl } from "../message_text.ts";
import {
  addLowerCaseKeys,
  buildAlert,
  formatQuantity,
  joinLimitedLines,
  mapSeverityToPriority,
  parseBodyObjectOrEmpty,
  textOrNumberSchema,
} from "./format_helpers.ts";
import { hasStructuredBody, parseStructuredBody } from "./structured_body.ts";

const ALLOWED = new Set(["text", "name", "#", "^", "!"]);

/** The same value without inherited properties, each list cut. Its depth was limited when it was parsed. */
function toTemplateValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.setPrototypeOf(value.slice(0, LIMITS.shape_lines).map(toTemplateValue), null);
  const entries = Object.entries(value).map(([name, inner]) => [name, toTemplateValue(inner)]);
  return Object.setPrototypeOf(Object.fromEntries(entries), null);
}

/** Writes values for one template, which may name the largest thousands of times. */
function createValueFormatter(): (value: unknown) => string {
  let room = LIMITS.body_alerts;
  return (value) => {
    if (room <= 0) return "";
    const text = (typeof value === "object" ? JSON.stringify(value) : String(value)).slice(0, room);
    room -= text.length;
    return text;
  };
}

const getChildTokens = (part: readonly unknown[]): readonly (readonly unknown[])[] =>
  Array.isArray(part[4]) ? part[4] : [];

/** The value at a path such as `a.b`. */
const getValueAtPath = (content: object, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((value, name) => (Object.hasOwn(Object(value), name) ? Object(value)[name] : null), content);

/**
 * A note has the number of entries that are left out.
 * @throws 422 for a template that is invalid or over its limits
 */
export async function fillTemplate(template: string, content: object, notes: string[]): Promise<string> {
  if (template.length > LIMITS.template)
    throw invalidRequest("too_long", `A template can be at most ${LIMITS.template} characters long.`);
  const { default: mustache } = await import("mustache");
  // It would keep each template for ever.
  mustache.templateCache = undefined;
  try {
    const outer = mustache.parse(template);
    const inner = outer.flatMap(getChildTokens);
    const kinds = [...outer, ...inner].map(([kind]) => kind);
    if (kinds.every((kind) => ALLOWED.has(String(kind))) && inner.flatMap(getChildTokens).length === 0) {
      const lists = outer.filter(([kind]) => kind === "#").map(([, path]) => getValueAtPath(content, String(path)));
      const left = Math.max(0, ...lists.map((list) => (Array.isArray(list) ? list.length - LIMITS.shape_lines : 0)));
      if (left > 0)
        notes.push(`The template shows ${LIMITS.shape_lines} entries of a list. ${left} more are left out.`);
      return mustache.render(template, toTemplateValue(content), undefined, { escape: createValueFormatter() });
    }
  } catch {
    // The parser's message would repeat the template.
  }
  throw invalidRequest(
    "invalid_format",
    "The template is not valid. Use {{name}} and {{a.b}} for values, and {{#list}}{{.}}{{/list}} for a list, without " +
      "nesting.",
  );
}

const FIELD_NAMES_BY_PART = {
  title: ["title", "subject", "summary", "name", "event"],
  body: ["body", "message", "text", "msg", "description", "content", "details"],
  severity: ["priority", "severity", "level"],
  url: ["url", "link", "source_url", "html_url", "web_url", "permalink"],
  image: ["image_url", "image"],
};

/** The first name of a part that has a text or a number. */
const findName = (content: object, part: keyof typeof FIELD_NAMES_BY_PART): string | undefined =>
  FIELD_NAMES_BY_PART[part].find((name) => {
    const value = Object.hasOwn(content, name) ? (content as Record<string, unknown>)[name] : null;
    return (typeof value === "string" && value !== "") || typeof value === "number";
  });

function findValue(content: object, part: keyof typeof FIELD_NAMES_BY_PART): string {
  const name = findName(content, part);
  return name === undefined ? "" : String((content as Record<string, unknown>)[name]);
}

/** Fields that describe the message itself. */
const ENVELOPE_FIELDS = [
  "version",
  "type",
  "messagetype",
  "attachments",
  "attachment",
  "payload",
  "channel",
  "username",
];

/** Adds a note with the number of fields that the alert does not show. */
function noteUnusedFields(given: object, notes: string[]): void {
  const content = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  const parts = Object.keys(FIELD_NAMES_BY_PART).filter(
    (part) => part !== "image" || parseHttpsUrl(findValue(content, part)),
  );
  const used = new Set([
    ...ENVELOPE_FIELDS,
    ...parts.map((part) => findName(content, part as keyof typeof FIELD_NAMES_BY_PART)),
  ]);
  const unused = Object.entries(content).filter(([name, value]) => !used.has(name) && value !== null && value !== "");
  if (unused.length > 0)
    notes.push(
      `${formatQuantity(unused.length, "field")} of the message could not be put into the alert. ` +
        "To choose the fields, set " +
        "?title={{a.b}} and ?body={{a.c}}.",
    );
}

const hasTexts = (content: object) => findValue(content, "title") !== "" || findValue(content, "body") !== "";

/** The fields of an alert by their common names; `otherwise` is the default for a missing one. */
export function parseUsualFields(content: object, otherwise = { title: "", body: "" }): AlertInput {
  const title = findValue(content, "title") || otherwise.title;
  const body = findValue(content, "body") || otherwise.body;
  if (title === "" && body === "")
    throw invalidRequest(
      "field_required",
      "No title or text was found. Send title and body, or choose their fields with ?title={{name}}.",
    );
  const severity = findValue(content, "severity");
  const [first = ""] = body.trim().split("\n", 1);
  return buildAlert({
    title: title || first,
    // No text is shown twice (rules#senders-author).
    body: title === "" && body.trim() === first ? "" : body,
    url: findValue(content, "url"),
    image: findValue(content, "image"),
    ...(severity !== "" && { priority: mapSeverityToPriority(severity) }),
  });
}

/** The number of levels and objects that are searched for a title. */
const SEARCH_LIMITS = { levels: 3, objects: 200 };
/** Names that are those of a message in any program. */
const UNAMBIGUOUS_TEXT_NAMES = ["title", "subject", "summary", "message", "text", "msg"];

const hasUnambiguousText = (content: object): boolean =>
  UNAMBIGUOUS_TEXT_NAMES.some((name) => {
    const value = Object.hasOwn(content, name) ? (content as Record<string, unknown>)[name] : null;
    return typeof value === "string" && value.trim() !== "";
  });

/** The nearest object inside of `content` that has a title or a text under a sure name. */
function findInnerMessage(content: object): object | null {
  const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
  let level: object[] = [content];
  let left = SEARCH_LIMITS.objects;
  for (let depth = 0; depth < SEARCH_LIMITS.levels && left > 0; depth++) {
    level = level.flatMap((one) => Object.values(one).filter(isObject)).slice(0, left);
    left -= level.length;
    const message = level.find(hasUnambiguousText);
    if (message) return message;
  }
  return null;
}

const FOUND_IN_NESTED_OBJECT_NOTE =
  "The title was found in a nested field. To choose different fields, set ?title={{a.b}} and ?body={{a.c}}.";

const SHOWN_AS_FIELD_LIST_NOTE =
  "No title or text was found, so all fields are shown. To choose the fields, set ?title={{a.b}} and ?body={{a.c}}.";

/** The texts and numbers of an object with their names, as lines. */
function listFieldLines(content: object, path = "", depth = 0): string[] {
  return Object.entries(content).flatMap(([name, value]) => {
    if (typeof value === "object" && value !== null)
      return depth < SEARCH_LIMITS.levels ? listFieldLines(value, `${path}${name}.`, depth + 1) : [];
    return value === null || value === "" ? [] : [`${path}${name}: ${String(value)}`];
  });
}

/** The fields of an object whose title may be deeper in it. @throws 422 for an object without any text or number */
function buildFieldsOfUnknownObject(content: object, notes: string[]): AlertInput {
  const inner = hasUnambiguousText(content) || findValue(content, "body") !== "" ? null : findInnerMessage(content);
  if (!inner && !hasTexts(content)) {
    const lines = listFieldLines(content);
    const [title = ""] = lines;
    if (title !== "") {
      notes.push(SHOWN_AS_FIELD_LIST_NOTE);
      return buildAlert({ title, body: lines.length > 1 ? joinLimitedLines(lines) : "" });
    }
  }
  if (!inner) return parseUsualFields(content);
  notes.push(FOUND_IN_NESTED_OBJECT_NOTE);
  const fields = parseUsualFields(inner);
  const kind = findValue(content, "title");
  return kind === "" ? fields : { ...fields, title: `${kind}: ${fields.title}` };
}

/**
 * The usual fields of a known program's message in an undocumented form, such as a body by its owner. @throws 422 for
 * an object without any field
 */
export function parseUndocumentedMessage(
  body: Record<string, unknown>,
  program: IngestSourceProgramId,
): ParsedIngestRequest {
  const name = INGEST_SOURCE_PROGRAMS[program];
  if (Object.keys(body).length === 0)
    throw invalidRequest("malformed_body", `The body is an empty object. Send a message from ${name}.`);
  const notes = [`The message does not match any documented ${name} format, so only the usual fields are shown.`];
  const inner = hasTexts(body) ? body : (findInnerMessage(body) ?? {});
  const text = findValue(inner, "body");
  const title = text.split("\n", 1)[0] || `${name} sent a message in an unknown format`;
  return { alerts: [{ fields: parseUsualFields(inner, { title, body: "" }) }], notes };
}

const APPRISE_SEVERITIES = new Map(
  Object.entries({ info: "normal", success: "normal", warning: "warning", failure: "error" }),
);

/** The type of a message of Apprise, which its version marks, as the severity of any other. */
function getAppriseSeverity({ version, type, messagetype }: Record<string, unknown>): { severity?: string } {
  const severity = APPRISE_SEVERITIES.get(textOrNumberSchema.parse(type ?? messagetype));
  return /^1\.\d$/.test(textOrNumberSchema.parse(version)) && severity ? { severity } : {};
}

export const jsonAdapter: SenderAdapter = {
  name: "json",
  // `curl -d` sends JSON under the type of a form.
  matches: (request) =>
    hasStructuredBody(request) ||
    hasUnambiguousText(addLowerCaseKeys(parseBodyObjectOrEmpty(request))) ||
    request.query.get("title")?.includes("{{") === true,
  async read(request) {
    const { values: content, files } = await parseStructuredBody(request);
    const notes: string[] = [];
    const written: Record<string, string> = {};
    for (const name of ["title", "body", "priority", "url"]) {
      const template = request.query.get(name);
      if (template !== null) written[name] = await fillTemplate(template, content, notes);
    }
    const fields = buildFieldsOfUnknownObject(
      { ...getAppriseSeverity(content), ...addLowerCaseKeys(content), ...written },
      notes,
    );
    if (Object.keys(written).length + notes.length === 0) noteUnusedFields(content, notes);
    return { alerts: [{ fields, files }], notes };
  },
};
