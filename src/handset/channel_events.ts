// A change of a channel as the events of a stream (rules#stream). Each change of what handsets see raises the channel's revision by
// one, so as many changes as the revision has grown are all of them. Fewer or more are not reported, and the handset has to look.

import type { AssetAddresses } from "../model/domain/assets.ts";
import { showId } from "../model/domain/ids.ts";
import type { Render } from "./held/channel_tracker.ts";
import { Card } from "./inbox_page.ts";

/** The oldest alert comes first. */
export const createRender =
  (assets: AssetAddresses): Render =>
  ({ before, now, added, removed }, view) => {
    const isWhole = BigInt(added.length + removed.length) === now.rev - before.rev && added.every(({ small }) => small);
    if (!isWhole) return null;
    const events = added.map((alert) => `event: alert\ndata: ${new Card(alert).json(view, assets)}\n`);
    const ids = JSON.stringify(removed.map((id) => showId("alr", id)));
    return removed.length > 0 ? [`event: removed\ndata: ${ids}\n`, ...events] : events;
  };
