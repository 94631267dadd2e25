// A change of a channel as the events of a stream (rules#stream). Each change of what handsets see raises the
// channel's revision by one, so as many changes as the revision has grown are all of them. Fewer or more are not
// reported, and the handset has to look.

import type { AssetAddresses } from "../model/domain/asset_rules.ts";
import { formatId } from "../model/domain/type_ids.ts";
import { InboxCard } from "./inbox_page.ts";
import type { RenderEvents } from "./live_updates/channel_tracker.ts";

/** The oldest alert comes first. */
export const createEventRenderer =
  (assets: AssetAddresses): RenderEvents =>
  ({ previous, current, added, removed }, view) => {
    const isWhole =
      BigInt(added.length + removed.length) === current.rev - previous.rev && added.every(({ small }) => small);
    if (!isWhole) return null;
    const events = added.map((alert) => `event: alert\ndata: ${new InboxCard(alert).json(view, assets)}\n`);
    const ids = JSON.stringify(removed.map((id) => formatId("alr", id)));
    return removed.length > 0 ? [`event: removed\ndata: ${ids}\n`, ...events] : events;
  };
