// The docs of this version under /docs: rules#docs-site. What they are made of is loaded when the first is asked for.

import { readFileSync } from "node:fs";
import type { H3, H3Event } from "h3";
import { requestOf } from "../../api/transports/request.ts";
import { addStatic, prepare, type Static } from "../../api/transports/static.ts";
import { notFound } from "../../model/errors.ts";
import { lazy } from "../../store/db/lazy.ts";
import { DOCS_PATH, findPictures, movedTo, placeOf } from "./files.ts";
import type { Around } from "./site.ts";

/** They change with the version alone. */
const KEPT = { "cache-control": "public, max-age=300" };

export interface DocsSiteDeps extends Around {
  headers: Record<string, string>;
  /** rules#page-views. @throws 429 */
  countView(event: H3Event): Promise<void>;
}

export function addDocsSite(app: H3, { countView, ...deps }: DocsSiteDeps): void {
  const headers = { ...deps.headers, ...KEPT };
  const site = lazy(async () => (await import("./site.ts")).docsSite(deps));
  const pictures = lazy(async () => findPictures());
  const made = new Map<string, Static>();
  const once = (key: string, make: () => Static): Static => {
    const known = made.get(key) ?? make();
    made.set(key, known);
    return known;
  };

  async function page(slug: string): Promise<Static> {
    const found = (await site()).page(slug);
    if (!found) throw notFound("page");
    return once(slug, () => prepare(String(found), headers));
  }
  const restOf = (request: Request, base: string) =>
    decodeURIComponent(new URL(request.url).pathname.slice(base.length + 1));

  addStatic(
    app,
    DOCS_PATH,
    async (request) => {
      const words = new URL(request.url).searchParams.get("q");
      return words === null ? page("") : prepare(String((await site()).search(words)), headers);
    },
    countView,
  );
  app.use(`${DOCS_PATH}/**`, async (event, next) => {
    const now = movedTo(restOf(requestOf(event), DOCS_PATH), (await site()).slugs);
    return now === null
      ? next()
      : new Response(null, { status: 301, headers: { ...KEPT, location: `${DOCS_PATH}/${now}` } });
  });
  addStatic(app, `${DOCS_PATH}/**`, async (request) => page(restOf(request, DOCS_PATH)), countView);
  addStatic(app, `${DOCS_PATH}/pictures/:file`, async (request) => {
    const name = restOf(request, `${DOCS_PATH}/pictures`);
    const picture = (await pictures()).get(name);
    if (!picture) throw notFound("picture");
    const { file, type } = picture;
    const own = {
      ...KEPT,
      "content-type": type,
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    };
    return once(`pictures/${name}`, () => prepare(new Uint8Array(readFileSync(placeOf(file))), own));
  });
  for (const [path, name] of [
    ["/static/docs_site.css", "DOCS_SITE_STYLES"],
    ["/static/docs_site.js", "DOCS_SITE_SCRIPT"],
  ] as const)
    addStatic(
      app,
      path,
      lazy(async () => {
        const { text, type } = (await import("./site.ts"))[name];
        return prepare(text, {
          "content-type": type,
          "cache-control": "public, max-age=31536000, immutable",
          "content-security-policy": "default-src 'none'",
        });
      }),
    );
}
