// The channels with a circle, for "near me": the same list for everybody, since the device itself works out what is near.

import { gzipSync } from "node:zlib";
import { holdsTag } from "../../api/transports/answers.ts";
import { takesGzip } from "../../api/transports/static.ts";
import { LIMITS } from "../../model/limits.ts";
import { run } from "../../store/db/statement.ts";
import { placedChannels } from "../../store/queries/public_pages.ts";
import { CATEGORY_WORDS } from "../../ui/channel_words.ts";
import { madeFile, type PageFile } from "../../ui/files.ts";
import { inkOn } from "../../ui/ink.ts";
import { asOneScript } from "../web_app/modules.ts";
import { type PublicPagesDeps, placesOf } from "./deps.ts";
import { tagOf } from "./frame.ts";
import type { PublicPage } from "./mount.ts";

export const NEAR_SCRIPT_PATH = "/static/near.js";
let script: PageFile | undefined;

/** What works it out, with the app's own measure of distance. Made when it is first asked for, since a start has other things to do. */
export function nearScript(): PageFile {
  script ??= madeFile(
    "near.js",
    "text/javascript; charset=utf-8",
    asOneScript(new URL("./near.js", import.meta.url)).text,
  );
  return script;
}

/** Below the directory. It has a dot, which no handle has. */
export const nearAddress = "/near.json";

export function nearList(deps: PublicPagesDeps): PublicPage {
  return {
    path: placesOf(deps).directory + nearAddress,
    async answer({ request }) {
      const found = await run(deps.db, placedChannels, { limit: LIMITS.near + 1 });
      const data = found.slice(0, LIMITS.near).map((channel) => ({
        ...channel,
        words: CATEGORY_WORDS[channel.category],
        ink: inkOn(channel),
      }));
      const text = JSON.stringify({ data, more: found.length > LIMITS.near });
      const zipped = takesGzip(request);
      const etag = tagOf(text);
      const headers: Record<string, string> = {
        "content-type": "application/json",
        "cache-control": "public, no-cache",
        "x-content-type-options": "nosniff",
        vary: "accept-encoding",
        etag,
      };
      if (holdsTag(request.headers.get("if-none-match"), etag))
        return new Response(null, { status: 304, headers });
      if (zipped) headers["content-encoding"] = "gzip";
      const body = request.method === "HEAD" ? null : zipped ? new Uint8Array(gzipSync(text)) : text;
      return new Response(body, { headers });
    },
  };
}
