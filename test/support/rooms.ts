// The rooms of the house: what each folder decides, and who may import whom. test/house/architecture.test.ts holds this against the
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
  boot: "starting and stopping: the service put together, the socket in front of it, its figures",
  cli: "the command line: one command an operation, and the operator's own",
  config: "the settings by topic: name, default, meaning and how each is read",
  console:
    "the pages for people, rendered by the server: they read a form, call dispatch, and show the outcome or the refusal",
  db: "the connection: pool, statements, locks, work that calls share, and what counts as away",
  look: "what all pages share: the template that escapes everything, the style sheet, icons, cards, drawings, words",
  docs_page: "the readable page of the API",
  web_app: "the app in which people follow channels: its page, its modules as browsers run them, its worker",
  domain: "the rules, as pure functions and tables",
  embedded: "the PostgreSQL that the service starts for itself",
  entities:
    "the rows, and the triggers that keep counters in the transaction of what they count: the schema's source",
  fields:
    "what the nouns are made of: one record a field, and its kinds in the database, in arguments and in answers",
  handset: "what a subscribed handset can do",
  held: "polls that wait until there is something new: who waits for what, how they learn of a change, and how many may",
  housekeeping:
    "what is removed when its time is over: a list of small steps that the server runs beside its work",
  limits:
    "how many calls somebody may make in a time, counted here or in Redis; and who somebody is on the network",
  members: "the rules for changes of a workspace's members",
  migrations: "how a database comes to have what the entities say",
  openapi: "the machine-readable description",
  operation:
    "what an operation is, and the one way in which it runs: checks, transaction, repeats, refusals, pages",
  operator: "what the operator on the machine may do",
  push: "waking handsets whose app is closed: a signed POST without content to their push service, within bounds, never waited for",
  pushers: "what operations on channels have in common",
  queries:
    "the statements of hot paths, locks, aggregates and pages, with declared types, compiled once and run by name",
  sanitizer: "what of an alert's markup stays, and an exact report of what does not",
  secret: "the server secret, what is sealed under it, and files that only their owner reads",
  session:
    "what only a signed-in person can do: keys, members, connected assistants, own sessions and password, files, reviews",
  shapes: "answers on the wire, put together from the fields",
  stats: "the aggregates",
  transports: "HTTP and MCP; no business word in them",
  webhooks: "signed events: who may be called, signing, delivery within five seconds",
  public_pages: "the pages that everybody may open: a channel, the directory, what this service is",
  receivers: "what operations on a webhook endpoint have in common",
  scripts: "generators, the demo and the faults that tests must notice",
  bench: "the benchmark",
};

export const ANYTHING: readonly string[] = ["*"];

/** Part → the other parts that it may import. Nothing else is allowed; a new part needs a line here. From below upwards. */
export const MAY_IMPORT: Record<string, readonly string[]> = {
  // What knows nothing of ours, or hardly anything.
  errors: [],
  scopes: [],
  limits: [],
  migrations: [],
  fields: [],

  // Rows, their rules, and how they look.
  entities: ["fields"],
  domain: ["entities", "errors", "fields"],
  sanitizer: ["fields"],
  config: ["domain"],
  secret: ["config"],
  db: ["config", "entities", "errors", "fields"],
  embedded: ["config", "db", "errors", "secret"],
  context: ["db", "domain", "entities", "scopes"],
  queries: ["context", "db", "domain", "entities", "fields"],
  shapes: ["domain", "entities", "fields", "queries"],
  stats: ["db", "domain", "errors", "fields", "queries"],

  // The way in which operations run, and what they stand on.
  operation: ["context", "db", "domain", "entities", "errors", "limits", "queries", "scopes", "secret"],
  alerts: [
    "context",
    "domain",
    "entities",
    "errors",
    "fields",
    "operation",
    "queries",
    "sanitizer",
    "shapes",
  ],
  receivers: ["context", "domain", "entities", "errors", "queries", "shapes"],
  pushers: ["context", "domain", "entities", "errors", "queries"],
  auth: [
    "config",
    "context",
    "db",
    "domain",
    "entities",
    "errors",
    "fields",
    "limits",
    "queries",
    "scopes",
    "secret",
  ],
  assets: ["config", "context", "db", "domain", "entities", "errors", "queries"],
  webhooks: ["config", "context", "db", "domain", "queries", "secret"],
  housekeeping: ["context", "db", "domain", "fields", "queries"],
  operator: [
    "assets",
    "auth",
    "config",
    "db",
    "domain",
    "embedded",
    "entities",
    "errors",
    "fields",
    "operation",
    "queries",
    "scopes",
    "secret",
  ],
  members: [
    "auth",
    "context",
    "db",
    "domain",
    "entities",
    "errors",
    "operation",
    "operator",
    "queries",
    "shapes",
  ],

  // Operations never see another one, a credential, a webhook or a transport.
  tools: [
    "alerts",
    "domain",
    "entities",
    "errors",
    "fields",
    "operation",
    "pushers",
    "queries",
    "receivers",
    "sanitizer",
    "shapes",
    "stats",
  ],
  "tools/index": ["operation", "tools"],
  handset: [
    "auth",
    "context",
    "db",
    "domain",
    "entities",
    "errors",
    "fields",
    "operation",
    "queries",
    "shapes",
  ],
  held: ["auth", "context", "db", "queries"],
  push: ["config", "context", "db", "domain", "held", "queries", "secret", "webhooks"],
  // What only a signed-in person can do makes credentials, members and files, which no operation above may.
  session: [
    "alerts",
    "assets",
    "auth",
    "domain",
    "entities",
    "errors",
    "fields",
    "members",
    "operation",
    "operator",
    "queries",
    "scopes",
    "shapes",
  ],

  // Projections of the records; they receive the list as an argument.
  look: ["fields"],
  docs_page: ["look"],
  openapi: ["errors", "fields", "operation", "package.json", "scopes", "shapes"],
  transports: [
    "assets",
    "auth",
    "context",
    "db",
    "docs_page",
    "domain",
    "entities",
    "errors",
    "openapi",
    "operation",
    "scopes",
    "session",
  ],
  // Its modules run in browsers and know only one another, and what look lends them; the files beside them serve them.
  web_app: ["db", "errors", "look", "transports"],
  // Pages for people: sign-in, and everything else through dispatch.
  console: [
    "assets",
    "auth",
    "context",
    "db",
    "domain",
    "entities",
    "errors",
    "fields",
    "look",
    "operation",
    "scopes",
    "session",
    "shapes",
    "transports",
  ],

  // Pages without a session: what they show, anybody may see.
  public_pages: [
    "context",
    "db",
    "domain",
    "errors",
    "fields",
    "limits",
    "look",
    "operation",
    "package.json",
    "queries",
    "transports",
    "web_app",
  ],

  // Where everything meets.
  boot: ANYTHING,
  cli: ANYTHING,
  main: ["boot"],
  scripts: ANYTHING,
  bench: ANYTHING,
};
