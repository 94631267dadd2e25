// Serves everything for people without a session. It is mounted last, so it never shadows the service's own routes, for
// any CHANNEL_BASE_URL. Also the front page: a description and links for people, and the addresses of the API for
// programs (rules#front-page). Crawlers may read the public pages and their assets, nothing else.

import type { H3 } from "h3";
import packageJson from "../../../package.json" with { type: "json" };
import { DOCS_PAGE_PATH, OPENAPI_PATH } from "../../api/transports/docs_routes.ts";
import { createJsonResponse, getEventRequest, prefersHtml } from "../../api/transports/http_responses.ts";
import { acceptsGzip } from "../../api/transports/static_content.ts";
import { alertCard } from "../../ui/alert_card.ts";
import { inertActions } from "../../ui/alert_preview.ts";
import { type Html, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import {
  ALERT_CARD_STYLES,
  CIRCLE_AND_QR_CODE_STYLES,
  COPY_SCRIPT,
  type StaticFile,
  staticFileResponse,
} from "../../ui/static_files.ts";
import { addDocsSite } from "../docs_site/routes.ts";
import {
  CHANNEL_PAGE_SCRIPT,
  createChannelPage,
  createFindChannel,
  createPublicInboxJsonPage,
} from "./channel_page.ts";
import {
  createDirectoryPage,
  createLocatedChannelsJsonPage,
  loadNearbyChannelsScript,
  NEARBY_SCRIPT_PATH,
} from "./directory.ts";
import { createFeedPages } from "./feed.ts";
import { addLanguageFiles } from "./language_file_routes.ts";
import { addPublicPageRoute, enforcePageViewLimit, type PublicPageRoute } from "./mount_page.ts";
import { PUBLIC_PAGE_STYLES, pageHeaders, pageResponse, renderLayout } from "./page_layout.ts";
import {
  derivePublicPageBaseUrls,
  type HttpRequestLogAndLimitKey,
  type PublicPageBaseUrls,
  type PublicPagesDeps,
} from "./public_pages_deps.ts";

function createHomePage(deps: PublicPagesDeps): PublicPageRoute {
  const places = derivePublicPageBaseUrls(deps);
  const { publicUrl } = places;
  const listed = {
    name: "Belfry",
    version: packageJson.version,
    mcp: `${publicUrl}/mcp`,
    api: `${publicUrl}/api/v1`,
    handset: `${publicUrl}/handset/v1`,
    openapi: publicUrl + OPENAPI_PATH,
    docs: publicUrl + DOCS_PAGE_PATH,
    channels: places.directoryUrl,
    console: `${publicUrl}/console`,
  };
  const page = renderLayout(
    {
      title: "Belfry: alerts that people choose to receive",
      head: html`<link rel="canonical" href="${publicUrl}/"><meta name="description"
        content="Alert channels that anyone can follow without an account, and that assistants can write to.">`,
      body: body(places, deps.now()),
      script: COPY_SCRIPT,
    },
    places,
  );
  const cached = { vary: "accept", "cache-control": "public, no-cache" };
  return {
    path: "/",
    answer({ request }) {
      if (prefersHtml(request)) return pageResponse(request, page, { places, headers: cached });
      const answer = createJsonResponse(200, listed, cached);
      return request.method === "HEAD" ? new Response(null, answer) : answer;
    },
  };
}

/** The alerts on the picture of a phone. */
const EXAMPLES = [
  {
    channel: { name: "Flood Desk", initials: "FD", gradient_from: "#b3261e", gradient_to: "#b4540a" },
    title: "Move cars from the quay by 18:00",
    text: "The river will rise 40 cm this evening. Parking at the market hall is free until morning.",
    priority: "urgent",
    asks: true,
  },
  {
    channel: { name: "Corner Bakery", initials: "CB", gradient_from: "#0b7a5c", gradient_to: "#15607a" },
    title: "Fresh rye bread at 16:30",
    text: null,
    priority: "normal",
    asks: false,
  },
] as const;

const phone = (now: Date): Html =>
  html`<section class="phone" aria-labelledby="examples"><h2 id="examples" class="unseen">Example alerts</h2><div
  class="screen">${EXAMPLES.map(({ asks, ...example }, at) =>
    alertCard({
      ...example,
      id: `example-${at + 1}`,
      state: "unread",
      sentAt: null,
      now,
      expiresAt: null,
      picture: null,
      radiusKm: null,
      actions: inertActions({ requires_ack: asks, actions: [] }),
    }),
  )}</div></section>`;

const body = ({ publicUrl, directory, origin }: PublicPageBaseUrls, now: Date): Html => html`<div class="front"><div>
<h1>Alerts that people choose to receive</h1>
<p class="lede">Belfry delivers alerts from senders such as a flood desk, a bakery or a build server to subscribers’
  devices. Subscribing is anonymous and needs no account.</p>
<p class="cta"><a class="button" href="${directory}">${icon("search", "s")}Find a channel</a> <a class="button plain"
  href="${origin}/console">Publish alerts</a></p>
</div>${phone(now)}</div>
<div class="three">
<section class="card"><h2 class="line">${icon("bell")}Subscribe</h2><p>Each channel’s page shows its topic and the
  permissions it requests. You decide what to allow, and can change it at any time.</p><p><a
    href="${directory}">All public channels</a></p></section>
<section class="card"><h2 class="line">${icon("speech")}Publish</h2><p>Create a channel, write an alert, and send it
  when you are ready. Writing and sending are separate permissions.</p><p><a
    href="${origin}/console">Sign in to the console</a></p></section>
<section class="card"><h2 class="line">${icon("code")}Build</h2><p>Every feature is available through REST, the
  command line and MCP, and the documented handset API lets you build your own clients.</p><p
    class="facts-line"><a class="line" href="${origin}${DOCS_PAGE_PATH}">API reference</a><a class="line"
    href="${origin}${OPENAPI_PATH}">OpenAPI</a></p></section>
</div>
<section class="card"><h2>Connect an assistant</h2><p>Works with any MCP client. Give your assistant
  this address. It opens your browser, where you choose its permissions. You can let it write alerts without letting
    it send them.</p><div
    class="copying"><pre class="copy" tabindex="0"
    data-copy="the address"><code>${publicUrl}/mcp</code></pre></div></section>`;

/** If channels are at the root, the service's own addresses are named instead. */
const OWN = ["/api/", "/app", "/assets/", "/console", "/handset/", "/mcp", "/metrics", "/oauth"];

function robotsText(deps: Pick<PublicPagesDeps, "publicUrl" | "channelBaseUrl">): string {
  const { base, directory } = derivePublicPageBaseUrls(deps);
  const lines =
    base === ""
      ? OWN.map((path) => `Disallow: ${path}`)
      : ["Allow: /$", `Allow: ${directory}$`, `Allow: ${base}/`, "Allow: /static/", "Disallow: /"];
  return ["User-agent: *", ...lines, ""].join("\n");
}

export function addPublicPages(app: H3, deps: PublicPagesDeps, support: HttpRequestLogAndLimitKey): void {
  const answer = (path: string, file: () => Promise<StaticFile>) =>
    app.get(path, async (event) => staticFileResponse(await file(), acceptsGzip(getEventRequest(event))));
  for (const file of [ALERT_CARD_STYLES, CIRCLE_AND_QR_CODE_STYLES, PUBLIC_PAGE_STYLES, CHANNEL_PAGE_SCRIPT])
    answer(file.path, async () => file);
  answer(NEARBY_SCRIPT_PATH, loadNearbyChannelsScript);
  addLanguageFiles(app);
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
  const places = derivePublicPageBaseUrls(deps);
  addDocsSite(app, {
    publicUrl: deps.publicUrl,
    framed: (page) => renderLayout({ ...page, at: "docs" }, places),
    headers: pageHeaders({ places, runs: true }),
    countView: (event) => enforcePageViewLimit(deps, support.getLimitKey(event)),
  });
  const findChannel = createFindChannel(deps);
  const pages = [createHomePage(deps), createDirectoryPage(deps), createLocatedChannelsJsonPage(deps)];
  const ofChannels = [
    createChannelPage(deps, findChannel),
    createPublicInboxJsonPage(deps, findChannel),
    ...createFeedPages(deps),
  ];
  for (const page of [...pages, ...ofChannels]) addPublicPageRoute(app, page, deps, support);
}
