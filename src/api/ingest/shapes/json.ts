// Any JSON object: the usual names of title, text, gravity and link are looked for, and the templates `?title=` and `?body=` say
// where else they stand.

import { invalidRequest } from "../../../model/errors.ts";
import { PROGRAMS } from "../../../model/fields/programs.ts";
import { type AlertInput, plainAnswer, plainRefusal, type Tongue } from "../tongue.ts";
import { alertOf, priorityOf } from "./parts.ts";
import { filled } from "./template.ts";

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
  title: PROGRAMS.json,
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
  answer: plainAnswer,
  refuse: plainRefusal,
};
