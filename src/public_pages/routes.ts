// Everything that is served without a session, for people: mounted last, so that nothing of it stands in front of the
// service's own routes, whatever PUBLIC_BASE says.

import type { H3 } from "h3";
import { ALERT_CARD_STYLES, fileAnswer } from "../look/files.ts";
import { channelPage } from "./channel.ts";
import type { PageSupport, PublicPagesDeps } from "./deps.ts";
import { feeds } from "./feed.ts";
import { PAGE_STYLES } from "./frame.ts";
import { mount } from "./mount.ts";

export function addPublicPages(app: H3, deps: PublicPagesDeps, support: PageSupport): void {
  for (const file of [ALERT_CARD_STYLES, PAGE_STYLES]) app.get(file.path, () => fileAnswer(file));
  for (const page of [channelPage(deps), ...feeds(deps)]) mount(app, page, deps, support);
}
