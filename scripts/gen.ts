// Writes all files that are generated from the records. They are openapi.json, server.json, the tables of README and
// docs, one snapshot a tool, and the combined text for assistants. `--check` writes nothing, names what is not current
// and exits
// 1.

import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { OPERATIONS } from "../operations/index.ts";
import { ERROR_TYPE_MEANINGS } from "../src/api/openapi/error_responses.ts";
import { createOpenApiDocument } from "../src/api/openapi/openapi_document.ts";
import { getToolList } from "../src/api/transports/mcp_tool_list.ts";
import { REGISTRY_IDENTITY } from "../src/api/transports/server_card.ts";
import { HANDSET_OPERATIONS } from "../src/handset/handset_operations.ts";
import { SESSION_OPERATIONS } from "../src/identity/session/index.ts";
import { ERROR_TYPE_STATUSES } from "../src/model/api_error.ts";
import { ERROR_CODES } from "../src/model/error_codes.ts";
import {
  formatLimit,
  LIMIT_DEFINITIONS,
  type LimitDefinition,
  type LimitName,
  spellLimit,
} from "../src/model/limits.ts";
import { SCOPES } from "../src/model/scopes.ts";
import { ASSISTANT_CLIENTS } from "../src/pages/console/assistant_clients.ts";
import { STATEMENT_AREAS } from "../src/store/db/statement_areas.ts";
import { ANY_IMPORT, LAYERS, MODULES } from "../test/support/module_rules.ts";
import { readRules } from "../test/support/rule_citations.ts";
import { loadAllStatements } from "./all_statements.ts";
import { APP_FIELDS, renderAppFieldsFile } from "./app_fields.ts";
import { hazards, injections, tasks } from "./eval/play_tasks.ts";
import { inlineCode, markdownTable } from "./markdown_table.ts";
import { renderOperationTables } from "./operation_tables.ts";
import { renderOperatorTables } from "./operator_tables.ts";
import { createPostmanCollection } from "./postman_collection.ts";
import { ALERT_HEAD, alertRow, COST_HEAD, costRows, HANDSET_COUNTS, IDLE_HEAD, idleRow } from "./scale_model.ts";

const ROOT = new URL("../", import.meta.url);
const SNAPSHOTS = "test/snapshots/tools";
/** The address that the committed document speaks of: the one that the defaults give. */
export const COMMITTED_URL = "http://localhost:8787";

/** Pages with tables and numbers that are filled in. */
const PAGES = [
  "README.md",
  "skills/belfry/SKILL.md",
  "SECURITY.md",
  "examples/README.md",
  ...globSync("docs/{,!(decisions)/**/}*.md", { cwd: ROOT }).sort(),
];

