// From the beginning of a send to its last byte at each of many open handsets. They read just enough to find its
// title, which is the same text in an event, a line and a frame.

import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { checkFileLimit } from "../long_polls.ts";
import type { OpenContender } from "./contenders.ts";

export interface DeliveryFigure {
  p50: number;
  p99: number;
  sends: number;
  /** Handsets that a send did not reach within its time, over all sends. */
  lost: number;
}

const PATIENCE_MS = 15_000;
/** Handsets that connect at once. */
const AT_ONCE = 100;
/** Until all of them have been entered where sends look for them. */
const SETTLE_MS = 500;

class Listener {
  #tail = "";
  #wanted = "";
  #onSeen: () => void = () => {};
  readonly #socket;
  /** Once its answer has begun. */
  readonly open: Promise<void>;

  constructor(url: URL, ask: string) {
    this.#socket = connect(Number(url.port), url.hostname);
    this.#socket.setNoDelay(true).setEncoding("latin1");
    this.#socket.write(ask);
    this.open = new Promise((resolve, reject) => {
      this.#socket.once("data", (head: string) =>
        /^HTTP\/1\.1 (200|101) /.test(head) ? resolve() : reject(new Error(`a handset was answered ${head}`)),
      );
      this.#socket.once("error", reject);
    });
    this.#socket.on("data", (chunk: string) => {
      const text = this.#tail + chunk;
      this.#tail = text.slice(-this.#wanted.length);
      if (this.#wanted !== "" && text.includes(this.#wanted)) this.#onSeen();
    });
  }

  wait(title: string, onSeen: () => void): void {
    this.#wanted = title;
    this.#onSeen = () => {
      this.#wanted = "";
      onSeen();
    };
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Some programs refuse one of many that come at once. */
async function opened(listen: () => Listener, tries = 5): Promise<Listener> {
  const listener = listen();
  try {
    await listener.open;
    return listener;
  } catch (error) {
    listener.close();
    if (tries === 1) throw error;
    await pause(100);
    return opened(listen, tries - 1);
  }
}

let numbers = 0;

export async function measureDelivery(open: OpenContender, handsets: number): Promise<DeliveryFigure> {
  const impossible = checkFileLimit(handsets);
  if (impossible !== null) throw new Error(`${handsets} handsets: ${impossible}`);
  const url = new URL(open.target.url);
  const listeners: Listener[] = [];
  const times: number[] = [];
  let lost = 0;
  try {
    for (let i = 0; i < handsets; i += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, handsets - i) }, (_, j) =>
        opened(() => new Listener(url, open.ask(i + j))),
      );
      listeners.push(...(await Promise.all(some)));
    }
    await pause(SETTLE_MS);
    const sends = handsets >= 1_000 ? 15 : 40;
    // The first of them are for a server that is not warm.
    for (let i = -10; i < sends; i++) {
      const title = `Send ${++numbers} ends here`;
      const began = performance.now();
      let left = listeners.length;
      const all = new Promise<void>((resolve) => {
        for (const listener of listeners)
          listener.wait(title, () => {
            if (i >= 0) times.push(performance.now() - began);
            if (--left === 0) resolve();
          });
      });
      await open.send(title);
      await Promise.race([all, pause(PATIENCE_MS, undefined, { ref: false })]);
      if (i >= 0) lost += left;
    }
    times.sort((a, b) => a - b);
    return { p50: times[times.length >> 1]!, p99: times[Math.ceil(times.length * 0.99) - 1]!, ...{ sends, lost } };
  } finally {
    for (const listener of listeners) listener.close();
  }
}
