// The channels with a circle, for "near me": the same list for everybody, since the device itself works out what is near.

import { gzipSync } from "node:zlib";
import { run } from "../db/statement.ts";
import { CATEGORY_WORDS } from "../look/channel_words.ts";
import { inkOn } from "../look/face.ts";
import { MOST_PLACED, placedChannels } from "../queries/public_pages.ts";
import { holdsTag } from "../transports/answers.ts";
import { type PublicPagesDeps, placesOf } from "./deps.ts";
import { tagOf } from "./frame.ts";
import type { PublicPage } from "./mount.ts";

/** Below the directory. It has a dot, which no handle has. */
export const nearAddress = "/near.json";

export function nearList(deps: PublicPagesDeps): PublicPage {
  return {
    path: placesOf(deps).directory + nearAddress,
    async answer({ request }) {
      const found = await run(deps.db, placedChannels, {});
      const data = found.slice(0, MOST_PLACED).map((channel) => ({
        ...channel,
        words: CATEGORY_WORDS[channel.category],
        ink: inkOn(channel),
      }));
      const text = JSON.stringify({ data, more: found.length > MOST_PLACED });
      const zipped = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
      const headers: Record<string, string> = {
        "content-type": "application/json",
        "cache-control": "public, no-cache",
        "x-content-type-options": "nosniff",
        vary: "accept-encoding",
        etag: tagOf(text),
      };
      if (holdsTag(request.headers.get("if-none-match"), headers.etag!))
        return new Response(null, { status: 304, headers });
      if (zipped) headers["content-encoding"] = "gzip";
      const body = request.method === "HEAD" ? null : zipped ? new Uint8Array(gzipSync(text)) : text;
      return new Response(body, { headers });
    },
  };
}
