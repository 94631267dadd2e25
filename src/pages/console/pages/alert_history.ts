// Beside the page of an alert that was sent: its reads and acks alone, for the script that follows them, and the copy by
// which it is corrected.

import { timelinePart } from "../alert_timeline.ts";
import { alertPath, channelBase } from "../channel_head.ts";
import { asksAlone, partAlone } from "../live.ts";
import { memberPage, type Page } from "../visit.ts";

const PATH = "/channels/:pusher/alerts/:alert";

export const ALERT_HISTORY_PAGES: readonly Page[] = [
  memberPage("GET", `${PATH}/timeline`, async (visit) => {
    const alert = await visit.call("get_alert", alertPath(visit));
    if (asksAlone(visit)) return partAlone(await timelinePart(visit, alert));
    return visit.goTo(`${channelBase(visit, alert.pusher_id)}/alerts/${alert.id}`);
  }),

  memberPage("POST", `${PATH}/duplicate`, async (visit) => {
    const draft = await visit.call("duplicate_alert", alertPath(visit), visit.form.get("once"));
    return visit.goTo(`${channelBase(visit, draft.pusher_id)}/alerts/${draft.id}`, "alert-duplicated");
  }),
];
