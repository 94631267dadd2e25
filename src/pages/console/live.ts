// A part of a page that follows what happens, while somebody looks: live.js asks for it again and puts it in place. Without
// script it stays as it was loaded.

import { type Content, type Html, html } from "../../ui/html.ts";
import { pageAnswer } from "./page.ts";
import type { Visit } from "./visit.ts";

/** What an address has when the part is asked for without its page. */
const ALONE = "live";

/** @param address answers with the part alone when it is asked with `live` */
export const livePart = (id: string, address: URL, content: Content): Html => {
  const alone = new URL(address);
  alone.searchParams.set(ALONE, "1");
  return html`<div id="${id}" data-live="${alone.pathname}${alone.search}">${content}</div>`;
};

/** Whether the part alone is asked for. */
export const asksAlone = ({ url }: Pick<Visit, "url">): boolean => url.searchParams.has(ALONE);

export const partAlone = (part: Html): Response => pageAnswer(200, part);
