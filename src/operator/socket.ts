// The operator's way to a running server with an embedded database: a unix socket that only the server's own user can
// open, one line of JSON each way. Carries named operations; knows none of them. Never logs arguments or answers.

import { chmodSync, rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import type { Log } from "../context.ts";
import type { Orm } from "../db/orm.ts";
import { ApiError, forbidden, fromEnvelope, invalidRequest, serverError } from "../errors.ts";
import { isOperatorOperation, type OperatorRequest, runOperation } from "./operations.ts";
import { shortSocketPath } from "./socket_path.ts";

/** A request is a few names and ids. */
const MAX_REQUEST = 64 * 1024;
const MAX_ANSWER = 64 * 1024 * 1024;
const REQUEST_MS = 10_000;
const ANSWER_MS = 30_000;

export interface OperatorDeps {
  log: Log;
  now(): Date;
}

/**
 * Opens the socket and returns its end, which finishes what is being done. The caller holds the data directory's lock, so
 * a file that is there already was left behind. A file system without sockets costs the operator's commands, not the service.
 */
export async function listenForOperator(
  orm: Orm,
  path: string,
  { log, now }: OperatorDeps,
): Promise<() => Promise<void>> {
  const waiting = new Set<Socket>();
  const working = new Set<Promise<unknown>>();

  const answer = async (line: string): Promise<object> => {
    try {
      const request = parseLine(line);
      const name = isOperatorOperation(request.operation) ? request.operation : "unknown";
      log.info({ operation: name }, "operator");
      return { result: await runOperation(orm.em.fork(), request, now()) };
    } catch (error) {
      if (error instanceof ApiError) return error.toEnvelope();
      log.error({ err: error }, "operator's operation failed");
      return serverError().toEnvelope();
    }
  };

  const server = createServer((socket) => {
    waiting.add(socket);
    socket.setTimeout(REQUEST_MS, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => waiting.delete(socket));
    readLine(socket, MAX_REQUEST, (line) => {
      waiting.delete(socket);
      socket.setTimeout(0);
      const done = (line === null ? tooLong() : answer(line)).then((body) => {
        socket.setTimeout(REQUEST_MS);
        socket.end(`${JSON.stringify(body)}\n`);
      });
      working.add(done);
      done.finally(() => working.delete(done));
    });
  });
  server.maxConnections = 32;

  let short: ReturnType<typeof shortSocketPath> | null = null;
  try {
    rmSync(path, { force: true });
    short = shortSocketPath(path);
    await listenPrivately(server, short.path);
    chmodSync(path, 0o600);
  } catch (error) {
    short?.release();
    log.warn({ err: error }, "no operator socket: operator commands need the server stopped");
    return async () => {};
  }

  return async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of waiting) socket.destroy();
    await Promise.allSettled(working);
    await closed;
    short.release();
    rmSync(path, { force: true });
  };
}

/** The file is made inside listen(), in this very turn; so that nobody may open it before its mode is set. */
function listenPrivately(server: ReturnType<typeof createServer>, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const before = process.umask(0o177);
    try {
      server.listen(path, () => {
        server.off("error", reject);
        server.on("error", () => {});
        resolve();
      });
    } finally {
      process.umask(before);
    }
  });
}

const tooLong = async () => invalidRequest("The request is too long.").toEnvelope();

function parseLine(line: string): { operation?: unknown; args?: unknown } {
  try {
    const value = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value;
  } catch {}
  throw invalidRequest("The request is no JSON object.");
}

/** Calls back once: with the first line, or with null when it is longer than `max`. */
function readLine(socket: Socket, max: number, found: (line: string | null) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer) => {
    const end = chunk.indexOf(10);
    chunks.push(end === -1 ? chunk : chunk.subarray(0, end));
    size += chunks.at(-1)!.length;
    if (end === -1 && size <= max) return;
    socket.off("data", onData);
    socket.resume();
    found(size > max ? null : Buffer.concat(chunks).toString("utf8"));
  };
  socket.on("data", onData);
}

/** No server listens at the path: there is none, or it left its socket behind. */
export class NoServer extends Error {}

const ABSENT = new Set(["ENOENT", "ENOTDIR", "ECONNREFUSED", "ENOTSOCK"]);

/** Has the running server do it. @throws NoServer, or ApiError. */
export async function askServer(path: string, request: OperatorRequest): Promise<unknown> {
  let short: ReturnType<typeof shortSocketPath>;
  try {
    short = shortSocketPath(path);
  } catch (error) {
    // A server on this directory could not open its socket either.
    throw new NoServer((error as Error).message);
  }
  try {
    const body = await exchange(short.path, `${JSON.stringify(request)}\n`);
    const refused = fromEnvelope(body);
    if (refused) throw refused;
    return (body as { result: unknown }).result;
  } finally {
    short.release();
  }
}

const unanswered = () =>
  new ApiError(
    "server_error",
    "The running server gave no answer; look whether the change is there before a retry.",
  );

function exchange(path: string, line: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.setTimeout(ANSWER_MS, () => socket.destroy(unanswered()));
    socket.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (ABSENT.has(code ?? "")) reject(new NoServer());
      else if (code === "EACCES" || code === "EPERM")
        reject(forbidden("The data directory belongs to another user; run this as the user of the server."));
      else reject(unanswered());
    });
    socket.on("close", () => reject(unanswered()));
    socket.on("connect", () => socket.write(line));
    readLine(socket, MAX_ANSWER, (answer) => {
      try {
        resolve(JSON.parse(answer!));
      } catch {
        reject(unanswered());
      }
      socket.destroy();
    });
  });
}
