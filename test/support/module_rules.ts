// The module rules: the layers of src, the modules inside them, their responsibilities, and the permitted imports.
// test/repository/architecture.test.ts compares them with the import lines, and docs/contributing/architecture.md shows
// them (npm run gen).

/** Layer → its responsibility, from the bottom up. */
export const LAYERS: Record<string, string> = {
  model: "the domain: fields, rows, the rules, the refusals",
  store: "storage: settings, secret, database, statements, and the conversion of rows to answers",
  operation: "the definition of an operation, its execution, and the shared parts of operations",
  effects: "work outside of calls: webhooks, files, retention",
  identity: "the callers: keys, people, assistants, the operator, and operations of signed-in people",
  handset: "the operations of a subscribed handset, and its notification of changes",
  ui: "the shared parts of all pages",
  api: "HTTP and MCP, and their description",
  pages: "the pages for people: console, public pages, web app",
  program: "starting, stopping, and the command line",
};

export const ANY_IMPORT: readonly string[] = ["*"];

/** Modules that every module may import without an entry. */
export const COMMON_MODULES: readonly string[] = [
  "model/assert",
  "model/connection_error_messages",
  "model/error_codes",
  "model/api_and_ui_error_texts",
];

interface ModuleRule {
  /** Its responsibility; a module of one file has it in the file's header. */
  decides?: string;
  /** The other modules that it may import. Others are not allowed. */
  may: readonly string[];
}

