// The files by which a public page changes to the reader's language: one script, and the texts of one language. Their
// addresses are the same for every reader, so browsers and shared caches keep them (rules#page-languages).

import type { H3 } from "h3";
import packageJson from "../../../package.json" with { type: "json" };
import { addStaticRoute, prepareStatic, type StaticContent } from "../../api/transports/static_content.ts";
import { notFound } from "../../model/api_error.ts";
import { lazy } from "../../store/db/lazy.ts";
import { LANGUAGES, type Language } from "../web_app/browser/texts/languages.ts";
import { loadBrowserScripts } from "../web_app/browser_scripts.ts";
import { loadPublicTexts } from "./page_texts.ts";

const SCRIPT_PATH = "/static/page_language.js";
const TEXTS_PATH = "/static/page_texts";
const VERSION = `?v=${packageJson.version}`;

/** The address of the script, and the one of the texts with `{language}` in it, as pages refer to them. */
export const LANGUAGE_SCRIPT_URL = `${SCRIPT_PATH}${VERSION}`;
export const LANGUAGE_TEXTS_URL_TEMPLATE = `${TEXTS_PATH}/{language}.json${VERSION}`;

const COMMON = {
  // An address names the version of the program, not the content: a corrected text is shown after an hour at most.
  "cache-control": "public, max-age=3600, stale-while-revalidate=86400",
  "content-security-policy": "default-src 'none'",
};

const loadScript = lazy(async (): Promise<StaticContent> => {
  const { "page_language.js": text } = await loadBrowserScripts();
  return prepareStatic(text, { ...COMMON, "content-type": "text/javascript; charset=utf-8" });
});

const loadTexts = Object.fromEntries(
  Object.keys(LANGUAGES).map((language) => [
    `${TEXTS_PATH}/${language}.json`,
    lazy(async () => {
      const texts = await loadPublicTexts(language as Language);
      return prepareStatic(JSON.stringify(texts), { ...COMMON, "content-type": "application/json" });
    }),
  ]),
);

export function addLanguageFiles(app: H3): void {
  addStaticRoute(app, SCRIPT_PATH, loadScript);
  addStaticRoute(app, `${TEXTS_PATH}/:file`, async (request) => {
    const load = loadTexts[new URL(request.url).pathname];
    if (!load) throw notFound("file");
    return load();
  });
}
