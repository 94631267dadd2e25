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

interface FilterableMessage {
  id: string;
  title?: string;
  message?: string;
  priority?: number;
  tags?: string[];
}

interface SubscribeRouteDeps {
  subscribe(event: H3Event, subscription: NtfySubscribeRequest): Promise<Response>;
  logError(event: H3Event, error: unknown): void;
  now(): Date;
  /** Reports if the caller may see the channel as a publisher. */
  canPublish(request: Request, topic: string): Promise<boolean>;
}

/** Parameters of subscribers only, in addition to those of publishers. */
const SUBSCRIBE_PARAM_NAMES = {
  ...NTFY_PARAM_NAMES,
  poll: ["x-poll", "poll", "po"],
  since: ["x-since", "since", "si"],
  id: ["x-id", "id"],
} as const;

export function addNtfySubscribeRoutes(app: H3, root: string, routes: SubscribeRouteDeps): void {
  const withNtfyErrors = async (event: H3Event, answer: () => Promise<Response>) => {
    try {
      return await answer();
    } catch (error) {
      if (!(error instanceof ApiError)) routes.logError(event, error);
      const problem = toApiError(error);
      const { status, body } = formatNtfyError(problem);
      return createJsonResponse(status, body, problem.headers);
    }
  };
  for (const format of [...FORMATS, "auth"] as const) {
    const path = `${root}/:topic/${format}`;
    app.get(path, (event) =>
      withNtfyErrors(event, async () => {
        const request = getEventRequest(event);
        const topic = event.context.params?.topic ?? "";
        if (format === "auth" && (await routes.canPublish(request, topic)))
          return createJsonResponse(200, { success: true });
        return routes.subscribe(event, parseSubscription(request, topic, format, routes.now()));
      }),
    );
    app.all(path, (event) => withNtfyErrors(event, () => Promise.reject(methodNotAllowed("GET"))));
  }
}

/** @throws ApiError (invalid_request) */
function parseSubscription(request: Request, topic: string, format: (typeof FORMATS)[number] | "auth", now: Date) {
  const handles = topic.split(",");
  if (handles.length > LIMITS.ntfy_topics)
    throw invalidRequest(
      "wrong_item_count",
      `One connection can listen to at most ${LIMITS.ntfy_topics} channels. Use several connections.`,
      "topic",
    );
  const readParam = createParamReader(request.headers, new URL(request.url).searchParams);
  const param = (name: keyof typeof SUBSCRIBE_PARAM_NAMES) => readParam(SUBSCRIBE_PARAM_NAMES[name]);
  const poll = isNtfyTrue(param("poll"));
  return {
    topic,
    // Text that is not a handle matches no channel.
    handles: handles.map((handle) => (HANDLE_PATTERN.test(handle) ? handle : "")),
    format,
    /** Null: nothing of before. */
    since: parseSince(param("since") || (poll ? "all" : "none"), now),
    poll,
    token: extractToken(request, NTFY_ADDITIONAL_TOKEN_LOCATIONS),
    wants: createFilter(param),
  };
}

export type NtfySubscribeRequest = ReturnType<typeof parseSubscription>;

const DURATION = /^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h|d|w))+$/;

/** @throws ApiError (invalid_request) */
function parseSince(since: string, now: Date): "all" | "latest" | { at: Date; after: string | null } | null {
  if (since === "none") return null;
  if (since === "all" || since === "latest") return since;
  const uuid = parseIdOrNull("alr", since);
  if (uuid) {
    // The first digits of our ids are their creation time, which is before any delivery. A client may send other ids,
    // with times beyond PostgreSQL's range.
    const made = Number.parseInt(uuid.replace("-", "").slice(0, 12), 16);
    return { at: new Date(Math.min(made, now.getTime())), after: uuid };
  }
  // The id of another server's message is unknown here: ntfy returns all stored messages for such an id.
  if (/^[A-Za-z0-9]{12}$/.test(since)) return "all";
  if (/^-?\d{1,19}$/.test(since)) {
    const at = Math.min(Math.max(0, Number(since) * 1000), now.getTime());
    return { at: new Date(at), after: null };
  }
  const duration = DURATION.test(since) ? parseNtfyDelay(since, now) : null;
  if (duration) return { at: new Date(Math.max(0, 2 * now.getTime() - duration.at.getTime())), after: null };
  throw invalidRequest(
    "invalid_format",
    "since must be all, none, latest, the id of a message, Unix seconds, or a duration such as 10m.",
    "since",
  );
}

/** Any of the priorities, all of the tags, and the very texts. @throws ApiError (invalid_request) */
function createFilter(
  readParam: (name: keyof typeof SUBSCRIBE_PARAM_NAMES) => string,
): (message: FilterableMessage) => boolean {
  const [id, message, title] = [readParam("id"), readParam("message"), readParam("title")];
  const tags = readParam("tags").split(",").filter(Boolean);
  const numbers = readParam("priority")
    .split(",")
    .filter(Boolean)
    .map((word) => NTFY_PRIORITY_NUMBERS[word.trim().toLowerCase()] ?? Number(word));
  if (numbers.some((number) => !(number >= 1 && number <= 5)))
    throw invalidRequest(
      "invalid_choice",
      "priority must be a comma-separated list of min, low, default, high and max, or their numbers.",
      "priority",
    );
  return (candidate) =>
    (id === "" || id === candidate.id) &&
    (message === "" || message === candidate.message) &&
    (title === "" || title === candidate.title) &&
    (numbers.length === 0 || numbers.includes(candidate.priority ?? 3)) &&
    tags.every((tag) => candidate.tags?.includes(tag));
}
