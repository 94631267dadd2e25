// The page of one channel: rules#channel-page. Finds what somebody who brings this code, or none, may see. And its public inbox:
// the same as JSON and without a credential, so that caches answer however many ask (rules#public-inbox).

import { holdsTag } from "../../api/transports/answers.ts";
import type { AssetAddresses } from "../../model/domain/assets.ts";
import { showId } from "../../model/domain/ids.ts";
import { linksOf } from "../../model/fields/alert_action.ts";
import { HANDLE } from "../../model/fields/pusher.ts";
import { LIMITS } from "../../model/limits.ts";
import { sharedReading } from "../../store/db/batch.ts";
import { run } from "../../store/db/statement.ts";
import { type NewAlert, type PublicChannel, publicChannel } from "../../store/queries/public_pages.ts";
import { pageFile } from "../../ui/files.ts";
import { channelBody, channelHead, cut } from "./channel_parts.ts";
import { type Places, type PublicPagesDeps, placesOf } from "./deps.ts";
import { frame, pageAnswer, refusals, SHARED, tagOf } from "./frame.ts";
import type { PageVisit, PublicPage } from "./mount.ts";

export function publicInbox(deps: PublicPagesDeps, findChannel: FindChannel): PublicPage {
  const places = placesOf(deps);
  const refused = refusals(places, "data");
  return {
    path: `${places.base}/:handle/inbox.json`,
    // Pages that stay open take nothing from those who open one at the same address.
    countedAs: "public-inboxes",
    async answer({ request, params: { handle = "" } }) {
      const channel = await findChannel(handle, null);
      if (!channel) return refused(request, "unknown");
      const text = inboxText(channel, places, deps.assets);
      const headers = {
        "content-type": "application/json",
        // It reads no credential, so any page may read it.
        "access-control-allow-origin": "*",
        "cache-control": SHARED,
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        etag: tagOf(text),
      };
      if (holdsTag(request.headers.get("if-none-match"), headers.etag))
        return new Response(null, { status: 304, headers });
      return new Response(request.method === "HEAD" ? null : text, { headers });
    },
  };
}

/** @param channel a public one, as its page shows it */
export function inboxText(channel: PublicChannel, { channelBaseUrl }: Places, assets: AssetAddresses): string {
  const { id: _, due: __, is_public: ___, created_at: ____, alerts, handle, status, ...card } = channel;
  return JSON.stringify({
    channel: { handle, url: `${channelBaseUrl}/${handle}`, status, ...card },
    data: alerts.map((alert) => told(alert, assets)),
  });
}

function told(
  { id, text, has_page, image_asset_id: picture, image_url, actions, collapse_key: _, ...shown }: NewAlert,
  assets: AssetAddresses,
) {
  return {
    id: showId("alr", id),
    ...shown,
    body: text && cut(text),
    /** The rest is shown to subscribers. */
    has_more: has_page || (text !== null && cut(text) !== text),
    image_url: picture ? assets.urlOf(picture) : image_url,
    actions: linksOf(actions),
  };
}

/** Shows the reader's own time, and what is new while the page is open. */
export const CHANNEL_SCRIPT = pageFile("public_channel.js", "text/javascript; charset=utf-8", import.meta.url, [
  "../../ui/clock.js",
  "follow.js",
]);

const NEWEST = LIMITS.channel_page;

/** Only what could be meant as a handle. */
const CAPITALS = new RegExp(`^(?=.*[A-Z])[A-Za-z0-9_-]{${LIMITS.handle_least},${LIMITS.handle}}$`);
const CODE = new RegExp(`^[\\w-]{1,${LIMITS.code}}$`);

/** A channel as its page shows it. */
export type SeenChannel = PublicChannel;

export type FindChannel = (handle: string, code: string | null) => Promise<SeenChannel | null>;

/**
 * What whoever brings this code, or null, may see of a channel, and of a public one the newest alerts: of those with one collapse_key the
 * newest alone. Null for what has another shape than a handle. Who asks without a code at one moment shares a reading.
 */
export function createFindChannel({ db, settle }: Pick<PublicPagesDeps, "db" | "settle">): FindChannel {
  async function find(handle: string, code: string | null): Promise<SeenChannel | null> {
    const read = async (due: boolean) => (await run(db, publicChannel, { handle, code, due, limit: NEWEST }))[0];
    const first = await read(false);
    if (!first) return null;
    // What came due is written down before anybody is shown it; where that fails it is shown all the same.
    const channel = first.due ? await read(!(await settle([first.id]))) : first;
    return channel ? { ...channel, alerts: newestOfEach(channel.alerts) } : null;
  }
  const shared = sharedReading((handle: string) => find(handle, null));
  return async (handle, code) => {
    if (!HANDLE.test(handle)) return null;
    return code !== null && CODE.test(code) ? find(handle, code) : shared(handle);
  };
}

function newestOfEach(alerts: readonly NewAlert[]): NewAlert[] {
  const keys = new Set<string>();
  return alerts.filter(({ collapse_key: key }) => {
    if (key === null) return true;
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  });
}

export function channelPage(deps: PublicPagesDeps, findChannel: FindChannel): PublicPage {
  const places = placesOf(deps);
  const refused = refusals(places);
  return {
    path: `${places.base}/:handle`,
    async answer(visit) {
      const handle = visit.params.handle ?? "";
      // The same for every text, so it says nothing of what is there.
      if (CAPITALS.test(handle)) return toSmallLetters(visit, places);
      const given = visit.url.searchParams.get("invite");
      const card = await findChannel(handle, given);
      if (!card) return refused(visit.request, given === null ? "unknown" : "invite");
      const shown = {
        card,
        // A public channel takes no code.
        invite: card.is_public ? null : given,
        alerts: card.alerts.map((alert) => ({
          ...alert,
          sentAt: new Date(alert.sent_at),
          expiresAt: alert.expires_at === null ? null : new Date(alert.expires_at),
        })),
        inbox: card.is_public ? tagOf(inboxText(card, places, deps.assets)) : null,
        places,
        silent: deps.silent,
        assets: deps.assets,
        now: visit.now,
      };
      const page = frame(
        {
          title: `${card.name} · Belfry`,
          head: card.is_public && channelHead(shown),
          hidden: !card.is_public,
          script: CHANNEL_SCRIPT,
          body: channelBody(shown),
        },
        places,
      );
      return pageAnswer(visit.request, page, { places, runs: true, secret: !card.is_public });
    },
  };
}

function toSmallLetters({ url }: PageVisit, { base }: Places): Response {
  const handle = url.pathname.slice(base.length + 1).toLowerCase();
  return new Response(null, {
    status: 308,
    headers: { location: `${base}/${handle}${url.search}`, "referrer-policy": "no-referrer" },
  });
}
