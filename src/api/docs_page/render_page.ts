// The API description as a page for people, generated from the OpenAPI document alone, without domain logic. It has the
// frame, palette and components of all our pages. Its scripts are inline and named by their hashes in the policy, since
// a key may be typed here. Calls are sent only when a person presses Send.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { COLOR_SCHEME_LABELS, COLOR_SCHEME_SCRIPT, colorSchemeSelect } from "../../ui/color_scheme_choice.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { MOBILE_HEAD } from "../../ui/mobile_head_tags.ts";
import { ICON, loadStaticFile, STYLES } from "../../ui/static_files.ts";
import { listComponentSchemas, renderObjectFields, renderObjectsSection } from "./object_section.ts";
import {
  buildNestedFieldRows,
  getExample,
  getGroupTitle,
  type OpenApiNode,
  renderDescription,
  renderExample,
  renderFieldTable,
  renderInlineMarkdown,
  renderMarkdown,
  renderParameterTable,
  renderSchemaType,
  resolveReference,
} from "./page_components.ts";

/** In the order of the page: the color scheme in its head, and its own script. */
const SCRIPTS = [COLOR_SCHEME_SCRIPT.text, readFileSync(new URL("./script.js", import.meta.url), "utf8")];

/** Styles of the page, in addition to the sheet of all pages. */
export const DOCS_STYLESHEET = loadStaticFile("docs_page.css", "text/css; charset=utf-8", import.meta.url, [
  "docs_page.css",
  "operation.css",
  "fields.css",
]);

/** Sheets and the icon of this origin, and these scripts. */
export const DOCS_PAGE_CSP = [
  "default-src 'none'",
  "style-src 'self'",
  `script-src ${SCRIPTS.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`).join(" ")}`,
  // "Try it" sends requests to this server only.
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

interface Entry {
  path: string;
  method: string;
  operation: OpenApiNode;
}

type Group = { tag: OpenApiNode; entries: Entry[] };

export function renderDocsPage(document: OpenApiNode, documentPath: string): string {
  const entries: Entry[] = Object.entries({ ...document.paths, ...document.webhooks } as OpenApiNode).flatMap(
    ([path, methods]) =>
      Object.entries(methods as OpenApiNode).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = (document.tags as OpenApiNode[]).map((tag) => ({
    tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  // Texts of the document are escaped, so the only empty scripts are the frame's.
  return SCRIPTS.reduce(
    (page, text) => page.replace("<script></script>", () => `<script>${text}</script>`),
    String(frame(document, groups, documentPath)),
  );
}

function frame(document: OpenApiNode, groups: Group[], documentPath: string): Html {
  const { title, version, summary, description } = document.info;
  return html`<!doctype html>
<html lang="en" data-lang="curl">
<head>
${MOBILE_HEAD}
<script></script>
<title>${title} API</title>
<link rel="icon" href="${ICON.href}">
${[STYLES, DOCS_STYLESHEET].map(({ href }) => html`<link rel="stylesheet" href="${href}">`)}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><div class="bar">
<a class="brand" href="/"><img src="${ICON.href}" alt="" width="28" height="28">${title}</a>
<nav class="ways" aria-label="${title}"><a href="/docs">Docs</a><a href="#main"
  aria-current="page">API reference</a><a href="/console">Console</a></nav>
</div></header>
<div class="book">
<aside>
<details class="contents" open>
<summary>Contents</summary>
<div class="seek"><a href="/docs">All docs</a><input type="search" id="filter" placeholder="Find an operation"
  aria-label="Find an operation" autocomplete="off" hidden></div>
<p id="nothing" class="hint" role="status"></p>
<nav aria-label="Contents">
<p class="group"><a href="#main">Introduction</a></p>
${groups.map(navGroup)}
<p class="group"><a href="#objects">Objects</a></p>
<ol>${listComponentSchemas(document).map(
    ([name]) => html`<li><a href="#object-${name}" data-find="${name.toLowerCase()}">${name}</a></li>`,
  )}</ol>
</nav>
</details>
</aside>
<main id="main" tabindex="-1">
<h1>${title} API <small>${version}</small></h1>
<p class="lede">${summary}</p>
<p class="base">Base URL <code>${document.servers[0].url}</code> <a
  href="${documentPath}">OpenAPI ${document.openapi} document</a></p>
<div class="prose">${renderMarkdown(description)}</div>
<section id="try" class="card" hidden><h2>Try it</h2>
<label for="key">Key or device token</label>
<p class="hint" id="key-hint">Enter it to send calls from this page. It is not stored, and is cleared when you
  leave.</p>
<p class="wrong said" id="key-said" role="status"></p>
<input id="key" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="bfk_…"
  aria-describedby="key-hint"></section>
${groups.map((group) => section(group, document))}
${renderObjectsSection(document)}
<form class="preferences" hidden>${colorSchemeSelect((name) => ({ content: COLOR_SCHEME_LABELS[name] }))}</form>
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
      html`<li><a href="#${operation.operationId}"
        data-find="${`${operation.operationId} ${operation.summary} ${path}`.toLowerCase()}"><span
          class="m ${method}">${method === "delete" ? "DEL" : method.toUpperCase()}</span>${navTitle(
            operation,
          )}</a></li>`,
  );
  return html`<p class="group"><a href="#tag-${tag.name}">${getGroupTitle(tag)}</a></p>
<ol>${items}</ol>
`;
}

