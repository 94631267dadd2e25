// Checks that a page is accessible: axe reports nothing and nothing is wider than the screen, at three widths, in light
// and dark mode. Screen readers find every name, and bars leave room on a phone's screen. Also measures the weight of a
// page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The axe rules about colours; all other rules have the same result in dark and light mode. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** The maximum size of a page in bytes, with all of its requests. */
export const MAX_PAGE_BYTES = 150_000;

/** All bytes that a page brought, as long as they are unpacked. */
export const measurePageBytes = (page: Page) =>
  page.evaluate<number>(
    `["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
      .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)`,
  );

/** The maximum height of the header, the tabs and fixed elements, out of a phone's 844 pixels. */
const BARS = 150;

/**
 * Asserts that header and bars leave room on a phone's screen. With `begins`, the page's first field must be visible at
 * twice the size.
 */
export async function checkContentRoom(page: Page, name: string, begins: boolean): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  const [head, tabs, staying] = await page.evaluate<[number, number, number]>(`(() => {
    const sum = (nodes) => nodes.reduce((height, node) => height + node.getBoundingClientRect().height, 0);
    const stays = (node) => /sticky|fixed/.test(getComputedStyle(node).position) && !node.matches(".skip, [popover]");
    const all = (selector) => [...document.querySelectorAll(selector)];
    return [sum(all("header.top")), sum(all("nav.tabs")), sum(all("body *").filter(stays))];
  })()`);
  const bars = { name, head, tabs, staying };
  expect({ ...bars, fits: head + tabs + staying <= BARS }).toEqual({ ...bars, fits: true });
  if (!begins) return;
  // 1280 by 800 pixels at 200 %.
  await page.setViewportSize({ width: 640, height: 400 });
  const field = page.locator("main :is(input:not(.selects input), select, textarea)").filter({ visible: true }).first();
  const box = (await field.count()) > 0 ? await field.boundingBox() : null;
  const inView = box === null || box.y + Math.min(box.height, 44) <= 400;
  expect({ name, box, inView }).toEqual({ name, box, inView: true });
}

/** Colours that are still changing to the other scheme belong to neither. Animations by scrolling have no end. */
const settled = (page: Page) =>
  page.evaluate(`Promise.allSettled(document.getAnimations()
    .filter(({ timeline }) => timeline === document.timeline).map(({ finished }) => finished))`);

const DRAWN = "data-drawn";

/** The style of the texts, with their background, about which axe reported no colour problem. */
const wellDrawn = new Set<string>();

/**
 * Runs in the page. Marks the first of all texts with the same style and background, except for known ones. axe's
 * result about colours is the same for each of them.
 */
function markDrawn([attribute, wellDrawn]: [string, string[]]): string[] {
  const { document, getComputedStyle } = globalThis as any;
  const upon = new Map<unknown, string>();
  const known = new Set(wellDrawn);
  for (const node of document.querySelectorAll("*")) {
    node.removeAttribute(attribute);
    const style = getComputedStyle(node);
    const below = upon.get(node.parentElement) ?? "";
    const { backgroundColor, backgroundImage, opacity, filter, position } = style;
    const own = [backgroundColor, backgroundImage, opacity, filter, position].join(" ");
    const all = own === "rgba(0, 0, 0, 0) none 1 none static" ? below : `${below}|${own}`;
    upon.set(node, all);
    const { color, fontSize, fontWeight, textShadow, textDecorationLine } = style;
    const around = node.localName === "a" ? getComputedStyle(node.parentElement).color : "";
    const drawn = [all, color, fontSize, fontWeight, textShadow, textDecorationLine, around].join(";");
    const isText = [...node.childNodes].some((child) => child.nodeType === 3 && /\S/.test(child.data));
    const seen = (isText || node.value) && node.checkVisibility({ visibilityProperty: true });
    if (!seen || known.has(drawn)) continue;
    known.add(drawn);
    node.setAttribute(attribute, "");
  }
  return [...known].slice(wellDrawn.length);
}

const KNOWN = "data-known";
const FRESH = "data-fresh";

/**
 * Runs in the page: marks each element that is visible now and was not visible at an earlier mark. Returns whether
 * there is one.
 */
function markFresh([known, fresh]: [string, string]): boolean {
  let isAny = false;
  for (const node of (globalThis as any).document.querySelectorAll("*")) {
    node.removeAttribute(fresh);
    if (node.hasAttribute(known) || !node.checkVisibility({ visibilityProperty: true })) continue;
    for (const name of [known, fresh]) node.setAttribute(name, "");
    isAny = true;
  }
  return isAny;
}

/**
 * Returns each finding of axe on a page, or in `parts` of it, with its markup; with null for colours alone. Findings
 * that are not about colours are the same in the dark, so axe looks for them in the light only.
 */
