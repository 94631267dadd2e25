// Long polls: the time from the beginning of a send to its arrival, and their cost while nothing changes. The number of
// waiting handsets on one channel grows.

import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { OpenWorld } from "./bench_databases.ts";
import type { ProcessMemory } from "./process_usage.ts";
import { channelPath, HOT_CHANNEL } from "./seed_database.ts";

export const HANDSETS = [1, 100, 1_000, 5_000];
/** The default limit of one process. */
export const DEFAULT_POLL_LIMIT = 10_000;

/** The request of each handset: the newest alert alone, or a whole page. */
export const PAGE_SIZES = [1, 50];

export interface PollFigure {
  handsets: number;
  limit: number;
  sends: number;
  /** Milliseconds from the beginning of a send to each handset's last byte. */
  p50: number;
  p99: number;
  /** Handsets that a send did not reach within its time, over all sends. */
  lost: number;
  /**
   * Percent of one core while nothing happens: the server's, and that of its connections in PostgreSQL where they can
   * be read.
   */
  idle: { server: number | null; postgres: number | null };
  /** MB of the server before the first of them connected, and while all of them wait; null where it cannot be read. */
  memory: { before: ProcessMemory; held: ProcessMemory } | null;
}

/** Sends a measurement: more where few handsets see each. */
const sendsTo = (handsets: number) => (handsets >= 1_000 ? 10 : handsets >= 100 ? 20 : 50);
/** Sends before them that are not counted: few handsets do not warm up a server by themselves. */
const WARM_UP = 100;
/** Milliseconds until the last handset may have it. */
const PATIENCE_MS = 60_000;
const IDLE_MS = 8_000;
/** Polls that begin at once, so that the server's queue of new connections is not flooded. */
const AT_ONCE = 100;

/**
 * One handset on one connection that always has a pending poll. Parses only as much of HTTP as needed to find the end
 * of a response.
 */
export class PollingHandset {
  seen = 0;
  onSeen: () => void = () => {};
  #etag = '"none"';
  #buffer: Buffer = Buffer.alloc(0);
  readonly #ask: () => string;
  readonly #open: () => Socket;
  #socket: Socket | undefined;

  /** @param onWrong receives a response that does not belong to a poll */
  constructor(url: URL, token: string, limit: number, onWrong: (error: Error) => void) {
    this.#open = () => {
      const socket = connect(Number(url.port), url.hostname);
      socket.setNoDelay(true);
      socket.on("data", (chunk: Buffer) => {
        const wrong = this.#read(chunk);
        if (wrong !== null) onWrong(new Error(`a poll was answered ${wrong}`));
      });
      socket.on("error", onWrong);
      return socket;
    };
    this.#ask = () =>
      `GET /handset/v1/inbox?limit=${limit} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ` +
      `${token}\r\nIf-None-Match: ${this.#etag}\r\nPrefer: wait=55\r\n\r\n`;
  }

  poll(): void {
    this.#socket ??= this.#open();
    this.#socket.write(this.#ask());
  }

  close(): void {
    this.#socket?.destroy();
  }

  /** The head of a response that does not belong to a poll. */
  #read(chunk: Buffer): string | null {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const head = this.#buffer.indexOf("\r\n\r\n");
      if (head < 0) return null;
      const text = this.#buffer.toString("latin1", 0, head);
      const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
      if (this.#buffer.length < head + 4 + length) return null;
      this.#buffer = this.#buffer.subarray(head + 4 + length);
      if (text.startsWith("HTTP/1.1 200")) {
        this.#etag = /^etag: (.*)$/im.exec(text)![1]!;
        this.seen++;
        this.onSeen();
      } else if (!text.startsWith("HTTP/1.1 304")) return text;
      this.poll();
    }
  }
}

/**
 * The reason why this machine cannot have this number of long polls, or null: each takes an open file in both
 * processes.
 */
export function checkFileLimit(count: number): string | null {
  try {
    // Node itself raises the soft limit to the hard one.
    const hard = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))![1]!;
    const needed = count + 500;
    return hard === "unlimited" || Number(hard) >= needed
      ? null
      : `needs a hard limit of ${needed} open files (ulimit -Hn), which is ${hard}`;
  } catch {
    return null;
  }
}

export async function waitUntilHeld(world: OpenWorld, count: number): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await pause(50)) {
    const text = await (await fetch(`${world.service.url}/metrics`)).text();
    if (Number(/^belfry_long_polls (\d+)$/m.exec(text)?.[1]) === count) return;
  }
  throw new Error(`not ${count} polls are waiting`);
}