/** A folder, or a file next to modules. A new one needs a line here. */
export const MODULES: Record<string, ModuleRule> = {
  "model/api_error": { may: [] },
  "model/assert": { may: [] },
  "model/connection_error_messages": { may: [] },
  "model/error_codes": { may: [] },
  "model/api_and_ui_error_texts": { may: [] },
  "model/scopes": { may: [] },
  "model/limits": { may: [] },
  "model/migrations": { decides: "migrations: how a database gets the entities' schema", may: [] },
  "model/fields": {
    decides: "the fields of resources: one record a field, with its types in the database, in arguments and in results",
    may: ["model/limits"],
  },
  "model/tables": {
    decides: "the rows, and the triggers that keep counters in the transaction of what they count: the schema's source",
    may: ["model/fields", "model/limits"],
  },
  "model/domain": {
    decides: "the rules, as pure functions and tables; of the rows only their types and lists of values",
    may: ["model/tables", "model/api_error", "model/fields", "model/limits"],
  },
  "model/sanitizer": {
    decides: "the sanitiser of an alert's markup, with an exact report of removed parts",
    may: ["model/fields", "model/limits"],
  },
  "store/rate_limits": {
    decides: "limits on calls, counted in the process or in Redis, and the network address of a caller",
    may: [],
  },
  "store/config": {
    decides: "the settings by topic: name, default, meaning and how each is read",
    may: ["model/domain", "model/limits"],
  },
  "store/secret": {
    decides: "the server secret, what is sealed under it, and files that only their owner reads",
    may: ["store/config"],
  },
  "store/trace_spans": { may: [] },
  "store/db": {
    decides: "the connection: pool, statements, locks, work that calls share, and what counts as away",
    may: ["model/tables", "model/api_error", "model/fields", "store/config", "store/trace_spans"],
  },
  "store/embedded": {
    decides: "the PostgreSQL that the service starts for itself",
    may: ["model/api_error", "store/config", "store/db", "store/secret"],
  },
  "store/bus": {
    decides: "how the processes of one database notify each other of changes: through it, Redis or NATS",
    may: ["store/config", "store/db", "store/queries"],
  },
  "store/wait_context": { may: [] },
  "store/handler_context": { may: ["model/domain", "model/tables", "model/scopes", "store/db", "store/wait_context"] },
  "store/queries": {
    decides:
      "the statements of hot paths, locks, aggregates and pages, with declared types, compiled once and run by name",
    may: ["model/domain", "model/tables", "model/fields", "model/limits", "store/handler_context", "store/db"],
  },
  "store/changes": {
    decides: "changes of channels, devices and alerts, with their revision and their listeners",
    may: ["store/bus", "store/handler_context", "store/db", "store/queries"],
  },
  "store/replicas": { decides: "the choice of a standby for a read, or of none", may: ["store/db", "store/queries"] },
  "store/response_schemas": {
    decides: "answers on the wire, put together from the fields",
    may: ["model/domain", "model/tables", "model/fields", "model/limits", "store/queries"],
  },
  "store/stats": {
    decides: "the aggregates",
    may: ["model/domain", "model/api_error", "model/fields", "model/limits", "store/db", "store/queries"],
  },
  operation: {
    decides: "the definition and the execution of an operation: checks, transaction, repeats, refusals, pages",
    may: [
      "model/domain",
      "model/tables",
      "model/api_error",
      "model/fields",
      "model/limits",
      "model/scopes",
      "store/changes",
      "store/handler_context",
      "store/db",
      "store/wait_context",
      "store/queries",
      "store/rate_limits",
      "store/secret",
      "store/trace_spans",
    ],
  },
  "operation/alerts": {
    decides: "the shared parts of operations on alerts: composing, attaching, changing, listing",
    may: [
      "model/domain",
      "model/tables",
      "model/api_error",
      "model/fields",
      "model/limits",
      "model/sanitizer",
      "operation",
      "store/handler_context",
      "store/queries",
      "store/response_schemas",
    ],
  },
  "operation/channels": {
    decides: "the shared parts of operations on channels and their webhook endpoints",
    may: [
      "model/domain",
      "model/tables",
      "model/api_error",
      "model/fields",
      "model/limits",
      "operation",
      "store/handler_context",
      "store/queries",
      "store/response_schemas",
    ],
  },
  "identity/auth": {
    decides: "keys, people, connected assistants: who calls",
    may: [
      "model/domain",
      "model/tables",
      "model/api_error",
      "model/fields",
      "model/limits",
      "model/scopes",
      "operation",
      "store/config",
      "store/handler_context",
      "store/db",
      "store/queries",
      "store/rate_limits",
      "store/secret",
    ],
  },
  "identity/operator": {
    decides:
      "the operator's commands on the machine, and the rules for a workspace's members, which signed-in people share",
    may: [
      "effects/assets",
      "effects/webhooks",
      "identity/auth",
      "model/domain",
      "model/tables",
      "model/api_error",
      "model/fields",
      "model/limits",
      "model/sanitizer",
      "model/scopes",
      "operation",
      "operation/alerts",
      "store/config",
      "store/handler_context",
      "store/db",
      "store/embedded",
      "store/queries",
      "store/secret",
      "store/response_schemas",
    ],
  },
  "identity/session": {
    decides:
      "operations of signed-in people only: keys, members, connected assistants, own sessions and password, files, " +
      "reviews",
    may: [
      "effects/assets",
      "identity/auth",
      "identity/operator",
      "model/domain",
      "model/tables",
      "model/api_error",
      "model/fields",
      "model/limits",
      "model/scopes",
      "operation",
      "operation/alerts",
      "operation/channels",
      "store/queries",
      "store/response_schemas",
    ],
  },
  handset: {
    decides: "the operations of a subscribed handset",
    may: [
      "handset/live_updates",
      "identity/auth",
      "model/domain",
      "model/tables",
      "model/api_error",
      "model/fields",
      "model/limits",
      "operation",
      "store/handler_context",
      "store/db",
      "store/queries",
      "store/response_schemas",
    ],
  },
  "handset/live_updates": {
    decides: "long polls and streams of inboxes: when a poll is answered, what a stream reports, and their limits",
    may: [
      "identity/auth",
      "model/limits",
      "store/changes",
      "store/handler_context",
      "store/db",
      "store/queries",
      "store/rate_limits",
    ],
  },
  "handset/push": {
    decides:
      "push notifications to handsets with a closed app: a signed POST without content to their push service, " +
      "limited, never awaited",
    may: [
      "effects/webhooks",
      "model/domain",
      "model/limits",
      "store/config",
      "store/handler_context",
      "store/db",
      "store/queries",
      "store/rate_limits",
      "store/secret",
    ],
  },
  "handset/ntfy": {
    decides:
      "channels as programs of ntfy read them: permissions, messages, and each change sent once to all subscribers",
    may: [
      "handset/live_updates",
      "model/domain",
      "model/fields",
      "model/limits",
      "store/changes",
      "store/handler_context",
      "store/db",
      "store/queries",
    ],
  },
  "effects/assets": {
    decides: "uploaded pictures, sounds and pages: sniffed, stored, served by unguessable addresses",
    may: [
      "model/domain",
      "model/tables",
      "model/api_error",
      "model/limits",
      "store/config",
      "store/handler_context",
      "store/db",
      "store/queries",
    ],
  },
  "effects/webhooks": {
    decides: "signed events: who may be called, signing, delivery within five seconds",
    may: [
      "model/domain",
      "model/limits",
      "store/config",
      "store/handler_context",
      "store/db",
      "store/queries",
      "store/secret",
      "store/trace_spans",
    ],
  },
  "effects/housekeeping": {
    decides: "removal of expired rows: a list of small steps that the server runs in the background",
    may: ["model/domain", "model/fields", "model/limits", "store/handler_context", "store/db", "store/queries"],
  },
  operations: {
    decides: "the operations of an owner, one file each",
    may: [
      "model/domain",
      "model/tables",
      "model/api_error",
      "model/fields",
      "model/limits",
      "model/scopes",
      "model/sanitizer",
      "operation",
      "operation/alerts",
      "operation/channels",
      "store/handler_context",
      "store/queries",
      "store/response_schemas",
      "store/stats",
    ],
  },
  "operations/index": { decides: "the ordered list of them", may: ["operation", "operations"] },
  ui: {
    decides:
      "the shared parts of all pages: the template that escapes everything, the style sheet, icons, cards, drawings, " +
      "texts",
    may: ["model/domain", "model/fields", "model/limits"],
  },
  "api/docs_page": { decides: "the readable page of the API", may: ["ui"] },
  "api/openapi": {
    decides: "the machine-readable description",
    may: [
      "model/api_error",
      "model/fields",
      "model/limits",
      "model/scopes",
      "operation",
      "package.json",
      "store/response_schemas",
    ],
  },
  "api/transports": {
    decides: "HTTP and MCP; no business word in them",
    may: [
      "api/docs_page",
      "api/openapi",
      "effects/assets",
      "identity/auth",
      "identity/session",
      "model/domain",
      "model/tables",
      "model/api_error",
      "model/limits",
      "model/scopes",
      "operation",
      "package.json",
      "store/handler_context",
      "store/db",
      "store/wait_context",
      "store/trace_spans",
    ],
  },
  "api/ingest": {
    decides:
      "requests of other programs that send alerts, converted to our own operation, and the result in their format",
    may: [
      "api/transports",
      "identity/auth",
      "model/domain",
      "model/tables",
      "model/api_error",
      "model/fields",
      "model/limits",
      "model/sanitizer",
      "operation",
      "package.json",
      "store/handler_context",
      "store/db",
    ],
  },
  "pages/web_app": {
    decides: "the app in which people follow channels: its page, its modules as browsers run them, its worker",
    may: ["api/transports", "model/domain", "model/api_error", "model/limits", "store/db", "ui"],
  },
  "pages/console": {
    decides:
      "the pages for people, rendered by the server: they read a form, call dispatch, and show the outcome or the " +
      "refusal",
    may: [
      "api/ingest",
      "api/transports",
      "effects/assets",
      "identity/auth",
      "identity/session",
      "model/domain",
      "model/tables",
      "model/api_error",
      "model/fields",
      "model/limits",
      "model/scopes",
      "operation",
      "store/handler_context",
      "store/db",
      "store/secret",
      "store/response_schemas",
      "operations/index",
      "ui",
    ],
  },
  "pages/docs_site": {
    decides: "the docs of this version as pages, from the files of docs/ and its parent folder",
    may: ["api/transports", "model/domain", "model/api_error", "model/limits", "store/db", "ui"],
  },
  "pages/public_pages": {
    decides: "the public pages: a channel, the directory, a description of this service",
    may: [
      "api/transports",
      "model/domain",
      "model/api_error",
      "model/fields",
      "model/limits",
      "operation",
      "package.json",
      "pages/docs_site",
      "pages/web_app",
      "store/handler_context",
      "store/db",
      "store/queries",
      "store/rate_limits",
      "ui",
    ],
  },
  "program/boot": { decides: "starting and stopping: the composed service, its socket, its metrics", may: ANY_IMPORT },
  "program/importers": { decides: "import of the databases of ntfy and Gotify", may: ANY_IMPORT },
  "program/cli": { decides: "the command line: one command an operation, and the operator's own", may: ANY_IMPORT },
  cli: { may: ANY_IMPORT },
  main: { may: ["program/boot"] },
  scripts: {
    decides: "generators, the demo, the play of the senders and the faults that tests must notice",
    may: ANY_IMPORT,
  },
  bench: { decides: "the benchmark", may: ANY_IMPORT },
};

/** The room of a file: what the table speaks of. */
export function getModule(file: string): string {
  const [top, wing = "", room, below] = file.split("/");
  if (top === "operations") return wing === "index.ts" ? "operations/index" : "operations";
  if (top !== "src") return top ?? "";
  if (room === undefined) return wing.replace(/\.ts$/, "");
  if (below === undefined && wing in MODULES) return wing;
  return `${wing}/${room.replace(/\.ts$/, "")}`;
}
