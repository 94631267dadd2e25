// The client's preferences for a response (RFC 7240); malformed and unknown ones are ignored. Also long polling in
// terms of HTTP: `Prefer: wait=N` requests it, `Preference-Applied` confirms it (rules#held-inbox).

import { LIMITS } from "../../model/limits.ts";
import { createEmptyResponse, createJsonResponse } from "./http_responses.ts";

/** A preference up to its parameters, which are ignored here. Quotes may contain a comma. */
const PREFERENCE = /(?:"(?:\\.|[^"\\])*"?|[^",])+/g;
const BARE = /^(?:"(?:\\.|[^"\\])*"?|[^";])*/;

const preferences = (header: string): string[] =>
  (header.match(PREFERENCE) ?? []).map((one) => BARE.exec(one)?.[0] ?? "");

/**
 * `wait`: the seconds that the client would wait for a response; null if missing or not in digits. The first of several
 * counts.
 */
export function parseWaitSeconds(headers: Headers): number | null {
  const header = headers.get("prefer");
  if (header === null) return null;
  const wait = preferences(header).find((preference) => /^\s*wait\s*(=|$)/i.test(preference));
  const [, plain, quoted] = /=\s*(?:(\d{1,9})|"(\d{1,9})")\s*$/.exec(wait ?? "") ?? [];
  const digits = plain ?? quoted;
  return digits === undefined ? null : Number(digits);
}

/** The seconds for which a response may be delayed; null for an immediate response. */
export function getLongPollSeconds(request: Request): number | null {
  // An older page is requested by a reader, and HEAD has no body to wait for.
  if (request.method !== "GET" || !request.headers.has("if-none-match")) return null;
  const plain = /^[^?]*(\?limit=\d*)?([?&]view=\w*)?$/.test(request.url);
  if (!plain && new URL(request.url).searchParams.has("before")) return null;
  const seconds = parseWaitSeconds(request.headers);
  return seconds === null || seconds === 0 ? null : Math.min(seconds, LIMITS.held_seconds);
}

export const isNotModifiedResponse = (response: Response): boolean => response.status === 304;

/** The response of a validator and the body's bytes; without these it is 304 for the client's copy. */
export const createPollResponse = ({ tag, json }: { tag: string; json: Uint8Array | null }): Response =>
  json ? createJsonResponse(200, json, { etag: tag }) : createEmptyResponse(304, { etag: tag });

export function addPreferenceApplied(response: Response, seconds: number): Response {
  response.headers.set("preference-applied", `wait=${seconds}`);
  return response;
}

/** A client whose poll ended early repeats it after this number of seconds. */
export function addRetryAfter(response: Response, seconds: number): Response {
  response.headers.set("retry-after", String(seconds));
  return response;
}
