// `belfry listen`: a handset for machines. It follows one channel and passes each alert on once, in the order of their
// times, as a line of JSON or to a program. Its state survives the process (rules#listen). Nothing of the service is
// loaded.

import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { ApiError, parseApiError } from "../../model/api_error.ts";
import { LIMITS } from "../../model/limits.ts";
import { extendProcessEnvironment } from "../../store/config/load_settings.ts";
import { getListenStatePath, type ListenState, openListenState } from "./listen_state.ts";
import { readRetryAfter } from "./option_values.ts";
import { printNote, UsageError } from "./output.ts";
import { toTerminalSafeJson } from "./render_for_terminal.ts";
import { createUnreachableError, getLimitHeaders, resolveServerUrl, wrongServerError } from "./server_connection.ts";
import { parseEventStream } from "./sse_parser.ts";

interface ListenOptions {
  url?: string;
  invite?: string;
  exec?: string;
  ack?: boolean;
  count?: number;
  state?: string;
}

/** A card as the inbox shows it: fields without a value are absent. */
interface Card {
  id: string;
  handle: string;
  sent_at: string;
  title: string;
  body?: string;
  body_length?: number;
  priority?: string;
  source_url?: string;
}

const PAGE = `/inbox?limit=${LIMITS.page}&view=lean`;
const STREAM = PAGE.replace("?", "/stream?");
/** Longer than a long poll, and longer than the heartbeat interval of a stream. */
const SILENT_MS = 75_000;
/** Without a stream, or without capacity for one, it is requested again after this time. */
const NO_STREAM_MS = 5 * 60_000;
const LONGEST_PAUSE_S = 60;
/** Alerts that one call confirms. */
const REPORTED = 20;

/**
 * Listens until a signal ends it, or `count` alerts are passed on.
 * @throws ApiError for permanent failures (an unknown channel, a deleted device), UsageError.
 */
export async function runListen(handle: string, version: string, options: ListenOptions): Promise<void> {
  if (!/^[\w-]+$/.test(handle)) throw new UsageError("A handle consists of letters, digits, hyphens and underscores.");
  const url = resolveServerUrl(options);
  const file = options.state ?? getListenStatePath(url, handle);
  const memory = openListenState(file, { url, handle });
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const call = caller(url, memory, stop.signal);

  const join = async () => {
    if (memory.token === null) memory.begin(await register(call, version));
    const asked = { permissions: ["notify"], ...(options.invite && { invite: options.invite }) };
    const joined = await call("PUT", `/subscriptions/${handle}`, { body: asked });
    memory.subscribed((await readJson<{ subscribed_at: string }>(joined)).subscribed_at);
  };

  /** Confirms what is to be confirmed, also from before a kill. */
  const settle = async () => {
    const ids = memory.owed().slice(0, REPORTED);
    if (ids.length === 0) return;
    const reports = ids.flatMap((alert_id) => ["read", "ack"].map((kind) => ({ alert_id, kind })));
    await call("POST", "/reports", { body: { reports } });
    memory.confirmed(ids);
  };

  let left = options.count ?? Number.POSITIVE_INFINITY;
  const take = async (cards: readonly Card[]) => {
    for (const card of cards.filter(memory.isNew)) {
      if (left === 0 || stop.signal.aborted) return;
      const well = await passOn(await withWholeText(call, card), options.exec);
      // A command that our own end has cut off runs again at the next start.
      if (!well && stop.signal.aborted) return;
      memory.passed(card, well && options.ack === true);
      left--;
    }
    await settle();
    if (left === 0) stop.abort();
  };

  await follow({ call, join, take, isNew: memory.isNew, stop: stop.signal }).catch((error) => {
    if (error instanceof ApiError && error.type === "unauthorized")
      throw new ApiError(
        "invalid_credential",
        `This device is no longer registered. Remove ${file} to register again.`,
      );
    if (!stop.signal.aborted) throw error;
  });
}

type Call = (
  method: string,
  path: string,
  asked?: { body?: object; headers?: Record<string, string>; until?: AbortSignal },
) => Promise<Response>;

/** The card with its whole text. If the alert was withdrawn in the meantime, the card stays as it is. */
async function withWholeText(call: Call, card: Card): Promise<Card> {
  if (card.body_length === undefined) return card;
  try {
    const { body = card.body } = await readJson<Card>(await call("GET", `/alerts/${card.id}`));
    const { body_length: _, ...rest } = card;
    return { ...rest, ...(body !== undefined && { body }) };
  } catch (error) {
    if (error instanceof ApiError && error.type === "not_found") return card;
    throw error;
  }
}

interface Following {
  call: Call;
  join(): Promise<void>;
  take(cards: readonly Card[]): Promise<void>;
  isNew(card: Card): boolean;
  stop: AbortSignal;
}

/**
 * Joins, then polls and follows alternately. Temporary failures are retried, with growing pauses. @throws permanent
 * failures
 */
async function follow({ call, join, take, isNew, stop }: Following): Promise<void> {
  let joined = false;
  let etag: string | null = null;
  let failures = 0;
  let streamsFrom = 0;
  while (!stop.aborted) {
    try {
      if (!joined) await join();
      joined = true;
      const streams = performance.now() >= streamsFrom;
      const found: Polled = await poll(call, etag, streams ? 0 : LIMITS.held_seconds, isNew);
      await take(found.cards.reverse());
      etag = found.etag;
      if (failures > 0) printNote("reconnected to the server");
      failures = 0;
      if (streams) {
        const held = await followStream(call, etag, take, stop);
        if (held === null) streamsFrom = performance.now() + NO_STREAM_MS;
        else etag = held;
      } else if (!found.waited) await rest(stop);
    } catch (error) {
      if (stop.aborted) return;
      if (!(error instanceof ApiError) || !["server_error", "rate_limited"].includes(error.type)) throw error;
      if (failures++ === 0) printNote(`${error.message} Retrying.`);
      const seconds = readRetryAfter(error) || Math.min(2 ** (failures - 1), LONGEST_PAUSE_S);
      await pause(seconds * 1_000 * (0.5 + Math.random()), null, { signal: stop }).catch(() => {});
    }
  }
}

