// What crawlers may read: the public pages and what they are drawn with, nothing else.

import { type PublicPagesDeps, placesOf } from "./deps.ts";

/** Where channels lie at the root, the service's own addresses are named instead. */
const OWN = ["/api/", "/app", "/assets/", "/console", "/handset/", "/mcp", "/metrics", "/oauth"];

export function robotsText(deps: Pick<PublicPagesDeps, "publicUrl" | "publicBase">): string {
  const { base, directory } = placesOf(deps);
  const lines =
    base === ""
      ? OWN.map((path) => `Disallow: ${path}`)
      : ["Allow: /$", `Allow: ${directory}$`, `Allow: ${base}/`, "Allow: /static/", "Disallow: /"];
  return ["User-agent: *", ...lines, ""].join("\n");
}
