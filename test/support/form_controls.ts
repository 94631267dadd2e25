// The form of a page as a browser without script would send it: every control with its value.

import type { WatchedPage } from "./console_site.ts";

/** Text as a reader sees it. */
export const unescapeHtml = (markup: string): string =>
  markup
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, "&");

/** The values of the form with this id; line ends as browsers send them. */
export function readFormControls({ text }: WatchedPage, id: string): URLSearchParams {
  const form = new URLSearchParams();
  const inner = new RegExp(`<form id="${id}"[\\s\\S]*?</form>`).exec(text)![0];
  for (const [, tag, attributes = ""] of inner.matchAll(/<(input|select|textarea)\b([^>]*)>/g)) {
    const attribute = (name: string) =>
      unescapeHtml(new RegExp(` ${name}="([^"]*)"`).exec(` ${attributes}`)?.[1] ?? "");
    const name = attribute("name");
    if (tag === "select") {
      const options = new RegExp(`<select[^>]*name="${name}"[^>]*>([\\s\\S]*?)</select>`).exec(inner)![1]!;
      form.append(name, unescapeHtml(/value="([^"]*)" selected/.exec(options)?.[1] ?? ""));
    } else if (tag === "textarea") {
      const held = new RegExp(`<textarea[^>]*name="${name}"[^>]*>\n([^<]*)</textarea>`).exec(inner)![1]!;
      form.append(name, unescapeHtml(held).replace(/\n/g, "\r\n"));
    } else if (!/ type="(radio|checkbox)"/.test(` ${attributes}`) || / checked/.test(attributes))
      form.append(name, attribute("value"));
  }
  return form;
}