const at = (path: string) => fileURLToPath(new URL(path, ROOT));
const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** A module as a path with its responsibility: of a folder from its table, of a file from its first comment. */
function describeModule(part: string): [path: string, decides: string] {
  const path = /^(operations|scripts|bench)/.test(part) ? part : `src/${part}`;
  const { decides } = MODULES[part] ?? {};
  if (decides) return [part === "operations/index" ? `${path}.ts` : `${path}/`, decides];
  const head = /^(?:#!.*\n)?((?:\/\/ .*\n)+)/.exec(readFileSync(at(`${path}.ts`), "utf8"))?.[1] ?? "";
  const [sentence = ""] = head
    .replace(/^\/\/ |\n$/gm, "")
    .replaceAll("\n", " ")
    .split(/(?<=\.) (?=[A-Z])/);
  return [`${path}.ts`, sentence.replace(/\.$/, "")];
}

/** The first sentence of a paragraph, without links and comments. */
const firstSentence = (text: string): string =>
  text
    .replace(/<!--.*?-->/g, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .split(/(?<=\.) (?=[A-Z`])/)[0]!;

const STATEMENTS = await loadAllStatements();

const TABLES: Record<string, () => string> = {
  ...renderOperatorTables(),
  scopes: () =>
    markdownTable(
      ["Scope", "Allows"],
      Object.entries(SCOPES).map(([scope, meaning]) => [inlineCode(scope), meaning]),
    ),
  tools: () => renderOperationTables(OPERATIONS, COMMITTED_URL),
  layers: () =>
    markdownTable(
      ["Layer", "Responsibility", "Modules"],
      Object.entries(LAYERS).map(([layer, meaning]) => {
        const inside = Object.keys(MODULES).filter((part) => part.startsWith(`${layer}/`));
        return [inlineCode(`src/${layer}/`), meaning, inside.map((part) => part.slice(layer.length + 1)).join(", ")];
      }),
    ),
  modules: () =>
    markdownTable(
      ["Module", "Responsibility", "May import"],
      Object.entries(MODULES).map(([part, { may }]) => {
        const [path, decides] = describeModule(part);
        return [inlineCode(path), decides, may === ANY_IMPORT ? "anything" : may.join(", ") || "nothing of ours"];
      }),
    ),
  paths: () =>
    markdownTable(
      ["Path", "Why", "Statements"],
      Object.entries(STATEMENT_AREAS).map(([path, why]) => {
        const names = STATEMENTS.filter((statement) => statement.path === path).map(({ name }) => inlineCode(name));
        return [path, why, names.sort().join(", ")];
      }),
    ),
  // Old addresses of rules lead to these lines.
  rules: () =>
    [...Map.groupBy(readRules(), ({ page }) => page)]
      .map(([page, rules]) => {
        const file = basename(page);
        const lines = rules.map(({ name, text }) => [
          `<a id="${name}"></a>[${name}](${file}#${name})`,
          firstSentence(text.replace(/^.*?\*\*[^:]*: /, "")),
        ]);
        const [, title = ""] = /^# Rules: (.+)$/m.exec(readFileSync(at(page), "utf8")) ?? [];
        return `## ${title[0]?.toUpperCase()}${title.slice(1)}\n\n${markdownTable(["Rule", "First sentence"], lines)}`;
      })
      .join("\n\n"),
  limits: () =>
    markdownTable(
      ["Limit", "Number", "Meaning"],
      (Object.entries(LIMIT_DEFINITIONS) as [LimitName, LimitDefinition][]).map(([name, [, unit, of]]) => [
        inlineCode(name),
        unit === "bytes" ? formatLimit(name) : `${formatLimit(name)} ${unit}`,
        of,
      ]),
    ),
  session: () =>
    markdownTable(
      ["Operation", "Role", "Password again", "Purpose"],
      SESSION_OPERATIONS.map(({ name, role, stepUp, title }) => [
        inlineCode(name),
        role ?? "the person",
        stepUp ? "yes" : "no",
        title,
      ]),
    ),
  clients: () =>
    markdownTable(
      ["Client", "Where", "With a key", "By consent", "Tried"],
      ASSISTANT_CLIENTS.map(({ name, where, key, consent, tried }) => {
        const line = (of: typeof key) => (of ? inlineCode(of(COMMITTED_URL).replace(/\n */g, " ")) : "no");
        return [name, where, line(key), line(consent), tried];
      }),
    ),
  tasks: () =>
    markdownTable(
      ["Task", "What the person says", "Calls", "Tokens, at most"],
      [...tasks, ...injections].map(({ id, ask, play, tokens }) => [
        inlineCode(id),
        ask.replace(/</g, "&lt;"),
        `${play.length}`,
        `${tokens}`,
      ]),
    ),
  hazards: () =>
    markdownTable(
      ["Hazard", "The behaviour of the client", "Calls"],
      hazards.map(({ id, ask, play }) => [inlineCode(id), ask, `${play.length}`]),
    ),
  costs: () => markdownTable(COST_HEAD, costRows()),
  scale_idle: () =>
    markdownTable(
      IDLE_HEAD,
      HANDSET_COUNTS.map((handsets) => idleRow(handsets)),
    ),
  scale_alert: () =>
    markdownTable(
      ALERT_HEAD,
      HANDSET_COUNTS.map((handsets) => alertRow(handsets)),
    ),
  error_codes: () =>
    Object.keys(ERROR_TYPE_STATUSES)
      .map((type) => {
        const codes = Object.entries(ERROR_CODES).filter(([, kind]) => kind.type === type);
        const rows = codes.map(([name, { cause, cure }]) => [`<a id="${name}"></a>${inlineCode(name)}`, cause, cure]);
        const status = ERROR_TYPE_STATUSES[type as keyof typeof ERROR_TYPE_STATUSES];
        return `## ${inlineCode(type)} (${status})\n\n${markdownTable(["Code", "Cause", "Cure"], rows)}`;
      })
      .join("\n\n"),
  errors: () =>
    markdownTable(
      ["Type", "Status", "Meaning"],
      Object.entries(ERROR_TYPE_STATUSES).map(([type, status]) => [
        inlineCode(type),
        String(status),
        ERROR_TYPE_MEANINGS[type as keyof typeof ERROR_TYPE_STATUSES],
      ]),
    ),
};

/**
 * The text with every `<!-- generated:name -->…<!-- /generated -->` filled again. @throws on a name without a
 * table.
 */
function fillTables(text: string): string {
  return text.replace(
    /(<!-- generated:(\w+) -->)[\s\S]*?(<!-- \/generated -->)/g,
    (_, start: string, name: string, end: string) => {
      const made = TABLES[name];
      if (!made) throw new Error(`A page requests the unknown table "${name}".`);
      return `${start}\n\n${made()}\n\n${end}`;
    },
  );
}

/**
 * A number in a sentence, `<!-- limit:name -->…<!-- / -->`, in its present form: in digits or as a word. @throws on an
 * unknown limit.
 */
function fillLimits(text: string): string {
  return text.replace(
    /(<!-- limit:(\w+) -->)(.*?)(<!-- \/ -->)/g,
    (_, start: string, name: string, now: string, end: string) => {
      if (!isLimit(name)) throw new Error(`A page requests the unknown limit "${name}".`);
      const word = spellLimit(name);
      const made = /^\d/.test(now)
        ? formatLimit(name)
        : /^[A-Z]/.test(now)
          ? word[0]!.toUpperCase() + word.slice(1)
          : word;
      return start + made + end;
    },
  );
}

const isLimit = (name: string): name is LimitName => Object.hasOwn(LIMIT_DEFINITIONS, name);

/**
 * The entry for the public registry of MCP servers: a server at any host. The package is added when its name is
 * claimed.
 */
function registryEntry(): object {
  const { name, title, description, version } = REGISTRY_IDENTITY;
  const key = { description: "A key of the server, bfk_…", isSecret: true };
  const host = { description: "Host of your Belfry server, with its port if it has one", isRequired: true };
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name,
    title,
    description,
    version,
    remotes: [
      {
        type: "streamable-http",
        url: "https://{host}/mcp",
        variables: { host },
        headers: [
          { name: "Authorization", description: "Without it, by consent", value: "Bearer {key}", variables: { key } },
        ],
      },
    ],
  };
}

