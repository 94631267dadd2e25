// How the log is written: lines on standard error, many in one write, so that no request pays for a write of its own.
// What waits is written in a moment, at once with a warning, and whenever the process ends by itself. A person in a
// terminal reads time, how grave, what happened, and its facts; elsewhere lines are JSON.

import { type DestinationStream, pino } from "pino";
import { removeToken } from "../../effects/assets/asset_urls.ts";
import type { Config } from "../../store/config/all_settings.ts";
import type { Log } from "../../store/handler_context.ts";
import { currentSpan } from "../../store/trace_spans.ts";

/** Pino's numbers of the levels that are named; those below are told by their words alone. */
const GRAVE: Record<number, string> = { 40: "warning: ", 50: "error: ", 60: "fatal: " };

const said = (value: unknown): string =>
  typeof value === "string" && /^\S+$/.test(value) ? value : JSON.stringify(value);

/** What a fact may hold would otherwise reach the terminal as it is: its escape sequences, too. */
const visible = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, (sign) => (sign === "\n" ? sign : "\ufffd"));

/** One line of the log, which is JSON; what is none stays as it is. */
function lineFor(line: string): string {
  let told: Record<string, unknown>;
  try {
    told = JSON.parse(line);
  } catch {
    return visible(line);
  }
  const { level, time, msg, err, request_id: _, ...facts } = told;
  const stack = (err as { stack?: string } | undefined)?.stack;
  const words = Object.entries(facts).map(([name, value]) => `${name}=${said(value)}`);
  const head = `${String(time).slice(11, 19)}  ${GRAVE[level as number] ?? ""}${msg}`;
  return visible([[head, ...words].join("  "), ...(stack ? [stack] : [])].join("\n"));
}

/** A piece of the log that has whole lines. */
export const formatForTerminal = (piece: string): string => piece.replace(/[^\n]+/g, (line) => lineFor(line));

/** Lines wait for so long, or for so many characters of others. */
const WAIT_MS = 100;
const WAIT_LENGTH = 16_384;

/** What the system writes into a pipe in one piece: several processes write to one standard error. */
const PIECE_BYTES = 4_096;

/** Pino's numbers of these levels. */
const INFO = 30;
const WARN = 40;

export interface BatchedStream extends DestinationStream {
  /** Asks pino to set `lastLevel` before each line. */
  readonly [key: symbol]: true;
  lastLevel: number;
  /** Writes what waits. */
  flush(): void;
}

/**
 * Collects lines for `out`, which writes each piece before it returns: of so many bytes at most, unless one line is
 * longer.
 */
export function batchLines(out: DestinationStream, most = Number.POSITIVE_INFINITY): BatchedStream {
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

let standardError: BatchedStream | undefined;

/** One for the process, since there is one standard error, and one end. */
function toStandardError(most?: number): BatchedStream {
  if (!standardError) {
    const out = pino.destination({ fd: 2, sync: true });
    const lines = batchLines(
      process.stderr.isTTY ? { write: (piece) => out.write(formatForTerminal(piece)) } : out,
      most,
    );
    // Also after an error that nobody caught.
    process.on("exit", () => lines.flush());
    standardError = lines;
  }
  return standardError;
}

const SECRETS = /(bfk_|bfd_|bft_|whsec_)[\w-]+/g;

/**
 * Never the query: an invite's code or a key may stand in it. A secret that was put into the path is cut, a file's
 * token, too.
 */
export const redactPath = (pathname: string) => removeToken(pathname).replace(SECRETS, "$1(cut)");

export interface Logs {
  log: ReturnType<typeof createLog>;
  /** For the line of each request, whose few fields are flat and hold nothing to cut; `message` is a plain word. */
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
    // As pino tells it.
    if (out.lastLevel !== undefined) out.lastLevel = INFO;
    const told = JSON.stringify(fields).slice(1, -1);
    out.write(`{"level":${INFO}${pino.stdTimeFunctions.isoTime()},${told},"msg":"${message}"}\n`);
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

type RequestLogger = Omit<Log, "origin">;
type Parent = RequestLogger & { child(fields: object): RequestLogger };

/** The log of one request. Most requests say nothing in it, so it is made in full with the first word. */
export class RequestLog implements Log {
  #parent: Parent;
  #own: RequestLogger | undefined;
  readonly requestId: string;
  /** What the line about the whole request shall name. */
  about: { caller?: string; operation?: string; trace_id?: string };
  readonly #trace: { trace_id?: string };

  constructor(parent: Parent, requestId: string) {
    this.#parent = parent;
    this.requestId = requestId;
    const span = currentSpan();
    this.#trace = span ? { trace_id: span.traceId } : {};
    this.about = this.#trace;
  }
  get #log(): RequestLogger {
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
  /** A page may run several operations: the first one is what was asked for. */
  note(fields: { caller?: string; operation: string }): void {
    this.about = { ...fields, ...this.about };
  }
}
