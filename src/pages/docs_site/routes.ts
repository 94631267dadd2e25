// The docs of this version under /docs: rules#docs-site. Its sources are loaded with the first request.

import { readFileSync } from "node:fs";
import type { H3, H3Event } from "h3";
import { getEventRequest, prefersHtml } from "../../api/transports/http_responses.ts";
import {
  addStaticRoute,
  compressHtmlPage,
  prepareStatic,
  type StaticContent,
} from "../../api/transports/static_content.ts";
import { notFound } from "../../model/api_error.ts";
import { lazy } from "../../store/db/lazy.ts";
import { DOCS_PATH, findDocPictures, findRedirect, resolveFromRepositoryRoot } from "./doc_pages_and_links.ts";
import type { SiteLayout } from "./site.ts";

/** They change with the version alone. */
const KEPT = { "cache-control": "public, max-age=300" };

interface DocsSiteDeps extends SiteLayout {
  headers: Record<string, string>;
  /** rules#page-views. @throws 429 */
  countView(event: H3Event): Promise<void>;
}

export function addDocsSite(app: H3, { countView, ...deps }: DocsSiteDeps): void {
  const headers = { ...deps.headers, ...KEPT };
  const site = lazy(async () => (await import("./site.ts")).createDocsSite(deps));
  const pictures = lazy(async () => findDocPictures());
  const made = new Map<string, StaticContent>();
  const once = (key: string, make: () => StaticContent): StaticContent => {
    const known = made.get(key) ?? make();
    made.set(key, known);
    return known;
  };

  async function page(slug: string): Promise<StaticContent> {
    const found = (await site()).page(slug);
    if (!found) throw notFound("page");
    return once(slug, () => prepareStatic(String(found), headers));
  }
  const restOf = (request: Request, base: string) =>
    decodeURIComponent(new URL(request.url).pathname.slice(base.length + 1));

  addStaticRoute(
    app,
    DOCS_PATH,
    async (request) => {
      const words = new URL(request.url).searchParams.get("q");
      return words === null ? page("") : prepareStatic(String((await site()).search(words)), headers);
    },
    countView,
  );
  app.use(`${DOCS_PATH}/**`, async (event, next) => {
    const request = getEventRequest(event);
    const rest = restOf(request, DOCS_PATH);
    const { slugs, missing } = await site();
    const now = findRedirect(rest, slugs);
    if (now !== null) return new Response(null, { status: 301, headers: { ...KEPT, location: `${DOCS_PATH}/${now}` } });
    if (request.method !== "GET" || !prefersHtml(request) || slugs.includes(rest) || rest.startsWith("pictures/"))
      return next();
    await countView(event);
    return compressHtmlPage(request, new Response(String(missing()), { status: 404, headers: deps.headers }));
  });
  addStaticRoute(app, `${DOCS_PATH}/**`, async (request) => page(restOf(request, DOCS_PATH)), countView);
  addStaticRoute(app, `${DOCS_PATH}/pictures/:file`, async (request) => {
    const name = restOf(request, `${DOCS_PATH}/pictures`);
    const picture = (await pictures()).get(name);
    if (!picture) throw notFound("picture");
    const { file, type } = picture;
    const own = {
      ...KEPT,
      "content-type": type,
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    };
    return once(`pictures/${name}`, () =>
      prepareStatic(new Uint8Array(readFileSync(resolveFromRepositoryRoot(file))), own),
    );
  });
  for (const [path, file] of [
    ["/static/docs_site.css", "DOCS_SITE_STYLES"],
    ["/static/docs_site.js", "DOCS_SITE_SCRIPT"],
  ] as const)
    addStaticRoute(
      app,
      path,
      lazy(async () => {
        const { text, type } = (await import("./site.ts"))[file];
        return prepareStatic(text, {
          "content-type": type,
          "cache-control": "public, max-age=31536000, immutable",
          "content-security-policy": "default-src 'none'",
        });
      }),
    );
}
