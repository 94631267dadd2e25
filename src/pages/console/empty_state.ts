// A list without rows: an icon, the missing thing, one sentence, and one button.

import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { type IconName, icon } from "../../ui/icons.ts";

interface EmptyState {
  icon?: IconName;
  title: string;
  says?: HtmlContent;
  act?: false | { href: string; label: string };
}

/** It is left out while the form that `act` would open is open. */
export const emptyState = ({ icon: name = "bell", title, says, act }: EmptyState): Html =>
  html`<div class="empty">${icon(name)}<p class="lead">${title}</p>${says && html`<p>${says}</p>`}${
    act && html`<p><a class="button plain" href="${act.href}">${act.label}</a></p>`
  }</div>`;
