// The areas with SQL statements of their own, each with its reason. All other reads and writes of one row use the
// entity manager. docs/contributing/architecture.md lists the paths with their statements.

export const STATEMENT_AREAS = {
  inbox: "Polls are the most frequent calls. One query serves many at once, and is planned once and measured.",
  credentials: "Every call looks up its caller. One query does this, shared by simultaneous calls.",
  publish: "One round trip locks, checks, writes and returns an alert. The entity manager needs two.",
  reports:
    "Reports from many handsets are written in one statement: rows, counters and days change together or not at all.",
  joins: "Hundreds of subscriptions can change at once. One round trip changes many rows and their count.",
  lists: 'A page ends with all rows of its last timestamp ("with ties"), and includes their related rows.',
  statistics: "The database computes sums and counts.",
  locks: "Locks in a fixed order serialise changes. The entity manager cannot lock one of two joined rows.",
  claims: "One of several simultaneous calls gets the row, because check, change and result are one statement.",
  journal:
    "Each changing call writes its audit line and its events together with the commit. A call with an idempotency " +
    "key also stores its response.",
  deliveries:
    "Every alert causes webhooks and push notifications. One statement reads many recipients or records results.",
  pages: "Public pages are open to everyone, and feed readers poll them every minute. A page needs one round trip.",
  library: "Rows of the sign-in library, which are not entities, and rows that refer to them.",
  upkeep: "Jobs and operator commands change many rows in few statements, and skip locked rows.",
} as const;

export type StatementArea = keyof typeof STATEMENT_AREAS;

/** The paths whose reads may use a replica (src/store/replicas/replicas.ts). None of them looks up a credential. */
export const REPLICA_AREAS: ReadonlySet<StatementArea> = new Set(["inbox", "lists", "statistics", "pages"]);