export async function listAxeFindings(
  page: Page,
  colorScheme = "light",
  parts: string | null = ":root",
): Promise<string[]> {
  await settled(page);
  const other = { rules: Object.fromEntries(OF_COLOURS.map((rule) => [rule, { enabled: false }])) };
  const found = colorScheme === "light" && parts ? await askAxe(page, other, parts) : [];
  return [...found, ...(await wrongColours(page))];
}

async function askAxe(page: Page, asked: object, parts: string): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE);
  const options = {
    // It would also describe its passes, rule by rule, and the browser would transfer them.
    reporter: "no-passes",
    // It would describe each node of which it is not sure.
    resultTypes: ["violations"],
    // Style sheets it would fetch again for a rule that is off.
    preload: { assets: ["media"] },
    ...asked,
  };
  return page.evaluate<string[]>(
    `axe.run(${JSON.stringify(parts)}, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`,
  );
}

/** axe's result about a page's colours, except for styles without a problem so far. */
async function wrongColours(page: Page): Promise<string[]> {
  const drawn = await page.evaluate(markDrawn, [DRAWN, [...wellDrawn]] as [string, string[]]);
  const found = drawn.length > 0 ? await askAxe(page, { runOnly: OF_COLOURS }, `[${DRAWN}]`) : [];
  if (found.length === 0) for (const one of drawn) wellDrawn.add(one);
  return found;
}

/** Runs in the page: problems for screen readers that axe does not report, each with its text. */
function wrongByEar(): string[] {
  const { document } = globalThis as any;
  const seen = (selector: string, inside: any = document): any[] =>
    [...inside.querySelectorAll(selector)].filter((node) => node.checkVisibility({ visibilityProperty: true }));
  const wordsOf = (node: any) => node.textContent.replace(/\s+/g, " ").trim();
  const wrong: string[] = [];
  const titles = seen("h1").map(wordsOf);
  if (titles.length !== 1) wrong.push(`not one h1: ${titles.join(", ")}`);
  const ids = [...document.querySelectorAll("[id]")].map(({ id }: any) => id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) wrong.push(`an id twice: ${id}`);
  for (const table of seen("table"))
    if (!seen("th", table).some((th) => th.scope === "col" && wordsOf(th) !== ""))
      wrong.push(`a table without columns: ${wordsOf(table).slice(0, 60)}`);
  // Two fields of a form with the same name are ambiguous. Options have their group's name in addition.
  for (const form of seen("form")) {
    const names = seen("input:not([type=radio], [type=checkbox], [type=hidden]), select, textarea", form).map(
      (field) => field.getAttribute("aria-label") ?? [...field.labels].map(wordsOf).join(" "),
    );
    for (const name of new Set(names))
      if (names.filter((other) => other === name).length > 1) wrong.push(`two fields of one name: ${name}`);
  }
  return wrong;
}

/** Opens each `details` element of a page, except those that match the selector `closed`. */
const openDetails = (page: Page, closed = ".none") =>
  page.evaluate(`for (const more of document.querySelectorAll("details:not(${closed})")) more.open = true`);

/**
 * Asserts that a page is accessible, with all disclosures opened; `name` identifies it. It ends in light mode, 1280
 * wide.
 */
export async function checkAccessibility(page: Page, name: string, closed?: string): Promise<void> {
  await openDetails(page, closed);
  expect([name, await page.evaluate(wrongByEar)]).toEqual([name, []]);
  for (const width of [390, 320, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    const fits = [name, width];
    expect([...fits, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([...fits, width]);
    // The content and the colours are the same as at 320: no style for either begins or ends between these two.
    if (width === 390) continue;
    const isFresh = await page.evaluate(markFresh, [KNOWN, FRESH] as [string, string]);
    const parts = width === 320 ? ":root" : isFresh ? `[${FRESH}]` : null;
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      const where = [name, width, colorScheme];
      expect([...where, await listAxeFindings(page, colorScheme, parts)]).toEqual([...where, []]);
    }
  }
}

/**
 * Checks pages below `base` that test/console/page_accessibility.test.ts also visits with usual content. Unusual
 * content must fit all widths and pass axe at the narrowest one, and no page may be empty or heavy.
 */
export async function checkPageWidths(page: Page, base: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await page.setViewportSize({ width: 320, height: 844 });
    await page.goto(base + path);
    const bytes = await measurePageBytes(page);
    expect([path, bytes > 10_000 && bytes < MAX_PAGE_BYTES]).toEqual([path, true]);
    await openDetails(page);
    expect([path, await page.evaluate(wrongByEar), await listAxeFindings(page)]).toEqual([path, [], []]);
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      const fits = [path, width];
      expect([...fits, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([...fits, width]);
    }
  }
}
