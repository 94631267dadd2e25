// The rooms of the house: what each folder decides, and who may import whom. test/architecture.test.ts holds this against the
// import lines, docs/architecture.md shows it (npm run gen).

/** A folder of src, a file of src, or `tools`: what the table speaks of. */
export function partOf(file: string): string {
  const [top, second = "", third] = file.split("/");
  if (top === "tools") return second === "index.ts" ? "tools/index" : "tools";
  if (top !== "src") return top!;
  return third === undefined ? second.replace(/\.ts$/, "") : second;
}

/** Folder → what it decides. A file of src says it in its first lines. */
export const DECIDES: Record<string, string> = {
  tools: "what an owner can do, one file an operation",
  "tools/index": "the ordered list of them",
  alerts: "what operations on alerts have in common: composing, attaching, changing, listing",
  assets: "uploaded pictures, sounds and pages: sniffed, stored, served by unguessable addresses",
  auth: "keys, people, connected assistants: who calls",
  cli: "the command line: one command an operation, and the operator's own",
  console:
    "the pages for people, rendered by the server: they read a form, call dispatch, and show the outcome or the refusal",
  db: "the connection: pool, statements, locks, batches, and what counts as away",
  docs_page: "the readable page of the API",
  domain: "the rules, as pure functions and tables",
  embedded: "the PostgreSQL that the service starts for itself",
  entities:
    "the rows, and the triggers that keep counters in the transaction of what they count: the schema's source",
  handset: "what a subscribed handset can do",
  housekeeping:
    "what is removed when its time is over: a list of small steps that the server runs beside its work",
  members: "the rules for changes of a workspace's members",
  migrations: "how a database comes to have what the entities say",
  openapi: "the machine-readable description",
  operator: "what the operator on the machine may do",
  queries:
    "the statements of hot paths, locks, aggregates and pages, with declared types, compiled once and run by name",
  sanitizer: "what of an alert's markup stays, and an exact report of what does not",
  session:
    "what only a signed-in person can do: keys, members, connected assistants, own sessions and password, files",
  shapes: "fields and answers on the wire",
  stats: "the aggregates",
  transports: "HTTP and MCP; no business word in them",
  webhooks: "signed events: who may be called, signing, delivery within five seconds",
  scripts: "generators, the demo and the faults that tests must notice",
  bench: "the benchmark",
};

export const ANYTHING: readonly string[] = ["*"];

/** Part → the other parts that it may import. Nothing else is allowed; a new part needs a line here. */
export const MAY_IMPORT: Record<string, readonly string[]> = {
  // What knows nothing of ours.
  errors: [],
  scopes: [],
  redirect_schemes: [],
  config: ["redirect_schemes"],
  page: [],
  metrics: [],
  mail: ["config", "context"],
  schema: [],
  docs_page: ["schema", "errors"],
  rate_limits_scripts: [],
  rate_limits_redis: ["rate_limits", "rate_limits_scripts"],
  rate_limits: [],
  problems: ["errors"],
  characters: [],

  // Rows, their rules, and how they look.
  entities: ["errors", "scopes"],
  domain: ["characters", "entities", "errors"],
  sanitizer: ["characters", "errors"],
  db: ["config", "entities", "errors"],
  private_file: [],
  secret: ["config", "private_file"],
  compile_cache: [],
  embedded: ["config", "db", "errors", "private_file"],
  context: ["db", "domain", "entities", "scopes"],
  shapes: ["characters", "context", "domain", "entities", "errors", "queries", "scopes"],
  queries: ["context", "db", "domain", "entities", "errors"],
  stats: ["db", "domain", "entities", "errors", "queries"],
  migrations: [],

  // What operations stand on.
  tool: ["context", "entities", "errors", "scopes"],
  alerts: ["context", "domain", "entities", "errors", "page", "queries", "sanitizer", "shapes"],
  pushers: ["context", "domain", "entities", "errors", "queries"],
  auth: [
    "characters",
    "client",
    "context",
    "db",
    "domain",
    "entities",
    "errors",
    "queries",
    "rate_limits",
    "redirect_schemes",
    "scopes",
  ],
  assets: ["config", "context", "db", "domain", "entities", "errors", "queries"],
  webhooks: ["auth", "config", "context", "db", "domain", "entities", "errors", "queries"],
  idempotency: ["auth", "db", "errors", "queries"],
  refusals: ["context", "db", "domain", "entities", "errors", "queries"],
  perform: ["context", "db", "domain", "entities", "errors", "rate_limits", "tool"],
  dispatch: [
    "auth",
    "context",
    "db",
    "domain",
    "errors",
    "idempotency",
    "perform",
    "problems",
    "refusals",
    "tool",
  ],
  housekeeping: ["context", "db", "domain"],
  handset: ["auth", "context", "db", "domain", "entities", "errors", "page", "queries", "shapes", "tool"],
  members: ["context", "domain", "entities", "errors", "operator", "queries", "shapes"],
  operator: [
    "auth",
    "config",
    "context",
    "db",
    "domain",
    "embedded",
    "entities",
    "errors",
    "problems",
    "queries",
    "scopes",
    "secret",
  ],

  // Operations never see another one, a credential, a webhook or a transport.
  tools: [
    "alerts",
    "domain",
    "entities",
    "errors",
    "page",
    "pushers",
    "queries",
    "sanitizer",
    "shapes",
    "stats",
    "tool",
  ],
  "tools/index": ["tool", "tools"],
  // What only a signed-in person can do makes credentials, members and files, which no operation above may.
  session: [
    "assets",
    "auth",
    "domain",
    "entities",
    "errors",
    "members",
    "operator",
    "page",
    "queries",
    "scopes",
    "shapes",
    "tool",
  ],

  // Projections of the records; they receive the list as an argument.
  openapi: ["domain", "errors", "package.json", "schema", "scopes", "shapes", "tool", "transports"],
  transports: [
    "assets",
    "auth",
    "context",
    "db",
    "dispatch",
    "docs_page",
    "domain",
    "entities",
    "errors",
    "openapi",
    "perform",
    "schema",
    "scopes",
    "session",
    "shapes",
    "tool",
  ],

  // Pages for people: sign-in, and everything else through dispatch.
  console: [
    "assets",
    "auth",
    "context",
    "db",
    "dispatch",
    "domain",
    "entities",
    "errors",
    "mail",
    "problems",
    "redirect_schemes",
    "scopes",
    "session",
    "shapes",
    "tool",
    "transports",
  ],

  // Where everything meets.
  credentials: ["config", "private_file"],
  first_start: ["auth", "config", "credentials", "db", "domain", "entities", "operator"],
  app: ANYTHING,
  service: ANYTHING,
  parts: ANYTHING,
  serve: ANYTHING,
  accept_queue: [],
  connections: [],
  recent: [],
  client: [],
  server: ["accept_queue", "app", "config", "connections", "errors"],
  main: ["compile_cache", "serve"],
  cli: ANYTHING,
  scripts: ANYTHING,
  bench: ANYTHING,
};
