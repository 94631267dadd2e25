// Everything that is served without a session, for people: mounted last, so that nothing of it stands in front of the
// service's own routes, whatever PUBLIC_BASE says.

import type { H3 } from "h3";
import { requestOf } from "../../api/transports/request.ts";
import { takesGzip } from "../../api/transports/static.ts";
import { ALERT_CARD_STYLES, DRAWING_STYLES, fileAnswer, type PageFile } from "../../ui/files.ts";
import { addDocsSite } from "../docs_site/routes.ts";
import { CHANNEL_SCRIPT, channelPage, createFindChannel, publicInbox } from "./channel.ts";
import { type PageSupport, type PublicPagesDeps, placesOf } from "./deps.ts";
import { directoryOf, NEAR_SCRIPT_PATH, nearList, nearScript } from "./directory.ts";
import { feeds } from "./feed.ts";
import { frame, nowhere, PAGE_STYLES, pageHeaders } from "./frame.ts";
import { homePage, robotsText } from "./home.ts";
import { countView, mount } from "./mount.ts";

export { nowhere };

export function addPublicPages(app: H3, deps: PublicPagesDeps, support: PageSupport): void {
  const answer = (path: string, file: () => PageFile) =>
    app.get(path, (event) => fileAnswer(file(), takesGzip(requestOf(event))));
  for (const file of [ALERT_CARD_STYLES, DRAWING_STYLES, PAGE_STYLES, CHANNEL_SCRIPT])
    answer(file.path, () => file);
  answer(NEAR_SCRIPT_PATH, nearScript);
  const robots = robotsText(deps);
  app.get(
    "/robots.txt",
    () =>
      new Response(robots, {
        headers: {
          "content-type": "text/plain; charset=utf-8",
          "cache-control": "public, no-cache",
          "x-content-type-options": "nosniff",
          "content-security-policy": "default-src 'none'",
        },
      }),
  );
  const places = placesOf(deps);
  addDocsSite(app, {
    publicUrl: deps.publicUrl,
    framed: (page) => frame({ ...page, at: "docs" }, places),
    headers: pageHeaders({ places }),
    countView: (event) => countView(deps, support.countedOf(event)),
  });
  const findChannel = createFindChannel(deps);
  const pages = [homePage(deps), directoryOf(deps), nearList(deps)];
  const ofChannels = [channelPage(deps, findChannel), publicInbox(deps, findChannel), ...feeds(deps)];
  for (const page of [...pages, ...ofChannels]) mount(app, page, deps, support);
}
