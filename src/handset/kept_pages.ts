// First pages of inboxes as bytes, the newest of them: an answer is written once for as long as its channels do not change.

import type { Shared } from "../store/context.ts";

/** Of all pages, and of one that is kept at all. */
const BYTES = 4 * 1024 * 1024;
const BYTES_OF_ONE = BYTES / 16;

interface Kept {
  page: Shared;
  /** What the page follows from, as the statement says it that read it. */
  channelsAt: string;
}

/** Pages by their validators, since pages of one state differ by limit and view. */
export class KeptPages {
  /** What was used last comes last. */
  readonly #pages = new Map<string, Kept>();
  #bytes = 0;

  get(tag: string): Kept | undefined {
    return this.#pages.get(tag);
  }

  /** `channelsAt`: null of a page without alerts, which is as soon read. */
  keep(tag: string, page: Shared, channelsAt: string | null | undefined): void {
    this.#drop(tag);
    if (!channelsAt || page.json.length > BYTES_OF_ONE) return;
    this.#pages.set(tag, { page, channelsAt });
    this.#bytes += page.json.length;
    for (const oldest of this.#pages.keys()) {
      if (this.#bytes <= BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(tag: string): void {
    this.#bytes -= this.#pages.get(tag)?.page.json.length ?? 0;
    this.#pages.delete(tag);
  }
}
