// The links of a message: the first to read more about it, some as buttons, and the others in the text.

import { LIMITS } from "../../../model/limits.ts";
import type { AlertInput } from "../adapter.ts";
import { parseHttpsUrl, toOneLine, toVisibleLineOrEmpty, truncateTextAtWord } from "../message_text.ts";

/** A link of a program, of any scheme, or a word where the program has none. */
export interface MessageLink {
  label: string;
  url: string;
}

type Button = NonNullable<AlertInput["actions"]>[number];

/**
 * Buttons open https addresses only. A link of another scheme is a line of the text, and so is a link without a free
 * button. Empty and repeated links, and those to `sourceUrl`, are left out.
 */
export function convertLinksToActions(
  links: readonly MessageLink[],
  sourceUrl: string,
): { actions: Button[]; lines: string[] } {
  const actions: Button[] = [];
  const lines: string[] = [];
  const seen = new Set([sourceUrl]);
  for (const { label, url: given } of links) {
    const url = toOneLine(given.slice(0, 2 * LIMITS.url));
    if (url === "" || seen.has(url)) continue;
    seen.add(url);
    const address = parseHttpsUrl(url);
    const name = truncateTextAtWord(toVisibleLineOrEmpty(label) || "Link", LIMITS.alert_action_label).text;
    if (address && actions.length < LIMITS.alert_actions && !actions.some((button) => button.label === name))
      actions.push({ type: "open_url", label: name, url: address });
    else if (lines.length < LIMITS.shape_lines) lines.push(`${name}: ${truncateTextAtWord(url, LIMITS.url).text}`);
  }
  return { actions, lines };
}

/** Reports if a text is only the address of a page. */
export const isWebAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text.trim());
