// A poll that may be held, as HTTP says it: `Prefer: wait=N` asks for it, `Preference-Applied` says that it was granted.
// docs/rules.md#held-inbox. Knows nothing of what is polled.

import { LIMITS } from "../../model/limits.ts";
import { emptyAnswer, jsonAnswer } from "./answers.ts";
import { waitSeconds } from "./prefer.ts";

/** The seconds for which a request may be held; null for one that is answered as it is. */
export function heldFor(request: Request): number | null {
  // A page further back is asked for by somebody who reads, and HEAD has no body to wait for.
  if (request.method !== "GET" || !request.headers.has("if-none-match")) return null;
  const plain = /^[^?]*(\?limit=\d*)?([?&]view=\w*)?$/.test(request.url);
  if (!plain && new URL(request.url).searchParams.has("before")) return null;
  const seconds = waitSeconds(request.headers);
  return seconds === null || seconds === 0 ? null : Math.min(seconds, LIMITS.held_seconds);
}

export const isUnchanged = (response: Response): boolean => response.status === 304;

/** The answer of a validator and the body's bytes; without these it is one that the client holds. */
export const showFound = ({ tag, json }: { tag: string; json: Uint8Array | null }): Response =>
  json ? jsonAnswer(200, json, { etag: tag }) : emptyAnswer(304, { etag: tag });

export function applied(response: Response, seconds: number): Response {
  response.headers.set("preference-applied", `wait=${seconds}`);
  return response;
}

/** Whoever was not held to the end comes again so many seconds later. */
export function putOff(response: Response, seconds: number): Response {
  response.headers.set("retry-after", String(seconds));
  return response;
}
