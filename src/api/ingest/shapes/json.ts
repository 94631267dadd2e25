// Any JSON object: the usual names of title, text, gravity and link are looked for, and the templates `?title=` and `?body=`
// say where else they stand. A template has no logic ({{name}}, {{a.b}}, {{#list}}…{{/list}}), and neither it nor what fills it
// is trusted: there is no way to code or files, lists are walked on one level only, and what it puts in ends where no alert has
// room for more.

import { invalidRequest } from "../../../model/errors.ts";
import { LIMITS } from "../../../model/limits.ts";
import type { AlertInput, Tongue } from "../tongue.ts";
import { alertOf, priorityOf } from "./parts.ts";

const ALLOWED = new Set(["text", "name", "#", "^", "!"]);

/** The same value without what a look-up would inherit, each list cut. How deep it is was bounded when it was read. */
function bare(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.setPrototypeOf(value.slice(0, LIMITS.shape_lines).map(bare), null);
  const entries = Object.entries(value).map(([name, inner]) => [name, bare(inner)]);
  return Object.setPrototypeOf(Object.fromEntries(entries), null);
}

/** Writes values for one template, which may name the largest thousands of times. */
function writer(): (value: unknown) => string {
  let room = LIMITS.body_alerts;
  return (value) => {
    if (room <= 0) return "";
    const text = (typeof value === "object" ? JSON.stringify(value) : String(value)).slice(0, room);
    room -= text.length;
    return text;
  };
}

const within = (part: readonly unknown[]): readonly (readonly unknown[])[] =>
  Array.isArray(part[4]) ? part[4] : [];

/** @throws 422 for a template that is none, is too long, or asks for more than it may. */
export async function filled(template: string, told: object): Promise<string> {
  if (template.length > LIMITS.template)
    throw invalidRequest(`A template has at most ${LIMITS.template} characters.`);
  const { default: mustache } = await import("mustache");
  // It would keep each template for ever.
  mustache.templateCache = undefined;
  try {
    const outer = mustache.parse(template);
    const inner = outer.flatMap(within);
    const kinds = [...outer, ...inner].map(([kind]) => kind);
    if (kinds.every((kind) => ALLOWED.has(String(kind))) && inner.flatMap(within).length === 0)
      return mustache.render(template, bare(told), undefined, { escape: writer() });
  } catch {
    // What it says would repeat the template.
  }
  throw invalidRequest(
    "The template does not hold: {{name}} and {{a.b}} put in what was sent, {{#list}}{{.}}{{/list}} a list, on one level.",
  );
}

const NAMES = {
  title: ["title", "subject", "summary", "name", "event"],
  body: ["body", "message", "text", "msg", "description", "content", "details"],
  severity: ["priority", "severity", "level"],
  url: ["url", "link", "source_url", "html_url"],
};

function found(told: object, part: keyof typeof NAMES): string {
  for (const name of NAMES[part]) {
    const value = Object.hasOwn(told, name) ? (told as Record<string, unknown>)[name] : null;
    if ((typeof value === "string" && value !== "") || typeof value === "number") return String(value);
  }
  return "";
}

/** The fields of an alert by their usual names; `otherwise` what stands in for one that is missing. */
export function fieldsOfJson(told: object, otherwise = { title: "", body: "" }): AlertInput {
  const title = found(told, "title") || otherwise.title;
  const body = found(told, "body") || otherwise.body;
  if (title === "" && body === "")
    throw invalidRequest(
      "There is neither a title nor a text in it: send them as title and body, or name where they are with ?title={{name}}.",
    );
  const severity = found(told, "severity");
  return alertOf({
    title: title || (body.split("\n", 1)[0] ?? ""),
    body,
    url: found(told, "url"),
    ...(severity !== "" && { priority: priorityOf(severity) }),
  });
}

export const json: Tongue = {
  name: "json",
  recognises: ({ contentType, query }) =>
    /[/+]json$/.test(contentType) || query.get("title")?.includes("{{") === true,
  async read(request) {
    const told = request.object();
    const written: Record<string, string> = {};
    for (const name of ["title", "body", "priority", "url"]) {
      const template = request.query.get(name);
      if (template !== null) written[name] = await filled(template, told);
    }
    return { alerts: [{ fields: fieldsOfJson({ ...told, ...written }) }], notes: [] };
  },
};