export async function sendAlert(world: OpenWorld, title: string): Promise<void> {
  const { status } = await fetch(`${world.service.url}${channelPath(HOT_CHANNEL)}/alerts`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.tokens.key}`, "content-type": "application/json" },
    body: JSON.stringify({ title, send: true }),
  });
  if (status !== 201) throw new Error(`a send answered ${status}`);
}

export interface PollOptions {
  handsets: number;
  limit: number;
  /** Milliseconds without changes. */
  idleMs?: number;
}

/** With this number of handsets on the hot channel. */
export async function measureLongPolls(
  world: OpenWorld,
  { handsets: count, limit, idleMs = IDLE_MS }: PollOptions,
): Promise<PollFigure> {
  const impossible = checkFileLimit(count);
  if (impossible !== null) throw new Error(`${count} handsets: ${impossible}`);
  const memoryBefore = world.memory();
  const url = new URL(world.service.url);
  let onWrong = (_: Error) => {};
  const wrong = new Promise<never>((_, reject) => {
    onWrong = reject;
  });
  wrong.catch(() => {});
  const handsets = world.tokens.reporters
    .slice(0, count)
    .map((token) => new PollingHandset(url, token, limit, (error) => onWrong(error)));
  const times: number[] = [];
  let lost = 0;
  try {
    for (let i = 0; i < handsets.length; i += AT_ONCE) {
      const some = handsets.slice(i, i + AT_ONCE);
      const begun = some.map(
        (handset) =>
          new Promise<void>((resolve) => {
            handset.onSeen = resolve;
            handset.poll();
          }),
      );
      await Promise.race([Promise.all(begun), wrong]);
    }
    await waitUntilHeld(world, count);
    const before = [await world.service.cpu(), await world.databaseCpu()] as const;
    const began = performance.now();
    await pause(idleMs);
    const spent = performance.now() - began;
    const memoryHeld = world.memory();
    const after = [await world.service.cpu(), await world.databaseCpu()] as const;
    const share = (from: number | null, to: number | null) =>
      from === null || to === null ? null : ((to - from) / 1000 / spent) * 100;
    const sends = sendsTo(count);
    for (let i = -Math.ceil(WARM_UP / count); i < sends; i++) {
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
      await sendAlert(world, `Send ${i} to ${count}`);
      await Promise.race([all, wrong, pause(PATIENCE_MS, undefined, { ref: false })]);
      lost += left;
      await waitUntilHeld(world, count);
    }
    times.sort((a, b) => a - b);
    return {
      handsets: count,
      limit,
      sends,
      p50: times[times.length >> 1]!,
      p99: times[Math.ceil(times.length * 0.99) - 1]!,
      lost,
      idle: { server: share(before[0], after[0]), postgres: share(before[1], after[1]) },
      memory: memoryBefore && memoryHeld && { before: memoryBefore, held: memoryHeld },
    };
  } finally {
    for (const handset of handsets) handset.close();
    await waitUntilHeld(world, 0);
  }
}

/** Milliseconds at the median, by handsets; those that no goal is set for have none. */
export const DELIVERY_GOALS_MS: Record<number, number> = { 1: 5, 100: 8, 1000: 30 };

/** The memory of one long poll, in kB. */
export const memoryPerPoll = ({ before, held }: { before: ProcessMemory; held: ProcessMemory }, handsets: number) =>
  ((held.rss - before.rss) * 1024) / handsets;

export function longPollTable(figures: readonly PollFigure[]): string {
  const percent = (value: number | null) => (value === null ? "?" : value.toFixed(1));
  return [
    "| handsets held on one channel | alerts asked for | send → seen p50 (goal) | p99 | lost | idle, % of a " +
      "core: server + PostgreSQL | memory |",
    "|---|---|---|---|---|---|---|",
    ...figures.map(({ handsets, limit, p50, p99, lost, idle, memory }) => {
      const goal = DELIVERY_GOALS_MS[handsets];
      const shown =
        `${goal !== undefined && p50 > goal ? "✗ " : ""}${p50.toFixed(1)} ` +
        `ms${goal === undefined ? "" : ` (≤ ${goal})`}`;
      const spent = `${percent(idle.server)} + ${percent(idle.postgres)}`;
      const mb = memory === null ? "?" : `${memory.held.rss.toFixed(0)} MB (${memory.before.rss.toFixed(0)})`;
      return `| ${[handsets, limit, shown, `${p99.toFixed(1)} ms`, lost, spent, mb].join(" | ")} |`;
    }),
  ].join("\n");
}
