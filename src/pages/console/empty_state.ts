// A list without rows: an icon, the missing thing, one sentence, and one button.

import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { type IconName, icon } from "../../ui/icons.ts";

interface EmptyState {
  icon?: IconName;
  title: string;
  says?: HtmlContent;
  act?: false | { href: string; label: string };
  /** A form behind a button. It replaces the rest once it is open. */
  form?: Html;
}

export const emptyState = ({ icon: name = "bell", title, says, act, form }: EmptyState): Html =>
  html`<div class="empty">${icon(name)}<p class="lead">${title}</p>${says && html`<p>${says}</p>`}${
    act && html`<p><a class="button plain" href="${act.href}">${act.label}</a></p>`
  }${form}</div>`;
