// HTTP responses: JSON, the one envelope for errors, and the headers of every response.
// It also has the web request of a router's event, whose type differs by additions (`ip`, `runtime`, a wider `url`).

import { FastResponse, type ServerRequest } from "srvx";
import { toApiError } from "../../store/db/database_unavailable_errors.ts";

/** Responses are for this caller and this moment, and browsers must not guess their type. */
const COMMON = { "cache-control": "private, no-cache", "x-content-type-options": "nosniff" };

type Body = ConstructorParameters<typeof FastResponse>[0];

/** `body`: what is to be JSON, or the bytes of it. */
export function createJsonResponse(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  const bytes = body instanceof Uint8Array ? (body as Body) : JSON.stringify(body);
  return new Answer(bytes, status, { "content-type": "application/json", ...COMMON, ...headers });
}

export function createEmptyResponse(status: 204 | 304, headers: Record<string, string> = {}): Response {
  return new Answer(null, status, { ...COMMON, ...headers });
}

/**
 * Its headers stay a plain object until they are read, because a web Headers object takes longer than the rest of a
 * short response.
 */
class Answer extends FastResponse {
  readonly #plain: Record<string, string>;
  #read = false;

  constructor(body: Body, status: number, headers: Record<string, string>) {
    super(body, { status, headers });
    this.#plain = headers;
  }
  static {
    // These getters create the web's own objects from the current headers.
    for (const name of ["headers", "_response"])
      Object.defineProperty(Answer.prototype, name, {
        get(this: Answer) {
          this.#read = true;
          return Reflect.get(FastResponse.prototype, name, this);
        },
      });
  }
  set(name: string, value: string): void {
    if (this.#read) this.headers.set(name, value);
    else this.#plain[name] = value;
  }
}

/** `name` in small letters. */
export function setResponseHeader(response: Response, name: string, value: string): void {
  if (response instanceof Answer) response.set(name, value);
  else response.headers.set(name, value);
}

/** Checks for a page for people. */
export const isPageResponse = (response: Response): boolean =>
  !(response instanceof Answer) && response.headers.get("content-type")?.startsWith("text/html") === true;

/** The one envelope (rules#error-envelope). `status` departs from the type's own only for 405. */
export function createErrorResponse(error: unknown, status?: number): Response {
  const known = toApiError(error);
  return createJsonResponse(status ?? known.status, known.toEnvelope(), known.headers);
}

/** Checks that If-None-Match contains this tag. It compares weakly, because a proxy may have weakened the tag. */
export function matchesEtag(presented: string | null, etag: string): boolean {
  if (presented === null) return false;
  const bare = (tag: string) => tag.trim().replace(/^W\//, "");
  return presented.split(",").some((tag) => ["*", bare(etag)].includes(bare(tag)));
}

/** Checks that a client prefers a page to JSON: only if it requests pages and nothing else, like a browser. */
export function prefersHtml({ headers }: Pick<Request, "headers">): boolean {
  const weights = new Map<string, number>();
  for (const item of (headers.get("accept") ?? "").toLowerCase().split(",")) {
    const [type = "", ...parameters] = item.split(";").map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    weights.set(type, Number.isFinite(weight) ? weight : 0);
  }
  const page = Math.max(weights.get("text/html") ?? 0, weights.get("application/xhtml+xml") ?? 0);
  return page > 0 && page >= (weights.get("application/json") ?? 0);
}

export const getEventRequest = ({ req }: { req: ServerRequest }): Request => req as unknown as Request;
