// Texts as Chromium draws them: texts without enough room, and the visual order of the parts of a line.

import type { Page } from "playwright-core";

const NOT_DRAWN = "svg, .unseen, .skip, [hidden], pre, option, script, template, details:not([open])";

/** The texts outside of the screen or of their element. Scrolled and clamped texts are left out. */
export const findOverflow = (page: Page): Promise<string[]> =>
  page.evaluate((notDrawn) => {
    const { document, getComputedStyle } = globalThis as any;
    const found: string[] = [];
    const { clientWidth: width, scrollWidth } = document.documentElement;
    if (scrollWidth > width) found.push(`the page: ${scrollWidth}`);
    const scrolls = (node: any): boolean =>
      node && (/auto|scroll/.test(getComputedStyle(node).overflowX) || scrolls(node.parentElement));
    for (const node of document.querySelectorAll("body *")) {
      if (![...node.childNodes].some((child: any) => child.nodeType === 3 && child.data.trim())) continue;
      const box = node.getBoundingClientRect();
      if (node.closest(notDrawn) || box.width === 0 || scrolls(node.parentElement)) continue;
      const style = getComputedStyle(node);
      const isCut = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
      const clips = style.display !== "inline" && node.scrollWidth > node.clientWidth + 1;
      if (box.left < -1 || box.right > width + 1 || (clips && !isCut))
        found.push(`${node.className}: ${node.textContent.trim().slice(0, 60)}`);
    }
    return found;
  }, NOT_DRAWN);

/** The parts of the first such element's text between spaces, as they are drawn from left to right in each line. */
export const readWordOrder = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate((selected) => {
    const { document } = globalThis as any;
    const parts: { text: string; left: number; line: number }[] = [];
    const walker = document.createTreeWalker(document.querySelector(selected), 4);
    while (walker.nextNode()) {
      const { currentNode: node } = walker;
      for (const { 0: text, index } of node.data.matchAll(/[^\s\u2066-\u2069]+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + text.length);
        const [{ left, top }] = range.getClientRects();
        parts.push({ text, left, line: Math.round(top / 8) });
      }
    }
    return parts.sort((a, b) => a.line - b.line || a.left - b.left).map(({ text }) => text);
  }, selector);
