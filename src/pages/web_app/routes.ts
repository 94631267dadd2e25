// Mounts the web app: its page, its script, its worker, its manifest. They are built on the first request, since most
// services run for programs alone.

import type { H3 } from "h3";
import { addStaticRoute } from "../../api/transports/static_content.ts";
import { notFound } from "../../model/api_error.ts";
import { lazy } from "../../store/db/lazy.ts";

/** Addresses of the app besides its scripts and pictures. */
const PATHS = ["/app", "/app/", "/sw.js", "/manifest.webmanifest"];

export function addWebApp(app: H3): void {
  const files = lazy(async () => (await import("./app_files.ts")).buildAppFiles());
  for (const path of [...PATHS, "/static/app/**"])
    addStaticRoute(app, path, async (request) => {
      const found = (await files()).get(new URL(request.url).pathname);
      if (!found) throw notFound("file");
      return found;
    });
}