interface Polled {
  cards: Card[];
  etag: string | null;
  /** Set if the server delayed the response, or had something to report. */
  waited: boolean;
}

/** The inbox as far as something in it is new. */
async function poll(call: Call, etag: string | null, wait: number, isNew: (card: Card) => boolean): Promise<Polled> {
  const headers = { ...(etag && { "if-none-match": etag }), ...(wait && { prefer: `wait=${wait}` }) };
  const first = await call("GET", PAGE, { headers });
  if (first.status === 304) return { cards: [], etag, waited: first.headers.has("preference-applied") };
  const cards: Card[] = [];
  for (let page = first; ; ) {
    const { data, meta } = await readJson<{ data: Card[]; meta: { next_before: string | null } }>(page);
    cards.push(...data);
    const [last] = data.slice(-1);
    if (!last || !isNew(last) || meta.next_before === null) break;
    page = await call("GET", `${PAGE}&before=${encodeURIComponent(meta.next_before)}`);
  }
  return { cards, etag: first.headers.get("etag"), waited: true };
}

/**
 * Applies the stream's changes for as long as they fit the current state (docs/reference/handset-api.md#follow). Then a
 * poll is needed. @returns the current validator; null without a stream
 */
async function followStream(call: Call, etag: string | null, take: Following["take"], stop: AbortSignal) {
  let held = etag;
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENT_MS);
  try {
    const headers = { accept: "text/event-stream", ...(etag && { "last-event-id": etag }) };
    const until = AbortSignal.any([stop, silence.signal]);
    const response = await call("GET", STREAM, { headers, until }).catch((error) => {
      if (error instanceof ApiError && error.type !== "unauthorized") return null;
      throw error;
    });
    if (!response?.headers.get("content-type")?.startsWith("text/event-stream")) return null;
    for await (const { event, data = "null", from, id } of readUntilLost(response.body, until)) {
      timer.refresh();
      if (event === "ended") await rest(stop);
      if (event === undefined || id === held) continue;
      if (id === undefined || from !== held) return held;
      if (event === "alert") await take([JSON.parse(data)]);
      held = id;
    }
    return held;
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** The events of a stream. A lost connection ends them: the next poll returns the missed changes. */
async function* readUntilLost(body: Response["body"], until: AbortSignal) {
  try {
    yield* parseEventStream(body);
  } catch (error) {
    // `fetch` reports a cut body as a TypeError with the cause, which errors of this program lack.
    if (!until.aborted && !(error instanceof TypeError && error.cause)) throw error;
  }
}

/** If the server did not delay the poll as requested, the next one is not sent at once. */
const rest = (stop: AbortSignal) => pause(1_000 * (1 + Math.random()), null, { signal: stop });

/** Registers this machine as a device. @returns its credential */
async function register(call: Call, version: string): Promise<string> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const facts = { platform: "cli", app_version: version, locale: "en", timezone: timeZone };
  return (await readJson<{ token: string }>(await call("POST", "/devices", { body: facts }))).token;
}

/** As a line, or to the command: the text only in its environment and its input, where no shell reads it. */
async function passOn(card: Card, exec: string | undefined): Promise<boolean> {
  const line = `${toTerminalSafeJson(card)}\n`;
  if (exec === undefined) {
    process.stdout.write(line);
    return true;
  }
  const child = spawn(exec, {
    shell: true,
    stdio: ["pipe", "inherit", "inherit"],
    env: extendProcessEnvironment(toEnvironment(card)),
  });
  // A command need not read it.
  child.stdin.on("error", () => {}).end(line);
  const ended = await new Promise<string | null>((resolve) => {
    child.on("error", () => resolve("could not be started"));
    child.on("close", (code, signal) => resolve(code === 0 ? null : `exited with ${signal ?? code}`));
  });
  if (ended !== null) printNote(`the command ${ended} for ${card.id}`);
  return ended === null;
}

const toEnvironment = ({ id, handle, sent_at, title, body = "", priority = "normal", source_url = "" }: Card) => ({
  BELFRY_ID: id,
  BELFRY_CHANNEL: handle,
  BELFRY_SENT_AT: sent_at,
  BELFRY_TITLE: title,
  BELFRY_BODY: body,
  BELFRY_PRIORITY: priority,
  BELFRY_SOURCE_URL: source_url,
});

/** The JSON of a response. @throws ApiError `server_error` if the body was cut or is not JSON */
async function readJson<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch {
    throw new ApiError("no_answer", "The connection to the server was lost.");
  }
}

/** Calls of the handset API. @throws ApiError: `server_error` also without any response */
const caller =
  (url: string, memory: ListenState, stop: AbortSignal): Call =>
  async (method, path, { body, headers = {}, until } = {}) => {
    const signal = until ?? AbortSignal.any([stop, AbortSignal.timeout(SILENT_MS)]);
    const { token } = memory;
    const response = await fetch(`${url}/handset/v1${path}`, {
      method,
      // A redirect is not followed: the credential is for this address.
      redirect: "manual",
      signal,
      headers: {
        ...headers,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error) => {
      throw createUnreachableError(url, error);
    });
    if (response.ok || response.status === 304) return response;
    const refusal = await readJson(response).catch(() => null);
    throw parseApiError(refusal, getLimitHeaders(response)) ?? wrongServerError(url, response.status);
  };
