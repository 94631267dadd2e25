// The description as a page for people, made from the OpenAPI document alone: no business word in here. It has the frame, palette
// and parts of all our pages, and one script, which stands in it and is named by its hash in the policy, since a key may be typed
// here. Calls are tried out only when somebody presses Send.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { ICON, pageFile, STYLES } from "../../ui/files.ts";
import { PHONE_HEAD } from "../../ui/head.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { codeFigure, fieldRows, fieldTable, inline, type Json, json, markdown, typeWords } from "./parts.ts";

const SCRIPT = readFileSync(new URL("./script.js", import.meta.url), "utf8");

/** What the page has besides the sheet of all pages. */
export const DOCS_STYLES = pageFile("docs_page.css", "text/css; charset=utf-8", import.meta.url, [
  "docs_page.css",
  "operation.css",
]);

/** Sheets and the icon of this origin, and this one script. */
export const DOCS_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  `script-src 'sha256-${createHash("sha256").update(SCRIPT).digest("base64")}'`,
  // "Try it" asks this server, and no other.
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

interface Entry {
  path: string;
  method: string;
  operation: Json;
}

type Group = { tag: Json; entries: Entry[] };

export function docsPage(document: Json, documentPath: string): string {
  const entries: Entry[] = Object.entries({ ...document.paths, ...document.webhooks } as Json).flatMap(
    ([path, methods]) => Object.entries(methods as Json).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = (document.tags as Json[]).map((tag) => ({
    tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const page = String(frame(document, groups, documentPath));
  // Texts of the document are escaped, so the only empty script is the frame's.
  return page.replace("<script></script>", () => `<script>${SCRIPT}</script>`);
}

function frame(document: Json, groups: Group[], documentPath: string): Html {
  const shapes = Object.entries(document.components.schemas as Json).filter(([name]) => !name.endsWith("Request"));
  const { title, version, summary, description } = document.info;
  return html`<!doctype html>
<html lang="en" data-lang="curl">
<head>
${PHONE_HEAD}
<title>${title} API</title>
<link rel="icon" href="${ICON.href}">
${[STYLES, DOCS_STYLES].map(({ href }) => html`<link rel="stylesheet" href="${href}">`)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="bar">
<a class="brand" href="/"><img src="${ICON.href}" alt="" width="28" height="28">${title}</a>
<nav class="ways" aria-label="${title}"><a href="/">Front page</a><a href="/docs">Docs</a><a href="/console">Console</a></nav>
</div></header>
<div class="book">
<aside>
<details class="contents" open>
<summary>Contents</summary>
<input type="search" id="filter" placeholder="Find an operation" aria-label="Find an operation" autocomplete="off" hidden>
<p id="nothing" class="hint" role="status"></p>
<nav aria-label="Contents">
<p class="group"><a href="#main">Introduction</a></p>
${groups.map(navGroup)}
<p class="group"><a href="#shapes">Shapes</a></p>
</nav>
</details>
</aside>
<main id="main" tabindex="-1">
<h1>${title} API <small>${version}</small></h1>
<p class="lede">${summary}</p>
<p class="base">Base URL <code>${document.servers[0].url}</code> <a href="${documentPath}">OpenAPI ${document.openapi} document</a></p>
<div class="prose">${markdown(description)}</div>
<section id="try" class="card" hidden><h2>Try it</h2>
<label for="key">Key or device token</label>
<p class="hint" id="key-hint">With it, each call below can be sent from this page. The page forgets it when you leave, and keeps it nowhere else.</p>
<p class="wrong said" id="key-said" role="status"></p>
<input id="key" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="bfk_…" aria-describedby="key-hint"></section>
${groups.map((group) => section(group, document))}
<section id="shapes">
<h2>Shapes</h2>
<p class="lede">What answers are made of. New fields may appear in any of them.</p>
${shapes.map(([name, schema]) => shape(name, schema as Json))}
</section>
</main>
</div>
<script></script>
</body>
</html>
`;
}

function navGroup({ tag, entries }: Group): Html {
  const items = entries.map(
    ({ method, path, operation }) =>
      html`<li><a href="#${operation.operationId}" data-find="${`${operation.operationId} ${operation.summary} ${path}`.toLowerCase()}"><span class="m ${method}">${method === "delete" ? "DEL" : method.toUpperCase()}</span>${navTitle(operation)}</a></li>`,
  );
  return html`<p class="group"><a href="#tag-${tag.name}">${tag.name}</a></p>
<ol>${items}</ol>
`;
}

/** Several operations on one route are listed under their common name. */
const navTitle = (operation: Json) =>
  operation["x-operations"]
    ? operation["x-operations"].map((one: Json) => one.title.split(" ")[0]).join(", ")
    : operation.summary;

function section({ tag, entries }: Group, document: Json): Html {
  return html`<section id="tag-${tag.name}">
<h2>${tag.name}</h2>
<p class="lede">${tag.description}</p>
${entries.map((entry) => article(entry, document))}
</section>
`;
}

function article({ path, method, operation }: Entry, document: Json): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const resolved = parameters.map((parameter: Json) => resolve(parameter, document));
  const shown = (place: string) => resolved.filter((parameter: Json) => parameter.in === place);
  const route = path.split(/(\{\w+\})/).map((part, i) => (i % 2 === 0 ? part : html`<b>${part}</b>`));
  return html`<article id="${operationId}">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="route"><span class="m ${method}">${method.toUpperCase()}</span><code>${route}</code></p>
<div class="sides">
<div class="about">
${needs(operation)}
${markdown(description)}
</div>
<div class="samples">
${samples(operation)}
${exampleAnswers(responses)}
${!received(operation) && trial(method, path, operation)}
</div>
<div class="details">
${["path", "query", "header"].map((place) => parameterTable(place, shown(place)))}
${requestBody && bodyTables(requestBody, document, received(operation) ? "answered" : "sent")}
${answers(responses, document)}
</div>
</div>
</article>
`;
}

/** Where the script puts the form that sends the call. */
function trial(method: string, path: string, { requestBody, security }: Json): Html {
  const content = requestBody?.content["application/json"];
  const example = content?.example ?? (Object.values(content?.examples ?? {})[0] as Json | undefined)?.value;
  const locked = security?.length > 0 && Object.keys(security[0]).length > 0;
  return html`<details class="more try" data-method="${method.toUpperCase()}" data-path="${path}"${
    content && html` data-body="${JSON.stringify(example ?? {}, null, 2)}"`
  }${locked && html` data-key`} hidden><summary>Try it</summary></details>`;
}

const received = (operation: Json): boolean => !operation["x-codeSamples"] && operation.requestBody !== undefined;

/** What a caller must have. */
function needs(operation: Json): Content {
  const scopes = operation["x-operations"]
    ? [...new Set(operation["x-operations"].map((one: Json) => one["x-required-scope"]))]
    : [operation["x-required-scope"], ...Object.keys(operation["x-also-requires"] ?? {})];
  const [security] = operation.security;
  const open = security || received(operation) ? [] : ["no credential"];
  if (security && "deviceToken" in security) open.push("device token");
  const all: string[] = [...scopes.filter(Boolean), ...open];
  return all.length > 0 && html`<ul class="scopes">${all.map((text) => html`<li class="badge">${text}</li>`)}</ul>`;
}

function parameterTable(place: string, parameters: Json[]): Content {
  if (parameters.length === 0) return null;
  const title = { path: "Path", query: "Query", header: "Headers" }[place] ?? place;
  const rows = parameters.map(({ name, required = false, description, schema }) => ({
    name,
    required,
    schema: { ...schema, description },
  }));
  return html`<h4>${title}</h4>${fieldTable(rows)}`;
}

function bodyTables(requestBody: Json, document: Json, side: "sent" | "answered"): Html {
  const { schema } = requestBody.content["application/json"];
  const alternatives: Json[] = (schema.oneOf ?? [schema]).map((one: Json) => resolve(one, document));
  if (alternatives.length === 1)
    return html`<h4>Body${!requestBody.required && html` <small>may be left out</small>`}</h4>${fieldTable(fieldRows(alternatives[0] ?? {}), side)}`;
  return html`<h4>Body <small>one of</small></h4>${alternatives.map(
    (one, i) =>
      html`<details class="more"${i > 0 && html` open`}><summary>${one.title}</summary>${fieldTable(fieldRows(one))}</details>`,
  )}`;
}

function answers(responses: Json, document: Json): Html {
  const rows = Object.entries(responses).map(([status, response]) => {
    const { description, content } = resolve(response as Json, document);
    const schema = Number(status) < 400 ? content?.["application/json"]?.schema : undefined;
    const words = (schema?.$ref || schema?.anyOf) && [" ", typeWords(schema)];
    return html`<li><b class="s${status[0]}">${status}</b><span>${inline(description)}${words}</span></li>`;
  });
  const [first] = Object.values(responses) as Json[];
  const schema = first?.content?.["application/json"]?.schema;
  const own = schema && !schema.$ref && !schema.anyOf;
  return html`${own && html`<h4>Answer</h4>${shapeTable(schema)}`}<h4>Answers</h4><ul class="answers">${rows}</ul>`;
}

function samples(operation: Json): Content {
  const all: Json[] = operation["x-codeSamples"] ?? [];
  const byTitle = Map.groupBy(all, ({ label }) => label.split(" · ")[1] ?? "");
  const blocks = [...byTitle].map(([title, panes], i) => {
    const named = panes.map(({ label, source }) => ({ language: label.replace(/ · .*/, ""), source }));
    const block = html`<figure class="code"><figcaption>${named.map(
      ({ language }) => html`<button type="button" data-set="${language}">${language}</button>`,
    )}</figcaption>${named.map(
      ({ language, source }) => html`<pre data-pane="${language}" tabindex="0"><code>${source}</code></pre>`,
    )}</figure>`;
    return title
      ? html`<details class="more"${i === 0 && html` open`}><summary>${title}</summary>${block}</details>`
      : block;
  });
  const example = operation.requestBody?.content["application/json"].example;
  if (all.length === 0 && example !== undefined) return exampleOf("Payload", example);
  return blocks;
}

const exampleOf = (title: string, example: unknown): Html => codeFigure(html`<span>${title}</span>`, json(example));

function exampleAnswers(responses: Json): Content {
  const [status, response] = Object.entries(responses)[0] as [string, Json];
  const content = response.content?.["application/json"];
  const example = content?.example ?? (Object.values(content?.examples ?? {})[0] as Json | undefined)?.value;
  return example !== undefined && exampleOf(`${status} answer`, example);
}

const shape = (name: string, schema: Json): Html =>
  html`<article id="shape-${name}" class="shape"><h3><a href="#shape-${name}">${name}</a></h3>${schema.description && markdown(schema.description)}${shapeTable(schema)}</article>
`;

/** The fields of something answered; those of the shape that it extends are a link away. */
const shapeTable = (schema: Json): Html =>
  html`${schema.allOf && html`<p>Everything of ${typeWords(schema.allOf[0])}, and:</p>`}${fieldTable(fieldRows(schema), "answered")}`;

function resolve(node: Json, document: Json): Json {
  if (!node.$ref) return node;
  return node.$ref
    .slice(2)
    .split("/")
    .reduce((at: Json, key: string) => at[key], document);
}
