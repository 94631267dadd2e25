// Mounts one public page: counts the views of an address, shows refusals as pages, and serves GET and HEAD alone.

import type { H3, H3Event } from "h3";
import { getEventRequest } from "../../api/transports/http_responses.ts";
import { formatErrorForUi } from "../../model/api_and_ui_error_texts.ts";
import { ApiError, methodNotAllowed } from "../../model/api_error.ts";
import { toApiError } from "../../store/db/database_unavailable_errors.ts";
import { createRateLimitHeaders } from "../../store/rate_limits/rate_limits.ts";
import { html } from "../../ui/html.ts";
import { pageResponse, renderLayout } from "./page_layout.ts";
import { getEnglishText, renderTextByKey } from "./page_texts.ts";
import { derivePublicPageBaseUrls, type HttpRequestLogAndLimitKey, type PublicPagesDeps } from "./public_pages_deps.ts";

export interface PublicPageContext {
  request: Request;
  url: URL;
  /** From the path, decoded. */
  params: Readonly<Record<string, string>>;
  now: Date;
}

export interface PublicPageRoute {
  /** In the router's spelling. */
  path: string;
  /** The counter of its views; page views by default. */
  countedAs?: string;
  answer(context: PublicPageContext): Promise<Response> | Response;
}

const SECONDS = 60;

export function addPublicPageRoute(
  app: H3,
  { path, answer, countedAs }: PublicPageRoute,
  deps: PublicPagesDeps,
  support: HttpRequestLogAndLimitKey,
): void {
  const serve = async (event: H3Event): Promise<Response> => {
    const request = getEventRequest(event);
    try {
      await enforcePageViewLimit(deps, support.getLimitKey(event), countedAs);
      const params = (event.context.params ?? {}) as Record<string, string>;
      return await answer({ request, url: new URL(request.url), params, now: deps.now() });
    } catch (error) {
      if (!(error instanceof ApiError)) support.getRequestLog(event).error({ err: error }, "page failed");
      return refusedPage(request, toApiError(error), deps);
    }
  };
  app.get(path, serve);
  app.on("HEAD", path, serve);
  app.all(path, () => {
    throw methodNotAllowed("GET, HEAD");
  });
}

/** rules#page-views. @throws 429 */
export async function enforcePageViewLimit(
  { limits, pageViewsPerMinute: max }: PublicPagesDeps,
  address: string | null,
  name = "page-views",
): Promise<void> {
  if (address === null) return;
  const policy = { name, max, seconds: SECONDS };
  const taken = await limits.take(policy, address);
  if (taken.allowed) return;
  throw new ApiError(
    "rate_limited",
    `Too many requests from your IP address: more than ${max} pages in one minute. Try again in ` +
      `${taken.resetSeconds} seconds.`,
    { headers: createRateLimitHeaders(policy, taken) },
  );
}

function refusedPage(request: Request, error: ApiError, deps: PublicPagesDeps): Response {
  const places = derivePublicPageBaseUrls(deps);
  const page = renderLayout(
    {
      title: `${getEnglishText("failed.title")} · Belfry`,
      hidden: true,
      translated: "failed.title",
      body: html`<div class="empty"><h1>${renderTextByKey("failed.title")}</h1><p lang="en"
        dir="ltr">${formatErrorForUi(error)}</p></div>`,
    },
    places,
  );
  return pageResponse(request, page, {
    places,
    runs: true,
    status: error.status,
    headers: error.headers,
    secret: true,
  });
}
