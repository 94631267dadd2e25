// What pg-copy-streams offers, which brings no types along: as much of it as backups use.

declare module "pg-copy-streams" {
  import type { Readable, Writable } from "node:stream";

  interface Counts {
    /** Of rows; known at the end. */
    rowCount: number;
    /** By this pg takes it for a query. */
    submit(connection: unknown): void;
  }
  /** The rows of `copy … to stdout`. */
  export function to(text: string): Readable & Counts;
  /** Takes the rows of `copy … from stdin`. */
  export function from(text: string): Writable & Counts;
}
