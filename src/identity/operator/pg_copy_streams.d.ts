// Types for the used part of pg-copy-streams, which has none.

declare module "pg-copy-streams" {
  import type { Readable, Writable } from "node:stream";

  interface Counts {
    /** The number of rows, known at the end. */
    rowCount: number;
    /** pg recognises a query by this method. */
    submit(connection: unknown): void;
  }
  /** The rows of `copy … to stdout`. */
  export function to(text: string): Readable & Counts;
  /** Takes the rows of `copy … from stdin`. */
  export function from(text: string): Writable & Counts;
}