/** Every generated file by its path; null: it must not exist. */
export function generateFiles(): Map<string, string | null> {
  const document = createOpenApiDocument(OPERATIONS, HANDSET_OPERATIONS, { publicUrl: COMMITTED_URL });
  const files = new Map<string, string | null>([
    ["openapi.json", pretty(document)],
    ["examples/belfry.postman_collection.json", pretty(createPostmanCollection(document))],
    ["server.json", pretty(registryEntry())],
    [APP_FIELDS, renderAppFieldsFile()],
    ...PAGES.map((page) => [page, fillLimits(fillTables(readFileSync(at(page), "utf8")))] as const),
  ]);
  for (const name of existsSync(at(SNAPSHOTS)) ? readdirSync(at(SNAPSHOTS)) : [])
    files.set(`${SNAPSHOTS}/${name}`, null);
  const { instructions, tools } = getToolList(OPERATIONS);
  files.set("test/snapshots/instructions.txt", `${instructions}\n`);
  for (const tool of tools) files.set(`${SNAPSHOTS}/${tool.name}.json`, pretty(tool));
  return files;
}

/** The generated files that differ from the existing ones. */
export function findStaleFiles(files: Map<string, string | null>): string[] {
  return [...files]
    .filter(([path, text]) => (existsSync(at(path)) ? readFileSync(at(path), "utf8") : null) !== text)
    .map(([path]) => path);
}

if (import.meta.main) {
  const files = generateFiles();
  const changed = findStaleFiles(files);
  if (process.argv.includes("--check")) {
    for (const path of changed) console.error(`not current: ${path}`);
    if (changed.length > 0) console.error("Run `npm run gen` and commit what it writes.");
    process.exitCode = changed.length > 0 ? 1 : 0;
  } else
    for (const path of changed) {
      const text = files.get(path)!;
      mkdirSync(dirname(at(path)), { recursive: true });
      if (text === null) rmSync(at(path));
      else writeFileSync(at(path), text);
      console.log(`${text === null ? "removed" : "wrote"} ${relative(at("."), at(path))}`);
    }
}
