// The choice of a color scheme, which all pages share: the script, and the select element that it listens to.

import { type Html, type HtmlContent, html } from "./html.ts";
import { loadStaticFile } from "./static_files.ts";

/** Applies the stored choice before the page is drawn (rules#color-scheme). */
export const COLOR_SCHEME_SCRIPT = loadStaticFile("color_scheme.js", "text/javascript; charset=utf-8", import.meta.url);

/** The element that loads it: without defer, since it runs before the page is drawn. */
export const colorSchemeScript = (href = COLOR_SCHEME_SCRIPT.href): Html => html`<script src="${href}"></script>`;

/** The value of each choice; the empty one is the system's scheme. */
const CHOICES = { system: "", light: "light", dark: "dark" } as const;

/** The texts of the choice in English, for pages that have no other language. */
export const COLOR_SCHEME_LABELS = { title: "Colour scheme", system: "System", light: "Light", dark: "Dark" };

/**
 * The label and the select element. The script shows the hidden element around them.
 * @param text the content and the attributes of the element with a text
 */
export const colorSchemeSelect = (
  text: (name: "title" | keyof typeof CHOICES) => { content: HtmlContent; attributes?: HtmlContent },
): Html => {
  const title = text("title");
  return html`<label for="scheme-choice"${title.attributes}>${title.content}</label>
<select id="scheme-choice" data-color-schemes autocomplete="off">${Object.entries(CHOICES).map(([name, value]) => {
    const { content, attributes } = text(name as keyof typeof CHOICES);
    return html`<option value="${value}"${attributes}>${content}</option>`;
  })}</select>`;
};
