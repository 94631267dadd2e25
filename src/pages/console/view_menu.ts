// The views of a list, its order, and the box that selects rows. Where there is room, the views are chips, and the
// headings sort. On a narrow screen one button opens them all as a sheet, which needs no script.

import { type HtmlContent, html } from "../../ui/html.ts";

/** A choice among views of one list: links, of which one is where the reader is. */
export interface ListViews {
  label: string;
  views: readonly { href: string; name: HtmlContent; chosen: boolean }[];
}

/** `order` is the result of `renderSortMenu`; `select` is the box that shows the boxes of rows. */
export function renderViewMenu({
  label = "Sort",
  views = [],
  order,
  select,
}: Partial<ListViews> & { order?: HtmlContent; select?: HtmlContent }): HtmlContent {
  if (views.length === 0 && !order && !select) return null;
  const chosen = views.find((view) => view.chosen);
  return html`<button type="button" class="chip folded" popovertarget="views">${
    chosen ? html`<span class="unseen">${label}: </span><span>${chosen.name}</span>` : label
  }</button><div class="views" id="views" popover>${
    views.length > 0 &&
    html`<nav class="chips" aria-label="${label}">${views.map(
      (view) => html`<a class="chip" href="${view.href}"${view.chosen && html` aria-current="true"`}>${view.name}</a>`,
    )}</nav>`
  }${order}${select}</div>`;
}
