// The page of one channel: docs/rules.md#channel-page. Finds what somebody who brings this code, or none, may see.

import { toIsoMicros } from "../../model/fields/columns.ts";
import { HANDLE } from "../../model/fields/pusher.ts";
import { LIMITS } from "../../model/limits.ts";
import { run } from "../../store/db/statement.ts";
import {
  type NewAlert,
  newestAlerts,
  type PublicCard,
  publicCard,
} from "../../store/queries/public_pages.ts";
import { CLOCK_SCRIPT } from "../../ui/clock.ts";
import { channelBody, channelHead } from "./channel_parts.ts";
import { type Places, type PublicPagesDeps, placesOf } from "./deps.ts";
import { frame, pageAnswer } from "./frame.ts";
import type { PageVisit, PublicPage } from "./mount.ts";
import { refusals } from "./refusals.ts";

/** Alerts on a page. */
const NEWEST = LIMITS.channel_page;

/** Only what could be meant as a handle. */
const CAPITALS = new RegExp(`^(?=.*[A-Z])[A-Za-z0-9_-]{${LIMITS.handle_least},${LIMITS.handle}}$`);
const CODE = new RegExp(`^[\\w-]{1,${LIMITS.code}}$`);

/** The channel, where whoever brings this code, or null, may see it. What has another shape than a handle is nobody's. */
export async function findChannel(
  { db }: Pick<PublicPagesDeps, "db">,
  handle: string,
  code: string | null,
): Promise<PublicCard | null> {
  if (!HANDLE.test(handle)) return null;
  const [card] = await run(db, publicCard, { handle, code: code !== null && CODE.test(code) ? code : null });
  return card ?? null;
}

/** The newest alerts of a public channel; of those with one collapse_key the newest alone. A private one shows none. */
export async function alertsOf(
  { db, settle }: Pick<PublicPagesDeps, "db" | "settle">,
  { id, due, is_public }: PublicCard,
  limit = NEWEST,
): Promise<NewAlert[]> {
  if (!is_public) return [];
  const settled = !due || (await settle([id]));
  const found = await run(db, newestAlerts, { pusher_id: id, due: !settled, limit });
  const keys = new Set<string>();
  return found.filter(({ collapse_key: key }) => {
    if (key === null) return true;
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  });
}

export function channelPage(deps: PublicPagesDeps): PublicPage {
  const places = placesOf(deps);
  const refused = refusals(places);
  return {
    path: `${places.base}/:handle`,
    async answer(visit) {
      const handle = visit.params.handle ?? "";
      // The same for every text, so it says nothing of what is there.
      if (CAPITALS.test(handle)) return toSmallLetters(visit, places);
      const given = visit.url.searchParams.get("invite");
      const card = await findChannel(deps, handle, given);
      if (!card) return refused(visit.request, given === null ? "unknown" : "invite");
      const shown = {
        card,
        // A public channel takes no code.
        invite: card.is_public ? null : given,
        alerts: (await alertsOf(deps, card)).map((alert) => ({
          ...alert,
          sentAt: new Date(toIsoMicros(alert.sent_at)),
          expiresAt: alert.expires_at === null ? null : new Date(toIsoMicros(alert.expires_at)),
        })),
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
          script: CLOCK_SCRIPT,
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
