// Held polls: from the beginning of a send to its being seen, with more and more handsets that wait on one channel, and what
// they cost while there is nothing to say.

import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { channelPath, HOT } from "./seed.ts";
import type { OpenWorld } from "./worlds.ts";

export const HANDSETS = [1, 100, 1_000, 5_000];

/** What each handset asks for: the newest alert alone, or a whole page. */
export const LIMITS = [1, 50];

export interface HeldFigure {
  handsets: number;
  limit: number;
  sends: number;
  /** Milliseconds from the beginning of a send to each handset's last byte. */
  p50: number;
  p99: number;
  /** Handsets that a send did not reach within its time, over all sends. */
  lost: number;
  /** Percent of one core while nothing happens: the server's, and that of its connections in PostgreSQL where they can be read. */
  idle: { server: number; postgres: number | null };
}

/** Sends a measurement, and milliseconds that one may take to reach everybody. */
const SENDS = 10;
/** Sends before them that are not counted: few handsets do not warm up a server by themselves. */
const WARM_UP = 100;
const PATIENCE_MS = 60_000;
const IDLE_MS = 8_000;
/** Polls that begin at once, so that the server's queue of new connections is not flooded. */
const AT_ONCE = 100;

/** One handset on one connection that always holds a poll. Reads just enough of HTTP to know where an answer ends. */
class Handset {
  seen = 0;
  onSeen: () => void = () => {};
  #etag = '"none"';
  #buffer: Buffer = Buffer.alloc(0);
  readonly #ask: () => string;
  readonly socket: Socket;

  constructor(url: URL, token: string, limit: number) {
    this.socket = connect(Number(url.port), url.hostname);
    this.socket.setNoDelay(true);
    this.#ask = () =>
      `GET /handset/v1/inbox?limit=${limit} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${token}\r\nIf-None-Match: ${this.#etag}\r\nPrefer: wait=55\r\n\r\n`;
    this.socket.on("data", (chunk: Buffer) => this.#read(chunk));
    this.socket.on("error", () => {});
  }

  poll(): void {
    this.socket.write(this.#ask());
  }

  #read(chunk: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const head = this.#buffer.indexOf("\r\n\r\n");
      if (head < 0) return;
      const text = this.#buffer.toString("latin1", 0, head);
      const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
      if (this.#buffer.length < head + 4 + length) return;
      this.#buffer = this.#buffer.subarray(head + 4 + length);
      if (text.startsWith("HTTP/1.1 200")) {
        this.#etag = /^etag: (.*)$/im.exec(text)![1]!;
        this.seen++;
        this.onSeen();
      } else if (!text.startsWith("HTTP/1.1 304")) throw new Error(text);
      this.poll();
    }
  }
}

async function held(world: OpenWorld, count: number): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await pause(50)) {
    const text = await (await fetch(`${world.url}/metrics`)).text();
    if (Number(/^belfry_held_polls (\d+)$/m.exec(text)?.[1]) === count) return;
  }
  throw new Error(`not ${count} polls are held`);
}

async function send(world: OpenWorld, title: string): Promise<void> {
  const { status } = await fetch(`${world.url}${channelPath(HOT)}/alerts`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.tokens.key}`, "content-type": "application/json" },
    body: JSON.stringify({ title, send: true }),
  });
  if (status !== 201) throw new Error(`a send answered ${status}`);
}

/** With so many handsets on the hot channel. */
export async function measureHeld(world: OpenWorld, count: number, limit: number): Promise<HeldFigure> {
  const url = new URL(world.url);
  const handsets = world.tokens.reporters.slice(0, count).map((token) => new Handset(url, token, limit));
  const times: number[] = [];
  let lost = 0;
  try {
    for (let i = 0; i < handsets.length; i += AT_ONCE) {
      const some = handsets.slice(i, i + AT_ONCE);
      await Promise.all(
        some.map(
          (handset) =>
            new Promise<void>((resolve) => {
              handset.onSeen = resolve;
              handset.poll();
            }),
        ),
      );
    }
    await held(world, count);
    const before = [await world.cpu(), await world.databaseCpu()] as const;
    const began = performance.now();
    await pause(IDLE_MS);
    const spent = performance.now() - began;
    const after = [await world.cpu(), await world.databaseCpu()] as const;
    const share = (from: number, to: number) => ((to - from) / 1000 / spent) * 100;
    const warmUp = Math.ceil(WARM_UP / count);
    for (let i = -warmUp; i < SENDS; i++) {
      if (i === 0) times.length = 0;
      const start = performance.now();
      let left = handsets.length;
      const all = new Promise<void>((resolve) => {
        for (const handset of handsets)
          handset.onSeen = () => {
            handset.onSeen = () => {};
            times.push(performance.now() - start);
            if (--left === 0) resolve();
          };
      });
      await send(world, `Send ${i} to ${count}`);
      await Promise.race([all, pause(PATIENCE_MS, undefined, { ref: false })]);
      lost += left;
      await held(world, count);
    }
    times.sort((a, b) => a - b);
    return {
      handsets: count,
      limit,
      sends: SENDS,
      p50: times[times.length >> 1]!,
      p99: times[Math.ceil(times.length * 0.99) - 1]!,
      lost,
      idle: {
        server: share(before[0], after[0]),
        postgres:
          before[1] === null || after[1] === null || after[1] < before[1] ? null : share(before[1], after[1]),
      },
    };
  } finally {
    for (const { socket } of handsets) socket.destroy();
    await held(world, 0);
  }
}

/** Milliseconds at the median, by handsets; those that no goal is set for have none. */
const GOALS: Record<number, number> = { 1: 5, 100: 8, 1000: 30 };

export function heldTable(figures: readonly HeldFigure[]): string {
  const percent = (value: number | null) => (value === null ? "?" : value.toFixed(1));
  return [
    "| handsets held on one channel | alerts asked for | send → seen p50 (goal) | p99 | lost | idle, % of a core: server + PostgreSQL |",
    "|---|---|---|---|---|---|",
    ...figures.map(({ handsets, limit, p50, p99, lost, idle }) => {
      const goal = GOALS[handsets];
      const shown = `${goal !== undefined && p50 > goal ? "✗ " : ""}${p50.toFixed(1)} ms${goal === undefined ? "" : ` (≤ ${goal})`}`;
      return `| ${[handsets, limit, shown, `${p99.toFixed(1)} ms`, lost, `${percent(idle.server)} + ${percent(idle.postgres)}`].join(" | ")} |`;
    }),
  ].join("\n");
}
