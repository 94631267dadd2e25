// The public inbox of a channel: what its page shows, as JSON and without a credential, the same for everybody, so that caches answer
// however many ask (docs/rules.md#public-inbox).

import { holdsTag } from "../../api/transports/answers.ts";
import type { AssetAddresses } from "../../model/domain/assets.ts";
import { showId } from "../../model/domain/ids.ts";
import { linksOf } from "../../model/fields/alert_action.ts";
import type { NewAlert, PublicChannel } from "../../store/queries/public_pages.ts";
import type { FindChannel } from "./channel.ts";
import { cut } from "./channel_parts.ts";
import { type Places, type PublicPagesDeps, placesOf } from "./deps.ts";
import { SHARED, tagOf } from "./frame.ts";
import type { PublicPage } from "./mount.ts";
import { refusals } from "./refusals.ts";

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
export function inboxText(channel: PublicChannel, { publicBase }: Places, assets: AssetAddresses): string {
  const { id: _, due: __, is_public: ___, created_at: ____, alerts, handle, status, ...card } = channel;
  return JSON.stringify({
    channel: { handle, url: `${publicBase}/${handle}`, status, ...card },
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
