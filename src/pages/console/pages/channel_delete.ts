// Deleting a channel: the rule, what goes with it, and one more question. A channel with subscribers is paused instead.

import type { ApiError } from "../../../model/errors.ts";
import { html } from "../../../ui/html.ts";
import { channelBase, channelOf } from "../channel_head.ts";
import { oneOf, orAgain } from "../forms.ts";
import { type MemberVisit, mayUse, memberPage, type Page } from "../visit.ts";
import { askOnce } from "./confirm.ts";

const PATH = "/channels/:pusher/delete";

async function ask(visit: MemberVisit, error?: ApiError): Promise<Response> {
  const channel = await channelOf(visit);
  const base = channelBase(visit, channel.id);
  const subscribers =
    channel.subscribers === 1 ? "one subscriber" : `${channel.subscribers.toLocaleString("en")} subscribers`;
  const may = mayUse(visit, "delete_pusher");
  const refused = !may
    ? "Only an admin or an owner of the workspace deletes channels."
    : channel.subscribers > 0 &&
      `It has ${subscribers}, and a channel that somebody subscribes to is never deleted. Pause it instead: it then sends nothing and keeps its handle.`;
  if (refused)
    return visit.page(
      `Delete ${channel.name}?`,
      html`<h1>${channel.name} cannot be deleted now</h1>
      <p class="lede">${refused}</p>
      <p><a class="button plain" href="${base}/edit#state">Back to its settings</a></p>`,
      { width: "narrow", error },
    );
  const sent = channel.alerts_sent;
  return askOnce(visit, {
    title: `Delete ${channel.name}?`,
    effect: "Nobody subscribes to it. It cannot be brought back. With it go:",
    condition: html`<ul class="goes"><li>its alerts: drafts, scheduled ones and ${
      sent === 1 ? "the one that was" : `the ${sent.toLocaleString("en")} that were`
    } sent,</li>
    <li>its invites and its figures,</li>
    <li>and its handle <strong>@${channel.handle}</strong>, which ${
      channel.status === "suspended"
        ? "stays taken because the channel is suspended"
        : "anybody may take from then on"
    }.</li></ul>`,
    act: "Delete the channel",
    back: `${base}/edit`,
    error,
  });
}

export const CHANNEL_DELETE_PAGES: readonly Page[] = [
  memberPage("GET", PATH, (visit) => ask(visit)),
  memberPage(
    "POST",
    PATH,
    // Somebody subscribed since the page asked.
    orAgain({ again: ask, when: oneOf("conflict") }, async (visit) => {
      await visit.call("delete_pusher", { pusher_id: visit.params.pusher ?? "" });
      return visit.goTo(`${visit.base}channels`, "channel-deleted");
    }),
  ),
];
