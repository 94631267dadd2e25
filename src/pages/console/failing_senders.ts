// The notice of senders whose last requests were refused, for the overview and the pages of a channel.

import { list_failing_senders } from "../../identity/session/api_keys.ts";
import { isRoleAtLeast } from "../../model/domain/member_access_rules.ts";
import { LIMITS } from "../../model/limits.ts";
import { type HtmlContent, html } from "../../ui/html.ts";
import { getChannelPath } from "./channel_header.ts";
import { relativeTime } from "./components.ts";
import type { MemberPageContext } from "./page_definitions.ts";
import { getSenderProgramTitle } from "./sender_setup.ts";

const SHOWN = 5;

/** Senders that fail, on the channels that the visitor sees; none for a member who manages no keys. */
export async function findFailingSenders(context: MemberPageContext) {
  if (!isRoleAtLeast(context.caller.member.role, list_failing_senders.role)) return [];
  return (await context.asMember(list_failing_senders, {})).data;
}
type Failing = Awaited<ReturnType<typeof findFailingSenders>>[number];

function lastRequests(refused: number): string {
  if (refused === 1) return "the last request";
  return `${refused < LIMITS.sender_requests ? "" : "at least "}the last ${refused} requests`;
}

interface Named {
  id: string;
  name: string;
}

/** @param at the channels that the visitor sees, or the one that the page is about */
export function failingSendersNotice(
  context: MemberPageContext,
  failing: readonly Failing[],
  at: readonly Named[] | Named,
): HtmlContent {
  const one = "id" in at ? at.id : null;
  const names = new Map("id" in at ? [] : at.map(({ id, name }) => [id, name]));
  // A key of a deleted channel reaches nothing.
  const rows = failing.filter(({ pusher_id }) => {
    if (one !== null) return pusher_id === one;
    return pusher_id === null || names.has(pusher_id);
  });
  if (rows.length === 0) return null;
  const keys = `${context.base}keys`;
  return html`<div class="flash careful"><p><strong>Requests from ${
    rows.length === 1 ? "a sender" : "senders"
  } are failing</strong></p>
    <ul>${rows.slice(0, SHOWN).map(({ id, name, program, live, pusher_id, refused, at, said }) => {
      const senders = pusher_id && `${getChannelPath(context, pusher_id)}/senders`;
      const page = senders && live ? `${senders}/${id}` : (senders ?? (live && keys));
      const channel = pusher_id && names.get(pusher_id);
      return html`<li><p>${getSenderProgramTitle(program)}: ${lastRequests(refused)} with the key “${
        page ? html`<a href="${page}">${name}</a>` : name
      }”${!live && ", which has expired or was revoked,"}${
        channel && html` to the channel ${channel}`
      } ${refused === 1 ? "was refused" : "were refused, most recently"} ${relativeTime(
        at,
        context.now,
      )}.</p><p>${said}</p></li>`;
    })}${
      rows.length > SHOWN &&
      html`<li>Other failing senders: ${rows.length - SHOWN}. <a href="${keys}">All keys</a></li>`
    }</ul></div>`;
}
