// A template without logic ({{name}}, {{a.b}}, {{#list}}…{{/list}}), filled from what a program sent. Neither is trusted: the template
// has no way to code or files, lists are walked on one level only, and what it puts in ends where no alert has room for more.

import { invalidRequest } from "../../../model/errors.ts";
import { LIMITS } from "../../../model/limits.ts";

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
  let room = 2 * LIMITS.alert_body;
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
