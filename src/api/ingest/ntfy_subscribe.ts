// ntfy's subscribing API (https://docs.ntfy.sh/subscribe/api/): the channels, the start time, the format and the
// filters, read from path, headers and query. Permissions and contents are decided elsewhere.

import type { H3, H3Event } from "h3";
import { ApiError, invalidRequest, methodNotAllowed } from "../../model/api_error.ts";
import { parseIdOrNull } from "../../model/domain/type_ids.ts";
import { HANDLE_PATTERN } from "../../model/fields/channel.ts";
import { LIMITS } from "../../model/limits.ts";
import { toApiError } from "../../store/db/database_unavailable_errors.ts";
import { createJsonResponse, getEventRequest, setResponseHeader } from "../transports/http_responses.ts";
import { formatNtfyError, NTFY_PRIORITY_NUMBERS } from "./ntfy.ts";
import { parseNtfyDelay } from "./ntfy_delay.ts";
import { createParamReader, isNtfyTrue, NTFY_PARAM_NAMES } from "./ntfy_params.ts";
import { extractToken, NTFY_ADDITIONAL_TOKEN_LOCATIONS } from "./read_ingest_request.ts";

const PREFLIGHT = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, PUT, POST, PATCH, DELETE",
  // The star does not include Authorization.
  "access-control-allow-headers": "*, authorization",
  "access-control-max-age": "86400",
};

/**
 * Allows scripts of any origin at ntfy's addresses, as ntfy does. The credential is a header or a parameter, and no
 * cookie is read there.
 */
export function allowAnyOrigin(app: H3, root: string): void {
  app.use(`${root}/**`, async (event, next) => {
    if (event.req.method === "OPTIONS") return new Response(null, { status: 204, headers: PREFLIGHT });
    const response = await next();
    if (response instanceof Response) setAnyOrigin(response);
    return response;
  });
}

/** Also lets the script read the notes and the time to wait. */
export function setAnyOrigin(response: Response): Response {
  setResponseHeader(response, "access-control-allow-origin", "*");
  setResponseHeader(response, "access-control-expose-headers", "*");
  return response;
}

const FORMATS = ["json", "sse", "raw", "ws"] as const;

export interface FilterableMessage {
  id: string;
  title?: string;
  message?: string;
  priority?: number;
  tags?: string[];
}

interface Listening {
  listen(event: H3Event, asked: NtfySubscribeRequest): Promise<Response>;
  failed(event: H3Event, error: unknown): void;
  now(): Date;
  /** Reports if the caller may see the channel as a publisher. */
  publishes(request: Request, topic: string): Promise<boolean>;
}

/** Parameters of subscribers only, in addition to those of publishers. */
const ASKED = {
  ...NTFY_PARAM_NAMES,
  poll: ["x-poll", "poll", "po"],
  since: ["x-since", "since", "si"],
  id: ["x-id", "id"],
} as const;

export function addNtfySubscribeRoutes(app: H3, root: string, routes: Listening): void {
  const answered = async (event: H3Event, answer: () => Promise<Response>) => {
    try {
      return await answer();
    } catch (error) {
      if (!(error instanceof ApiError)) routes.failed(event, error);
      const problem = toApiError(error);
      const { status, body } = formatNtfyError(problem);
      return createJsonResponse(status, body, problem.headers);
    }
  };
  for (const format of [...FORMATS, "auth"] as const) {
    const path = `${root}/:topic/${format}`;
    app.get(path, (event) =>
      answered(event, async () => {
        const request = getEventRequest(event);
        const topic = event.context.params?.topic ?? "";
        if (format === "auth" && (await routes.publishes(request, topic)))
          return createJsonResponse(200, { success: true });
        return routes.listen(event, askedIn(request, topic, format, routes.now()));
      }),
    );
    app.all(path, (event) => answered(event, () => Promise.reject(methodNotAllowed("GET"))));
  }
}

/** @throws ApiError (invalid_request) */
function askedIn(request: Request, topic: string, format: (typeof FORMATS)[number] | "auth", now: Date) {
  const handles = topic.split(",");
  if (handles.length > LIMITS.ntfy_topics)
    throw invalidRequest(
      "wrong_item_count",
      `One connection can listen to at most ${LIMITS.ntfy_topics} channels. Use several connections.`,
      "topic",
    );
  const one = createParamReader(request.headers, new URL(request.url).searchParams);
  const param = (name: keyof typeof ASKED) => one(ASKED[name]);
  const poll = isNtfyTrue(param("poll"));
  return {
    topic,
    // Text that is not a handle matches no channel.
    handles: handles.map((handle) => (HANDLE_PATTERN.test(handle) ? handle : "")),
    format,
    /** Null: nothing of before. */
    since: sinceOf(param("since") || (poll ? "all" : "none"), now),
    poll,
    token: extractToken(request, NTFY_ADDITIONAL_TOKEN_LOCATIONS),
    wants: filterOf(param),
  };
}

export type NtfySubscribeRequest = ReturnType<typeof askedIn>;

const DURATION = /^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h|d|w))+$/;

/** @throws ApiError (invalid_request) */
function sinceOf(said: string, now: Date): "all" | "latest" | { at: Date; after: string | null } | null {
  if (said === "none") return null;
  if (said === "all" || said === "latest") return said;
  const uuid = parseIdOrNull("alr", said);
  if (uuid) {
    // The first digits of our ids are their creation time, which is before any delivery. A client may send other ids,
    // with times beyond PostgreSQL's range.
    const made = Number.parseInt(uuid.replace("-", "").slice(0, 12), 16);
    return { at: new Date(Math.min(made, now.getTime())), after: uuid };
  }
  // The id of another server's message is unknown here: ntfy returns all stored messages for such an id.
  if (/^[A-Za-z0-9]{12}$/.test(said)) return "all";
  if (/^-?\d{1,19}$/.test(said)) {
    const at = Math.min(Math.max(0, Number(said) * 1000), now.getTime());
    return { at: new Date(at), after: null };
  }
  const ahead = DURATION.test(said) ? parseNtfyDelay(said, now) : null;
  if (ahead) return { at: new Date(Math.max(0, 2 * now.getTime() - ahead.at.getTime())), after: null };
  throw invalidRequest(
    "invalid_format",
    "since must be all, none, latest, the id of a message, Unix seconds, or a duration such as 10m.",
    "since",
  );
}

/** Any of the priorities, all of the tags, and the very texts. @throws ApiError (invalid_request) */
function filterOf(said: (name: keyof typeof ASKED) => string): (message: FilterableMessage) => boolean {
  const [id, message, title] = [said("id"), said("message"), said("title")];
  const tags = said("tags").split(",").filter(Boolean);
  const numbers = said("priority")
    .split(",")
    .filter(Boolean)
    .map((word) => NTFY_PRIORITY_NUMBERS[word.trim().toLowerCase()] ?? Number(word));
  if (numbers.some((number) => !(number >= 1 && number <= 5)))
    throw invalidRequest(
      "invalid_choice",
      "priority must be a comma-separated list of min, low, default, high and max, or their numbers.",
      "priority",
    );
  return (one) =>
    (id === "" || id === one.id) &&
    (message === "" || message === one.message) &&
    (title === "" || title === one.title) &&
    (numbers.length === 0 || numbers.includes(one.priority ?? 3)) &&
    tags.every((tag) => one.tags?.includes(tag));
}
