// The writer of the log: lines on standard error, many in one write, so that requests do not pay for a write each.
// Lines are written after a moment, at once with a warning, and at the end of the process. In a terminal, a line has
// time, severity, message and fields; elsewhere it is JSON.

import { type DestinationStream, pino } from "pino";
import type { Config } from "../../store/config/all_settings.ts";
import type { Log } from "../../store/handler_context.ts";
import { currentSpan } from "../../store/trace_spans.ts";

/** Pino's numbers of the shown levels; lower ones only show their message. */
const GRAVE: Record<number, string> = { 40: "warning: ", 50: "error: ", 60: "fatal: " };

const formatValue = (value: unknown): string =>
  typeof value === "string" && /^\S+$/.test(value) ? value : JSON.stringify(value);

/** Replaces control characters, because a field could contain escape sequences for the terminal. */
const visible = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, (sign) => (sign === "\n" ? sign : "\ufffd"));

/** Formats one JSON line of the log; other lines stay unchanged. */
function lineFor(line: string): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line);
  } catch {
    return visible(line);
  }
  const { level, time, msg, err, request_id: _, ...facts } = entry;
  const stack = (err as { stack?: string } | undefined)?.stack;
  const words = Object.entries(facts).map(([name, value]) => `${name}=${formatValue(value)}`);
  const head = `${String(time).slice(11, 19)}  ${GRAVE[level as number] ?? ""}${msg}`;
  return visible([[head, ...words].join("  "), ...(stack ? [stack] : [])].join("\n"));
}

/** A piece of the log that has whole lines. */
export const formatLogForTerminal = (piece: string): string => piece.replace(/[^\n]+/g, (line) => lineFor(line));

/** The maximum delay and size of buffered lines. */
const WAIT_MS = 100;
const WAIT_LENGTH = 16_384;

/** The size of an atomic write into a pipe, since several processes share one standard error. */
const PIECE_BYTES = 4_096;

/** Pino's numbers of these levels. */
const INFO = 30;
const WARN = 40;

export interface BatchedLogStream extends DestinationStream {
  /** Makes pino set `lastLevel` before each line. */
  readonly [key: symbol]: true;
  lastLevel: number;
  /** Writes what waits. */
  flush(): void;
}

/** Buffers lines for `out`, which writes each piece synchronously: at most `most` bytes, unless one line is longer. */
export function batchLogLines(out: DestinationStream, most = Number.POSITIVE_INFINITY): BatchedLogStream {
  let waiting = "";
  let timer: NodeJS.Timeout | undefined;
  return {
    [Symbol.for("pino.metadata")]: true,
    lastLevel: 0,
    write(line) {
      if (Number.isFinite(most) && Buffer.byteLength(waiting) + Buffer.byteLength(line) > most) this.flush();
      waiting += line;
      if (waiting.length >= WAIT_LENGTH || this.lastLevel >= WARN) this.flush();
      else timer ??= setTimeout(() => this.flush(), WAIT_MS).unref();
    },
    flush() {
      clearTimeout(timer);
      timer = undefined;
      const piece = waiting;
      waiting = "";
      if (piece !== "") out.write(piece);
    },
  };
}

let standardError: BatchedLogStream | undefined;

/** One for the process, since there is one standard error, and one end. */
function toStandardError(most?: number): BatchedLogStream {
  if (!standardError) {
    const out = pino.destination({ fd: 2, sync: true });
    const lines = batchLogLines(
      process.stderr.isTTY ? { write: (piece) => out.write(formatLogForTerminal(piece)) } : out,
      most,
    );
    // Also after an uncaught error.
    process.on("exit", () => lines.flush());
    standardError = lines;
  }
  return standardError;
}

const SECRETS = /(bfk_|bfd_|bft_|whsec_)[\w-]+/g;
/** The token of a file, with which readers of the log could fetch it. */
const FILE_TOKEN = /^(\/assets\/[^/]*\/)[^/]+/;

/**
 * Returns a path for the log, without the query, which may contain an invite code or a key. Secrets and file tokens in
 * the path are cut.
 */
export const redactPath = (pathname: string) => pathname.replace(FILE_TOKEN, "$1(cut)").replace(SECRETS, "$1(cut)");

export interface Logs {
  log: ReturnType<typeof createLog>;
  /** For the line of each request, whose fields are flat and need no redaction; `message` is a plain word. */
  requests: Pick<Log, "info">;
}

/** Structured logs; nothing that is secret is ever handed to them, and the usual places are cut anyway. */
export function createLogs(
  { logLevel: level, workers = 1 }: Pick<Config, "logLevel"> & Partial<Pick<Config, "workers">>,
  to?: DestinationStream,
): Logs {
  const out = to ?? toStandardError(workers > 1 ? PIECE_BYTES : undefined);
  const common = { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime };
  const log = createLog(common, out);
  return { log, requests: log.isLevelEnabled("info") ? linesOfRequests(out) : { info: () => {} } };
}

/** Lines as pino writes them of fields that are flat, at a fraction of its time: there is one with each request. */
const linesOfRequests = (out: DestinationStream & { lastLevel?: number }): Logs["requests"] => ({
  info(fields, message) {
    // As pino reports it.
    if (out.lastLevel !== undefined) out.lastLevel = INFO;
    const members = JSON.stringify(fields).slice(1, -1);
    out.write(`{"level":${INFO}${pino.stdTimeFunctions.isoTime()},${members},"msg":"${message}"}\n`);
  },
});

const createLog = (common: { level: string; base: undefined }, to: DestinationStream) =>
  pino(
    {
      ...common,
      redact: { paths: ["*.authorization", "*.token", "*.key", "*.secret", "*.password"], censor: "(cut)" },
      // A database error quotes rows in its detail; the message, the code and the stack are enough.
      serializers: {
        err: (error: Error & { code?: string }) => ({
          type: error.name,
          message: error.message,
          code: error.code,
          stack: error.stack,
        }),
      },
    },
    to,
  );

type PlainLogger = Omit<Log, "origin">;
type Parent = PlainLogger & { child(fields: object): PlainLogger };

/** The log of one request. Most requests log nothing, so it is created with its first line. */
export class LazyRequestLog implements Log {
  #parent: Parent;
  #own: PlainLogger | undefined;
  readonly requestId: string;
  /** Fields for the line of the request. */
  about: { caller?: string; operation?: string; trace_id?: string };
  readonly #trace: { trace_id?: string };

  constructor(parent: Parent, requestId: string) {
    this.#parent = parent;
    this.requestId = requestId;
    const span = currentSpan();
    this.#trace = span ? { trace_id: span.traceId } : {};
    this.about = this.#trace;
  }
  get #log(): PlainLogger {
    this.#own ??= this.#parent.child({ request_id: this.requestId, ...this.#trace });
    return this.#own;
  }
  debug(fields: object, message: string): void {
    this.#log.debug(fields, message);
  }
  info(fields: object, message: string): void {
    this.#log.info(fields, message);
  }
  warn(fields: object, message: string): void {
    this.#log.warn(fields, message);
  }
  error(fields: object, message: string): void {
    this.#log.error(fields, message);
  }
  origin(): string {
    return this.requestId;
  }
  /** A page may run several operations; the first one is recorded. */
  note(fields: { caller?: string; operation: string }): void {
    this.about = { ...fields, ...this.about };
  }
}
