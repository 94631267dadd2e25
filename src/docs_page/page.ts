// The description as a page for people, made from the OpenAPI document alone: no business word in here. It loads nothing besides
// itself; style and script stand in it and are named by their hashes in the policy. Calls are tried out only when somebody presses Send.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { escapeHtml, fieldRows, fieldTable, json, markdown, typeWords } from "./parts.ts";

type Json = Record<string, any>;

const asset = (name: string) => readFileSync(new URL(`./${name}`, import.meta.url), "utf8");
const STYLE = asset("style.css");
const SCRIPT = asset("script.js");
const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Nothing from anywhere, but this style and this script. */
export const DOCS_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  // "Try it" asks this server, and no other.
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%23b7791f' d='M8 1a4.5 4.5 0 0 0-4.5 4.5V10L2 12.5h12L12.500 10V5.500A4.5 4.5 0 0 0 8 1Zm-2 12.500a2 2 0 0 0 4 0Z'/%3E%3C/svg%3E";

interface Entry {
  path: string;
  method: string;
  operation: Json;
}

export function docsPage(document: Json, documentPath: string): string {
  const entries: Entry[] = Object.entries({ ...document.paths, ...document.webhooks } as Json).flatMap(
    ([path, methods]) =>
      Object.entries(methods as Json).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = (document.tags as Json[]).map((tag) => ({
    tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const shapes = Object.entries(document.components.schemas as Json).filter(
    ([name]) => !name.endsWith("Request"),
  );
  const { title, version, summary, description } = document.info;
  return `<!doctype html>
<html lang="en" data-lang="curl">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} API</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the contents</a>
<aside>
<details class="menu" open>
<summary><span class="brand">${escapeHtml(title)} API</span><span class="open">Contents</span></summary>
<p class="back"><a href="/">Front page</a> <a href="/console">Console</a></p>
<input type="search" id="filter" placeholder="Find an operation" aria-label="Find an operation" autocomplete="off" hidden>
<p id="nothing" role="status"></p>
<nav aria-label="Contents">
<p class="group"><a href="#main">Introduction</a></p>
${groups.map(navGroup).join("\n")}
<p class="group"><a href="#shapes">Shapes</a></p>
</nav>
</details>
</aside>
<main id="main" tabindex="-1">
<header>
<h1>${escapeHtml(title)} API <small>${escapeHtml(version)}</small></h1>
<p class="lead">${escapeHtml(summary)}</p>
<p class="base">Base URL <code>${escapeHtml(document.servers[0].url)}</code> <a href="${documentPath}">OpenAPI ${escapeHtml(document.openapi)} document</a></p>
</header>
<div class="prose">${markdown(description)}</div>
<section id="try" class="key" hidden><h2>Try it</h2>
<p>With a key, each call below can be sent from this page. The page forgets it when you leave, and keeps it nowhere else.</p>
<label for="key">Key or device token</label> <input id="key" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="bfk_…"></section>
${groups.map((group) => section(group, document)).join("\n")}
<section id="shapes">
<h2>Shapes</h2>
<p class="lead">What answers are made of. New fields may appear in any of them.</p>
${shapes.map(([name, schema]) => shape(name, schema as Json)).join("\n")}
</section>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

type Group = { tag: Json; entries: Entry[] };

function navGroup({ tag, entries }: Group): string {
  const items = entries.map(
    ({ method, path, operation }) =>
      `<li><a href="#${operation.operationId}" data-find="${escapeHtml(`${operation.operationId} ${operation.summary} ${path}`.toLowerCase())}"><span class="m ${method}">${method === "delete" ? "DEL" : method.toUpperCase()}</span>${escapeHtml(navTitle(operation))}</a></li>`,
  );
  return `<p class="group"><a href="#tag-${escapeHtml(tag.name)}">${escapeHtml(tag.name)}</a></p>\n<ul>${items.join("")}</ul>`;
}

/** Several operations on one route are listed under their common name. */
const navTitle = (operation: Json) =>
  operation["x-operations"]
    ? operation["x-operations"].map((one: Json) => one.title.split(" ")[0]).join(", ")
    : operation.summary;

function section({ tag, entries }: Group, document: Json): string {
  return `<section id="tag-${escapeHtml(tag.name)}">
<h2>${escapeHtml(tag.name)}</h2>
<p class="lead">${escapeHtml(tag.description)}</p>
${entries.map((entry) => article(entry, document)).join("\n")}
</section>`;
}

function article({ path, method, operation }: Entry, document: Json): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const resolved = parameters.map((parameter: Json) => resolve(parameter, document));
  const shown = (place: string) => resolved.filter((parameter: Json) => parameter.in === place);
  return `<article id="${operationId}">
<h3><a href="#${operationId}">${escapeHtml(summary)}</a></h3>
<p class="route"><span class="m ${method}">${method.toUpperCase()}</span><code>${escapeHtml(path).replace(/\{\w+\}/g, "<b>$&</b>")}</code></p>
<div class="columns">
<div class="about">
${chips(operation)}
${markdown(description)}
</div>
<div class="samples">
${samples(operation)}
${exampleAnswers(responses)}
${received(operation) ? "" : trial(method, path, operation)}
</div>
<div class="details">
${["path", "query", "header"].map((place) => parameterTable(place, shown(place))).join("")}
${requestBody ? bodyTables(requestBody, document, received(operation) ? "answered" : "sent") : ""}
${answers(responses, document)}
</div>
</div>
</article>`;
}

/** Where the script puts the form that sends the call. */
function trial(method: string, path: string, { requestBody, security }: Json): string {
  const content = requestBody?.content["application/json"];
  const example = content?.example ?? (Object.values(content?.examples ?? {})[0] as Json | undefined)?.value;
  const body = content ? ` data-body="${escapeHtml(JSON.stringify(example ?? {}, null, 2))}"` : "";
  return `<details class="try" data-method="${method.toUpperCase()}" data-path="${escapeHtml(path)}"${body}${
    security?.length > 0 && Object.keys(security[0]).length > 0 ? " data-key" : ""
  } hidden><summary>Try it</summary></details>`;
}

/** An event: what the reader's own server is sent. */
const received = (operation: Json): boolean =>
  !operation["x-codeSamples"] && operation.requestBody !== undefined;

function chips(operation: Json): string {
  const scopes = operation["x-operations"]
    ? [...new Set(operation["x-operations"].map((one: Json) => one["x-required-scope"]))]
    : [operation["x-required-scope"], ...Object.keys(operation["x-also-requires"] ?? {})];
  const [security] = operation.security;
  const open = security || received(operation) ? [] : ["no credential"];
  if (security && "deviceToken" in security) open.push("device token");
  const all = [...scopes.filter(Boolean), ...open];
  return `<p class="chips">${all.map((text) => `<span>${escapeHtml(text)}</span>`).join("")}</p>`;
}

function parameterTable(place: string, parameters: Json[]): string {
  if (parameters.length === 0) return "";
  const title = { path: "Path", query: "Query", header: "Headers" }[place]!;
  const rows = parameters.map(({ name, required = false, description, schema }) => ({
    name,
    required,
    schema: { ...schema, description },
  }));
  return `<h4>${title}</h4>${fieldTable(rows)}`;
}

function bodyTables(requestBody: Json, document: Json, side: "sent" | "answered"): string {
  const { schema } = requestBody.content["application/json"];
  const alternatives: Json[] = (schema.oneOf ?? [schema]).map((one: Json) => resolve(one, document));
  const optional = requestBody.required ? "" : " <small>may be left out</small>";
  if (alternatives.length === 1)
    return `<h4>Body${optional}</h4>${fieldTable(fieldRows(alternatives[0]!), side)}`;
  const tables = alternatives.map(
    (one, i) =>
      `<details${i === 0 ? "" : " open"}><summary>${escapeHtml(one.title)}</summary>${fieldTable(fieldRows(one))}</details>`,
  );
  return `<h4>Body <small>one of</small></h4>${tables.join("")}`;
}

function answers(responses: Json, document: Json): string {
  const rows = Object.entries(responses).map(([status, response]) => {
    const { description, content } = resolve(response as Json, document);
    const schema = Number(status) < 400 ? content?.["application/json"]?.schema : undefined;
    const words = schema?.$ref || schema?.anyOf ? ` ${typeWords(schema)}` : "";
    return `<li><b class="s${status[0]}">${status}</b><span>${markdown(description, true)}${words}</span></li>`;
  });
  const [first] = Object.values(responses) as Json[];
  const schema = first?.content?.["application/json"]?.schema;
  const table = schema && !schema.$ref && !schema.anyOf ? `<h4>Answer</h4>${shapeTable(schema)}` : "";
  return `${table}<h4>Answers</h4><ul class="answers">${rows.join("")}</ul>`;
}

function samples(operation: Json): string {
  const all: Json[] = operation["x-codeSamples"] ?? [];
  const byTitle = Map.groupBy(all, ({ label }) => label.split(" · ")[1] ?? "");
  const blocks = [...byTitle].map(([title, panes], i) => {
    const languages = panes.map(({ label }) => label.split(" · ")[0]!);
    const tabs = languages.map(
      (language) => `<button type="button" data-set="${language}">${language}</button>`,
    );
    const code = panes.map(
      ({ source }, j) =>
        `<pre data-pane="${languages[j]}" tabindex="0"><code>${escapeHtml(source)}</code></pre>`,
    );
    const block = `<figure class="code"><figcaption>${tabs.join("")}</figcaption>${code.join("")}</figure>`;
    return title
      ? `<details${i === 0 ? " open" : ""}><summary>${escapeHtml(title)}</summary>${block}</details>`
      : block;
  });
  const example = operation.requestBody?.content["application/json"].example;
  if (all.length === 0 && example !== undefined) return exampleBlock("Payload", example);
  return blocks.join("");
}

const exampleBlock = (title: string, example: unknown): string =>
  `<figure class="code"><figcaption><span>${title}</span></figcaption><pre tabindex="0"><code>${json(example)}</code></pre></figure>`;

function exampleAnswers(responses: Json): string {
  const [status, response] = Object.entries(responses)[0] as [string, Json];
  const content = response.content?.["application/json"];
  const example = content?.example ?? (Object.values(content?.examples ?? {})[0] as Json | undefined)?.value;
  if (example === undefined) return "";
  return exampleBlock(`${status} answer`, example);
}

function shape(name: string, schema: Json): string {
  return `<article id="shape-${name}" class="shape"><h3><a href="#shape-${name}">${name}</a></h3>${schema.description ? markdown(schema.description) : ""}${shapeTable(schema)}</article>`;
}

/** The fields of something answered; those of the shape that it extends are a link away. */
function shapeTable(schema: Json): string {
  const base = schema.allOf ? `<p>Everything of ${typeWords(schema.allOf[0])}, and:</p>` : "";
  return base + fieldTable(fieldRows(schema), "answered");
}

function resolve(node: Json, document: Json): Json {
  if (!node.$ref) return node;
  return node.$ref
    .slice(2)
    .split("/")
    .reduce((at: Json, key: string) => at[key], document);
}
