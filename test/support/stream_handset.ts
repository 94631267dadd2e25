// A handset that follows its inbox by a stream, as docs/reference/handset-api.md describes: it applies events that
// begin at its state, and polls otherwise.

import type { Answer } from "./world.ts";

interface Row {
  id: string;
  sent_at: string;
  [field: string]: unknown;
}

export interface StreamEvent {
  event: string;
  data: any;
  from?: string;
  id?: string;
  retry?: string;
}

/** The events of a body, as they come. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  let text = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream() as never) as any) {
    text += chunk;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const fields = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)));
      if (fields.event) yield { ...fields, data: JSON.parse(fields.data) } as StreamEvent;
    }
  }
}

interface FollowerOptions {
  token: string;
  /** Where the service listens. */
  urls: string[];
  query?: string;
  poll(headers: Record<string, string>): Promise<Answer>;
  /** Set if an event never comes. */
  drops?(): boolean;
}

export class StreamHandset {
  rows = new Map<string, Row>();
  etag = '"none"';
  readonly counts = { events: 0, applied: 0, looks: 0, polls: 0, opened: 0, dropped: 0 };
  readonly #options: FollowerOptions;
  readonly #gone = new AbortController();
  readonly done: Promise<void>;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.done = this.#follow();
  }

  get shown(): string {
    return [...this.rows.values()]
      .sort((a, b) => (a.sent_at === b.sent_at ? (a.id < b.id ? 1 : -1) : a.sent_at < b.sent_at ? 1 : -1))
      .map((row) => JSON.stringify(row))
      .join("\n");
  }

  async #poll(): Promise<void> {
    this.counts.polls++;
    const { status, body, headers } = await this.#options.poll({ "if-none-match": this.etag });
    if (status !== 200) return;
    this.rows = new Map(body.data.map((row: Row) => [row.id, row]));
    this.etag = headers.get("etag")!;
  }

  async #follow(): Promise<void> {
    const { token, urls, query = "" } = this.#options;
    while (!this.#gone.signal.aborted) {
      try {
        await this.#poll();
        const url = urls[Math.floor(Math.random() * urls.length)];
        const response = await fetch(`${url}/handset/v1/inbox/stream${query}`, {
          headers: { authorization: `Bearer ${token}`, "last-event-id": this.etag },
          signal: this.#gone.signal,
        });
        if (response.status !== 200) throw new Error(`a stream was answered ${response.status}`);
        this.counts.opened++;
        for await (const one of readEvents(response.body!)) await this.#take(one);
      } catch (error) {
        if (!this.#gone.signal.aborted && !/terminated|fetch failed|answered 50[23]/.test(String(error))) throw error;
      }
    }
  }

  async #take({ event, data, from, id }: StreamEvent): Promise<void> {
    this.counts.events++;
    if (this.#options.drops?.()) {
      this.counts.dropped++;
      return;
    }
    if (event === "look") this.counts.looks++;
    else if (event === "ended" || this.etag === id) return;
    if (event === "look" || this.etag !== from) return this.#poll();
    this.counts.applied++;
    if (event === "alert") this.rows.set(data.id, data);
    else for (const gone of data) this.rows.delete(gone);
    this.etag = id!;
  }

  /** Its final state, after one more poll: a stream alone proves nothing to it. */
  async lastLook(): Promise<void> {
    await this.#poll();
  }

  async end(): Promise<void> {
    this.#gone.abort();
    await this.done;
  }
}
