// The channels of a member: their choice in a form, and their names in the list. Ticked channels are listed first, and
// the others can be searched. The search is a button that saves nothing, so it needs no script.

import type { ApiError } from "../../../model/api_error.ts";
import type { MemberAccessInput } from "../../../store/response_schemas/shared_parameters_and_pages.ts";
import { type HtmlContent, html } from "../../../ui/html.ts";
import { checkbox, renderFieldErrorAndAttributes } from "../components.ts";
import { filterRows } from "../list_search.ts";

interface Channel {
  id: string;
  name: string;
  handle: string;
}

const OFFERED = 12;

/** The button of a form that searches further channels: the form is shown again as it was, and nothing is saved. */
export const CHANNEL_SEARCH_BUTTON_NAME = "look";

/**
 * The channels: every one, or those that are ticked. A ticked channel alone means "only these". With "every channel" it
 * contradicts itself, and the form is shown again with neither chosen. `of` makes ids unique among the forms of one
 * page.
 */
export function renderMemberChannelChoice(
  of: string,
  channels: Channel[],
  wish: MemberAccessInput,
  { mayAll, form, error }: { mayAll: boolean; form: URLSearchParams; error: ApiError | undefined },
): HtmlContent {
  const some = wish.pusher_ids.length > 0;
  const { line, attributes } = renderFieldErrorAndAttributes(error, "sees");
  const all = { id: `${of}-all`, value: "all", checked: wish.every_channel && !some };
  const looks = some || form.has(CHANNEL_SEARCH_BUTTON_NAME);
  const only = { id: `${of}-some`, value: "some", checked: !mayAll || (looks && !wish.every_channel) };
  const ticked = channels.filter(({ id }) => wish.pusher_ids.includes(id));
  const find = (form.get("find") ?? "").trim();
  const others = filterRows(
    channels.filter((channel) => !ticked.includes(channel)),
    find,
    ({ name, handle }) => [name, handle],
  );
  const from = Math.max(0, Number.parseInt(form.get(CHANNEL_SEARCH_BUTTON_NAME) ?? "", 10) || 0);
  const offered = others.slice(from, from + OFFERED);
  const searchButton = (at: number, words: string) =>
    html`<button class="plain" name="${CHANNEL_SEARCH_BUTTON_NAME}" value="${at}"
      formaction="#${of}-sees">${words}</button>`;
  const previous = from > 0 && searchButton(Math.max(0, from - OFFERED), "Previous channels");
  const sees = { name: "sees", type: "radio" } as const;
  return html`<fieldset id="${of}-sees"><legend>Channels</legend>${line}
    ${mayAll && checkbox({ ...sees, ...all, label: "All channels, including future ones", attributes })}
    ${checkbox({ ...sees, ...only, label: "Only these:", ...(mayAll ? {} : { attributes }) })}
    <div class="columns only">${
      channels.length === 0
        ? html`<p class="hint">No channels yet.</p>`
        : [...ticked, ...offered].map((channel) =>
            checkbox({
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
      <p class="hint" id="${of}-hint">Ticked channels stay selected. ${
        offered.length === 0
          ? "No other channels match."
          : `Showing ${from + 1} to ${from + offered.length} of ${others.length} others.`
      }</p>
      <input type="search" id="${of}-find" name="find" dir="auto" value="${find}" aria-describedby="${of}-hint"></div>
      <div class="actions">${searchButton(0, "Search")}${previous}${
        from + OFFERED < others.length && searchButton(from + OFFERED, "More channels")
      }</div>`
    }</fieldset>`;
}

const NAMED = 3;

/** The channels that a member sees; null means all. */
export function describeMemberChannels(handles: string[] | null): string {
  if (handles === null) return "all channels";
  const more = handles.length - NAMED;
  return `${handles.slice(0, NAMED).join(", ") || "none"}${more > 0 ? ` and ${more} more` : ""}`;
}
