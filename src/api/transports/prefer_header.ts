// What a client would like of an answer (RFC 7240), what is malformed or not known here passed over; and a poll that
// may be held, as HTTP says it: `Prefer: wait=N` asks, `Preference-Applied` says that it was granted
// (rules#held-inbox).

import { LIMITS } from "../../model/limits.ts";
import { createEmptyResponse, createJsonResponse } from "./http_responses.ts";

/**
 * A preference, and what of it stands in front of its parameters, which are of no concern here. A comma may stand in
 * quotes.
 */
const PREFERENCE = /(?:"(?:\\.|[^"\\])*"?|[^",])+/g;
const BARE = /^(?:"(?:\\.|[^"\\])*"?|[^";])*/;

const preferences = (header: string): string[] =>
  (header.match(PREFERENCE) ?? []).map((one) => BARE.exec(one)?.[0] ?? "");

/**
 * `wait`: how many seconds the client would wait for an answer; null where it does not say, or not in digits. Of
 * several the first one counts.
 */
export function parseWaitSeconds(headers: Headers): number | null {
  const header = headers.get("prefer");
  if (header === null) return null;
  const wait = preferences(header).find((preference) => /^\s*wait\s*(=|$)/i.test(preference));
  const [, plain, quoted] = /=\s*(?:(\d{1,9})|"(\d{1,9})")\s*$/.exec(wait ?? "") ?? [];
  const digits = plain ?? quoted;
  return digits === undefined ? null : Number(digits);
}

/** The seconds for which a request may be held; null for one that is answered as it is. */
export function getLongPollSeconds(request: Request): number | null {
  // A page further back is asked for by somebody who reads, and HEAD has no body to wait for.
  if (request.method !== "GET" || !request.headers.has("if-none-match")) return null;
  const plain = /^[^?]*(\?limit=\d*)?([?&]view=\w*)?$/.test(request.url);
  if (!plain && new URL(request.url).searchParams.has("before")) return null;
  const seconds = parseWaitSeconds(request.headers);
  return seconds === null || seconds === 0 ? null : Math.min(seconds, LIMITS.held_seconds);
}

export const isNotModified = (response: Response): boolean => response.status === 304;

/** The answer of a validator and the body's bytes; without these it is one that the client holds. */
export const createPollResponse = ({ tag, json }: { tag: string; json: Uint8Array | null }): Response =>
  json ? createJsonResponse(200, json, { etag: tag }) : createEmptyResponse(304, { etag: tag });

export function addPreferenceApplied(response: Response, seconds: number): Response {
  response.headers.set("preference-applied", `wait=${seconds}`);
  return response;
}

/** Whoever was not held to the end comes again so many seconds later. */
export function addRetryAfter(response: Response, seconds: number): Response {
  response.headers.set("retry-after", String(seconds));
  return response;
}
