// The paths on which statements of our own run, and why each is not left to the entity manager. Reads and writes of
// one row that are on none of them go through it. docs/contributing/architecture.md has the list, made of what the
// statements declare.

export const STATEMENT_PATHS = {
  inbox:
    "Handsets poll more often than anything else is called: one reading serves many of them at once, and is planned once and measured by itself.",
  credentials: "Every call begins with one: who calls is found in one reading, which calls that arrive together share.",
  publish:
    "An alert is locked, judged by the database's clock, written and answered whole in one exchange; the entity manager would take two, and the clock goes on between them.",
  reports: "Reports of many handsets are one statement: rows, counters and days change together or not at all.",
  joins:
    "Subscriptions come and go by hundreds, and popular channels are joined all at once: many rows in one exchange, with their count.",
  lists: 'A page ends with all rows of its last instant ("with ties"), and brings what belongs to its rows along.',
  statistics: "Sums and counts are made where the rows are.",
  locks:
    "Changes of one thing wait for each other, always in one order. The entity manager cannot lock one of two joined rows, nor with the weakest lock that is enough.",
  claims: "Of simultaneous calls one gets the row: condition, change and answer are one statement.",
  journal:
    "Each call that changes something writes its audit line, its events and the answer for a repeat, together with the commit.",
  deliveries:
    "Webhooks and wake-ups follow every alert: whom they go to and what became of them, many at once and counted in one step.",
  pages: "Anybody may open them, and feed readers come by the minute: one exchange a page.",
  library: "Rows of the sign-in library, which are no entities, and what hangs on them.",
  upkeep:
    "At the start, in the background and by the operator: many rows in few statements, without rows that are locked.",
} as const;

export type StatementPath = keyof typeof STATEMENT_PATHS;

/**
 * Whose readings a standby may answer where there is one (src/store/replicas/replicas.ts): of none of them a
 * credential is found.
 */
export const REPLICA_PATHS: ReadonlySet<StatementPath> = new Set(["inbox", "lists", "statistics", "pages"]);
