// What another program kept, as far as it can be anything here: topics or applications, and messages that are over.

import type { Tongue } from "../../api/ingest/tongue.ts";
import { invalidRequest } from "../../model/errors.ts";
import { LIMITS, said } from "../../model/limits.ts";

export interface Kept {
  /** Null: it says none that can be read. */
  at: Date | null;
  /** As its program's own request would say it, in JSON. */
  said: object;
}

/** A topic or an application. */
export interface Found {
  id: string;
  from: string;
  /** What people call it; the name where nobody called it otherwise. */
  title: string;
  about: string;
  messages: number;
}

export interface Source {
  tongue: Tongue;
  found: readonly Found[];
  /** What is in the files and stays there, each a sentence of ours. */
  notes: readonly string[];
  /** Of one that was found, the newest first. */
  messages(of: Found): Iterable<Kept>;
}

/** Collects what is found, each once. */
export class Finds {
  readonly #found = new Map<string, Found>();
  readonly #notes = new Set<string>();

  /** @throws 422 when there are too many. */
  add(one: Omit<Found, "messages">, messages: number): void {
    const there = this.#found.get(one.id);
    if (there) there.messages += messages;
    else this.#found.set(one.id, { ...one, messages });
    if (this.#found.size > LIMITS.import_channels)
      throw invalidRequest(
        `The file has more than ${said("import_channels")} topics or applications, so it is a public server's: make channels for those that are yours.`,
        "file",
      );
  }

  note(sentence: string): void {
    this.#notes.add(sentence);
  }

  get notes(): string[] {
    return [...this.#notes];
  }

  all(): Found[] {
    return [...this.#found.values()];
  }
}

/** By seconds, or by a text as SQLite keeps one; null for what is none, or is before 1970. */
export function instantOf(value: string | number | undefined): Date | null {
  const at =
    typeof value === "number"
      ? new Date(value * 1000)
      : new Date(
          String(value)
            .replace(" ", "T")
            .replace(/(\.\d{3})\d+/, "$1"),
        );
  return at.getTime() > 0 ? at : null;
}
