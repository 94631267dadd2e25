// The events of a stream for a changed channel (rules#stream). Each visible change raises the channel's revision by
// one. So the events are complete if they are as many as the revision has grown by. Otherwise, the handset has to poll.

import type { AssetUrlResolver } from "../model/domain/asset_rules.ts";
import { formatId } from "../model/domain/type_ids.ts";
import { SerializedInboxAlert } from "./inbox_page.ts";
import type { RenderEvents } from "./live_updates/channel_snapshot_tracker.ts";

/** The oldest alert comes first. */
export const createEventRenderer =
  (assets: AssetUrlResolver): RenderEvents =>
  ({ previous, current, added, removed }, view) => {
    const isWhole =
      BigInt(added.length + removed.length) === current.rev - previous.rev && added.every(({ small }) => small);
    if (!isWhole) return null;
    const events = added.map((alert) => `event: alert\ndata: ${new SerializedInboxAlert(alert).json(view, assets)}\n`);
    const ids = JSON.stringify(removed.map((id) => formatId("alr", id)));
    return removed.length > 0 ? [`event: removed\ndata: ${ids}\n`, ...events] : events;
  };
