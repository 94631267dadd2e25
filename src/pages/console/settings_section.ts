// A section of a settings page.

import { type Html, type HtmlContent, html } from "../../ui/html.ts";

/**
 * A title, one sentence, and the fields or rows. A form ends with a bar of the class `save`. Destructive actions are in
 * the last section, which has `danger`.
 */
export const settingsSection = (
  id: string,
  title: HtmlContent,
  says: HtmlContent,
  content: HtmlContent,
  danger = false,
): Html =>
  html`<section class="card setting${danger && " danger"}" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
    <p class="hint">${says}</p>${content}</section>`;
