// Which channels a member sees, as the forms of members ask for it, and as a row of the list says it. Of many channels those that are
// ticked stand first, and the others are looked for: with a press that saves nothing, so it needs no script.

import type { ApiError } from "../../../model/errors.ts";
import type { MemberWish } from "../../../store/shapes/member.ts";
import { type Content, html } from "../../../ui/html.ts";
import { matching } from "../finder.ts";
import { tick, wrongWith } from "../parts.ts";
import type { MemberVisit } from "../visit.ts";

interface Channel {
  id: string;
  name: string;
  handle: string;
}

const OFFERED = 12;

/** Which button of a form looks for further channels: the form comes back as it was, and nothing is saved. */
export const LOOK = "look";

/**
 * Which channels: every one, or those that are ticked. A ticked channel alone means "only these"; with "every channel" it
 * contradicts itself, and the form comes back with neither chosen. `of` tells the forms of one page apart.
 */
export function channelChoice(
  of: string,
  channels: Channel[],
  wish: MemberWish,
  { mayAll, form, error }: { mayAll: boolean; form: URLSearchParams; error: ApiError | undefined },
): Content {
  const some = wish.pusher_ids.length > 0;
  const { line, attributes } = wrongWith(error, "sees");
  const all = { id: `${of}-all`, value: "all", checked: wish.every_channel && !some };
  const looks = some || form.has(LOOK);
  const only = { id: `${of}-some`, value: "some", checked: !mayAll || (looks && !wish.every_channel) };
  const ticked = channels.filter(({ id }) => wish.pusher_ids.includes(id));
  const find = (form.get("find") ?? "").trim();
  const others = matching(
    channels.filter((channel) => !ticked.includes(channel)),
    find,
    ({ name, handle }) => [name, handle],
  );
  const from = Math.max(0, Number.parseInt(form.get(LOOK) ?? "", 10) || 0);
  const offered = others.slice(from, from + OFFERED);
  const look = (at: number, words: string) =>
    html`<button class="plain" name="${LOOK}" value="${at}" formaction="#${of}-sees">${words}</button>`;
  const sees = { name: "sees", type: "radio" } as const;
  return html`<fieldset id="${of}-sees"><legend>Channels</legend>${line}
    ${mayAll && tick({ ...sees, ...all, label: "Every channel, later ones included", attributes })}
    ${tick({ ...sees, ...only, label: "Only these:", ...(mayAll ? {} : { attributes }) })}
    <div class="columns only">${
      channels.length === 0
        ? html`<p class="hint">There is no channel yet.</p>`
        : [...ticked, ...offered].map((channel) =>
            tick({
              id: `${of}-${channel.id}`,
              name: "pusher",
              value: channel.id,
              label: html`${channel.name} <span class="muted">${channel.handle}</span>`,
              checked: wish.pusher_ids.includes(channel.id),
            }),
          )
    }</div>${
      channels.length > OFFERED &&
      html`<div class="field"><label for="${of}-find">Find a channel</label>
      <p class="hint" id="${of}-hint">Ticked channels stay. ${
        offered.length === 0
          ? "No other channel has these letters."
          : `Of the others, ${from + 1} to ${from + offered.length} of ${others.length} stand here.`
      }</p>
      <input type="search" id="${of}-find" name="find" value="${find}" aria-describedby="${of}-hint"></div>
      <div class="actions">${look(0, "Find")}${from > 0 && look(Math.max(0, from - OFFERED), "Previous channels")}${
        from + OFFERED < others.length && look(from + OFFERED, "More channels")
      }</div>`
    }</fieldset>`;
}

/** What the form says, word for word: what it means, the operation decides. */
export const wishOf = ({ form: sent }: MemberVisit): MemberWish => ({
  role: sent.get("role") ?? "",
  every_channel: sent.get("sees") === "all",
  pusher_ids: sent.getAll("pusher"),
});

const NAMED = 3;

/** What a member sees; null is everything. */
export function channelsSaid(handles: string[] | null): string {
  if (handles === null) return "all channels";
  const more = handles.length - NAMED;
  return `${handles.slice(0, NAMED).join(", ") || "none"}${more > 0 ? ` and ${more} more` : ""}`;
}
