// The page of one channel: rules#channel-page. Finds what a visitor with this code, or without one, may see. Also its
// public inbox: the same as JSON and without a credential, so caches can serve any number of readers
// (rules#public-inbox).

import { matchesEtag } from "../../api/transports/http_responses.ts";
import type { AssetUrlResolver } from "../../model/domain/asset_rules.ts";
import { formatId } from "../../model/domain/type_ids.ts";
import { HANDLE_PATTERN } from "../../model/fields/channel.ts";
import { getOpenUrlActions } from "../../model/fields/split_alert_actions.ts";
import { LIMITS } from "../../model/limits.ts";
import { shareNextRead } from "../../store/db/batch_concurrent_calls.ts";
import { runStatement } from "../../store/db/statement.ts";
import { findPublicChannel, type PublicAlertRow, type PublicChannel } from "../../store/queries/public_pages.ts";
import { loadStaticFile } from "../../ui/static_files.ts";
import { channelMetaTags, createPublicExcerpt, renderChannelPageBody } from "./channel_page_body.ts";
import type { PublicPageContext, PublicPageRoute } from "./mount_page.ts";
import {
  createChannelRefusalResponder,
  createPageEtag,
  pageResponse,
  renderLayout,
  SHARED_CACHE_CONTROL,
} from "./page_layout.ts";
import { derivePublicPageBaseUrls, type PublicPageBaseUrls, type PublicPagesDeps } from "./public_pages_deps.ts";

export function createPublicInboxJsonPage(deps: PublicPagesDeps, findChannel: FindChannel): PublicPageRoute {
  const places = derivePublicPageBaseUrls(deps);
  const refused = createChannelRefusalResponder(places, "data");
  return {
    path: `${places.base}/:handle/inbox.json`,
    // Pages that stay open take nothing from those who open one at the same address.
    countedAs: "public-inboxes",
    async answer({ request, params: { handle = "" } }) {
      const channel = await findChannel(handle, null);
      if (!channel) return refused(request, "unknown");
      const text = formatPublicInbox(channel, places, deps.assets);
      const headers = {
        "content-type": "application/json",
        // It reads no credential, so any page may read it.
        "access-control-allow-origin": "*",
        "cache-control": SHARED_CACHE_CONTROL,
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        etag: createPageEtag(text),
      };
      if (matchesEtag(request.headers.get("if-none-match"), headers.etag))
        return new Response(null, { status: 304, headers });
      return new Response(request.method === "HEAD" ? null : text, { headers });
    },
  };
}

/** @param channel a public one, as its page shows it */
function formatPublicInbox(
  channel: PublicChannel,
  { channelBaseUrl }: PublicPageBaseUrls,
  assets: AssetUrlResolver,
): string {
  const { id: _, due: __, is_public: ___, created_at: ____, alerts, handle, status, ...card } = channel;
  return JSON.stringify({
    channel: { handle, url: `${channelBaseUrl}/${handle}`, status, ...card },
    data: alerts.map((alert) => toPublicAlert(alert, assets)),
  });
}

function toPublicAlert(
  { id, text, has_page, image_asset_id: picture, image_url, actions, collapse_key: _, ...shown }: PublicAlertRow,
  assets: AssetUrlResolver,
) {
  return {
    id: formatId("alr", id),
    ...shown,
    body: text && createPublicExcerpt(text),
    /** The rest is shown to subscribers. */
    has_more: has_page || (text !== null && createPublicExcerpt(text) !== text),
    image_url: picture ? assets.urlOf(picture) : image_url,
    actions: getOpenUrlActions(actions),
  };
}

/** Shows the reader's own time, copies the link, and shows what is new while the page is open. */
export const CHANNEL_PAGE_SCRIPT = loadStaticFile(
  "public_channel.js",
  "text/javascript; charset=utf-8",
  import.meta.url,
  ["../../ui/local_times.js", "copy_link.js", "channel_refresh.js"],
);

const NEWEST = LIMITS.channel_page;

/** Only what could be meant as a handle. */
const CAPITALS = new RegExp(`^(?=.*[A-Z])[A-Za-z0-9_-]{${LIMITS.handle_least},${LIMITS.handle}}$`);
const CODE = new RegExp(`^[\\w-]{1,${LIMITS.code}}$`);

/** A channel as its page shows it. */
type VisibleChannel = PublicChannel;

type FindChannel = (handle: string, code: string | null) => Promise<VisibleChannel | null>;

/**
 * The view of a channel for a visitor with this code, or null. A public channel has its newest alerts; of those with
 * one collapse_key only the newest. Null for text that is not a handle. Concurrent requests without a code share one
 * read.
 */
export function createFindChannel({ db, publishDue }: Pick<PublicPagesDeps, "db" | "publishDue">): FindChannel {
  async function find(handle: string, code: string | null): Promise<VisibleChannel | null> {
    const read = async (due: boolean) =>
      (await runStatement(db, findPublicChannel, { handle, code, due, limit: NEWEST }))[0];
    const first = await read(false);
    if (!first) return null;
    // Due alerts are stored as sent before they are shown. If that fails, they are still shown.
    const channel = first.due ? await read(!(await publishDue([first.id]))) : first;
    return channel ? { ...channel, alerts: newestOfEach(channel.alerts) } : null;
  }
  const shared = shareNextRead((handle: string) => find(handle, null));
  return async (handle, code) => {
    if (!HANDLE_PATTERN.test(handle)) return null;
    return code !== null && CODE.test(code) ? find(handle, code) : shared(handle);
  };
}

function newestOfEach(alerts: readonly PublicAlertRow[]): PublicAlertRow[] {
  const keys = new Set<string>();
  return alerts.filter(({ collapse_key: key }) => {
    if (key === null) return true;
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  });
}

export function createChannelPage(deps: PublicPagesDeps, findChannel: FindChannel): PublicPageRoute {
  const places = derivePublicPageBaseUrls(deps);
  const refused = createChannelRefusalResponder(places);
  return {
    path: `${places.base}/:handle`,
    async answer(context) {
      const handle = context.params.handle ?? "";
      // It is the same for every text, so it reveals nothing of existing ones.
      if (CAPITALS.test(handle)) return toSmallLetters(context, places);
      const given = context.url.searchParams.get("invite");
      const card = await findChannel(handle, given);
      if (!card) return refused(context.request, given === null ? "unknown" : "invite");
      const shown = {
        card,
        // A public channel takes no code.
        invite: card.is_public ? null : given,
        alerts: card.alerts.map((alert) => ({
          ...alert,
          sentAt: new Date(alert.sent_at),
          expiresAt: alert.expires_at === null ? null : new Date(alert.expires_at),
        })),
        inbox: card.is_public ? createPageEtag(formatPublicInbox(card, places, deps.assets)) : null,
        places,
        silent: deps.silent,
        assets: deps.assets,
        now: context.now,
      };
      const page = renderLayout(
        {
          title: `${card.name} · Belfry`,
          head: card.is_public && channelMetaTags(shown),
          hidden: !card.is_public,
          script: CHANNEL_PAGE_SCRIPT,
          translated: true,
          body: renderChannelPageBody(shown),
        },
        places,
      );
      return pageResponse(context.request, page, { places, runs: true, secret: !card.is_public });
    },
  };
}

function toSmallLetters({ url }: PublicPageContext, { base }: PublicPageBaseUrls): Response {
  const handle = url.pathname.slice(base.length + 1).toLowerCase();
  return new Response(null, {
    status: 308,
    headers: { location: `${base}/${handle}${url.search}`, "referrer-policy": "no-referrer" },
  });
}
