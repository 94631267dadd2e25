// Mounts one public page: counts the views of an address, shows refusals as pages, and serves GET and HEAD alone.

import type { H3, H3Event } from "h3";
import { requestOf } from "../../api/transports/request.ts";
import { uiMessage } from "../../model/error_messages.ts";
import { ApiError, noSuchMethod } from "../../model/errors.ts";
import { faultOf } from "../../store/db/unavailable.ts";
import { rateLimitHeaders } from "../../store/rate_limits/limits.ts";
import { html } from "../../ui/html.ts";
import { type PageSupport, type PublicPagesDeps, placesOf } from "./deps.ts";
import { frame, pageAnswer } from "./frame.ts";

export interface PageVisit {
  request: Request;
  url: URL;
  /** From the path, decoded. */
  params: Readonly<Record<string, string>>;
  now: Date;
}

export interface PublicPage {
  /** In the router's spelling. */
  path: string;
  /** What views of it are counted as; as page views when it says nothing. */
  countedAs?: string;
  answer(visit: PageVisit): Promise<Response> | Response;
}

const SECONDS = 60;

export function mount(
  app: H3,
  { path, answer, countedAs }: PublicPage,
  deps: PublicPagesDeps,
  support: PageSupport,
): void {
  const serve = async (event: H3Event): Promise<Response> => {
    const request = requestOf(event);
    try {
      await countView(deps, support.countedOf(event), countedAs);
      const params = (event.context.params ?? {}) as Record<string, string>;
      return await answer({ request, url: new URL(request.url), params, now: deps.now() });
    } catch (error) {
      if (!(error instanceof ApiError)) support.logOf(event).error({ err: error }, "page failed");
      return refusedPage(request, faultOf(error), deps);
    }
  };
  app.get(path, serve);
  app.on("HEAD", path, serve);
  app.all(path, () => {
    throw noSuchMethod("GET, HEAD");
  });
}

/** rules#page-views. @throws 429 */
export async function countView(
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
    `Too many requests from your address: more than ${max} pages in one minute. Try again in ${taken.resetSeconds} seconds.`,
    { headers: rateLimitHeaders(policy, taken) },
  );
}

function refusedPage(request: Request, error: ApiError, deps: PublicPagesDeps): Response {
  const places = placesOf(deps);
  const page = frame(
    {
      title: "Request failed · Belfry",
      hidden: true,
      body: html`<div class="empty"><h1>Request failed</h1><p>${uiMessage(error)}</p></div>`,
    },
    places,
  );
  return pageAnswer(request, page, { places, status: error.status, headers: error.headers, secret: true });
}