/** Several operations on one route are listed under their common name. */
const navTitle = (operation: OpenApiNode) =>
  operation["x-operations"]
    ? operation["x-operations"].map((one: OpenApiNode) => one.title.split(" ")[0]).join(", ")
    : operation.summary;

function section({ tag, entries }: Group, document: OpenApiNode): Html {
  return html`<section id="tag-${tag.name}">
<h2>${getGroupTitle(tag)}</h2>
<p class="lede">${tag.description}</p>
${entries.map((entry) => article(entry, document))}
</section>
`;
}

function article({ path, method, operation }: Entry, document: OpenApiNode): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const resolved = parameters.map((parameter: OpenApiNode) => resolveReference(parameter, document));
  const parametersIn = (place: string) => resolved.filter((parameter: OpenApiNode) => parameter.in === place);
  const route = path.split(/(\{\w+\})/).map((part, i) => (i % 2 === 0 ? part : html`<b>${part}</b>`));
  return html`<article id="${operationId}" class="sides">
<div class="about">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="route"><span class="m ${method}">${method.toUpperCase()}</span><code>${route}</code></p>
${credential(operation)}
${renderDescription(description)}
</div>
<div class="samples">
${samples(operation)}
${exampleAnswers(responses)}
${!received(operation) && trial(method, path, operation)}
</div>
<div class="details">
${["path", "query", "header"].map((place) => renderParameterTable(place, parametersIn(place)))}
${requestBody && bodyTables(requestBody, document, received(operation) ? "answered" : "sent")}
${answers(responses, document)}
</div>
</article>
`;
}

/** Where the script puts the form that sends the call. */
function trial(method: string, path: string, { requestBody, security }: OpenApiNode): Html {
  const content = requestBody?.content["application/json"];
  const locked = security?.length > 0 && Object.keys(security[0]).length > 0;
  return html`<details class="more try" data-method="${method.toUpperCase()}" data-path="${path}"${
    content && html` data-body="${JSON.stringify(getExample(content) ?? {}, null, 2)}"`
  }${locked && html` data-key`} hidden><summary>Try it</summary></details>`;
}

const received = (operation: OpenApiNode): boolean =>
  !operation["x-codeSamples"] && operation.requestBody !== undefined;

/** The credential in place of a key, if there is one. The description has the scopes of a key. */
function credential(operation: OpenApiNode): HtmlContent {
  const [security] = operation.security;
  const needed = security ? "deviceToken" in security && "device token" : !received(operation) && "no credential";
  return needed && html`<p class="hint"><code>${needed}</code></p>`;
}

function bodyTables(requestBody: OpenApiNode, document: OpenApiNode, side: "sent" | "answered"): Html {
  const { schema } = requestBody.content["application/json"];
  const alternatives: OpenApiNode[] = (schema.oneOf ?? [schema]).map((one: OpenApiNode) =>
    resolveReference(one, document),
  );
  if (alternatives.length === 1)
    return html`<h4>Body fields${!requestBody.required && html` <small>optional</small>`}</h4>${renderFieldTable(
      buildNestedFieldRows(alternatives[0] ?? {}),
      side,
    )}`;
  return html`<h4>Body fields <small>of one of these</small></h4>${alternatives.map(
    (one, i) =>
      html`<details class="more"${i > 0 && html` open`}><summary>${one.title}</summary>${renderFieldTable(
        buildNestedFieldRows(one),
      )}</details>`,
  )}`;
}

function answers(responses: OpenApiNode, document: OpenApiNode): Html {
  const rows = Object.entries(responses).map(([status, response]) => {
    const { description, content } = resolveReference(response as OpenApiNode, document);
    const schema = Number(status) < 400 ? content?.["application/json"]?.schema : undefined;
    const named = [schema, ...(schema?.anyOf ?? [])].filter((one) => one?.$ref);
    const words = named.length > 0 && [" ", renderSchemaType({ anyOf: named })];
    return html`<li><b class="s${status[0]}">${status}</b><span>${renderInlineMarkdown(
      description,
    )}${words}</span></li>`;
  });
  const [first] = Object.values(responses) as OpenApiNode[];
  const schema = first?.content?.["application/json"]?.schema;
  const full = schema?.anyOf?.[0] ?? schema;
  return html`${full && !full.$ref && html`<h4>Response fields</h4>${renderObjectFields(full)}`}<h4>Status codes</h4><ul
    class="answers">${rows}</ul>`;
}

function samples(operation: OpenApiNode): HtmlContent {
  const all: OpenApiNode[] = operation["x-codeSamples"] ?? [];
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
  if (all.length === 0 && example !== undefined) return renderExample("Payload", example);
  return blocks;
}

function exampleAnswers(responses: OpenApiNode): HtmlContent {
  const [status, response] = Object.entries(responses)[0] as [string, OpenApiNode];
  const example = getExample(response.content?.["application/json"]);
  return example !== undefined && renderExample(`${status} response`, example);
}
