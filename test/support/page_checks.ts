// Whether a page keeps anybody out: axe finds nothing and nothing is wider than the screen, at three widths, in the
// light and in the dark; who reads it by ear knows what is what; bars leave a phone's screen to it. And what a page
// weighs.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe says by colours alone; everything else it says of a page in the dark as in the light. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** The most bytes that a page may take, with all that it asks for. */
export const MAX_PAGE_BYTES = 150_000;

/** All bytes that a page brought, as long as they are unpacked. */
export const measurePageBytes = (page: Page) =>
  page.evaluate<number>(
    `["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
      .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)`,
  );

/** Of a phone's 844 pixels, those that the head of a page and whatever stays in its place may take. */
const BARS = 120;

/**
 * Holds that head and bars leave a phone's screen to the page, and with `begins` that its first field is in view at
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
  const field = page.locator("main :is(input, select, textarea)").filter({ visible: true }).first();
  const box = (await field.count()) > 0 ? await field.boundingBox() : null;
  const inView = box === null || box.y + Math.min(box.height, 44) <= 400;
  expect({ name, box, inView }).toEqual({ name, box, inView: true });
}

/** Colours that are still on their way to the other scheme are nobody's. */
const settled = (page: Page) =>
  page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");

const DRAWN = "data-drawn";

/** How the texts were drawn, and upon what, of which axe had nothing to say by colours. */
const wellDrawn = new Set<string>();

/**
 * Runs in the page: marks, of all texts that are drawn alike and upon the same, the first, but for what is known.
 * What axe says by colours it says of each of them or of none.
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
    // What it found to be right it would describe as well, rule by rule, and the browser would hand it over.
    reporter: "no-passes",
    // Style sheets it would fetch again for a rule that is off.
    preload: { assets: ["media"] },
    ...asked,
  };
  return page.evaluate<string[]>(
    `axe.run(${JSON.stringify(parts)}, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`,
  );
}

/** What axe says of a page's colours, but for those of which it has had nothing to say. */
async function wrongColours(page: Page): Promise<string[]> {
  const drawn = await page.evaluate(markDrawn, [DRAWN, [...wellDrawn]] as [string, string[]]);
  const found = drawn.length > 0 ? await askAxe(page, { runOnly: OF_COLOURS }, `[${DRAWN}]`) : [];
  if (found.length === 0) for (const one of drawn) wellDrawn.add(one);
  return found;
}

/** Runs in the page: what who reads it by ear meets that axe lets pass, each with its words. */
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
  // Of two fields of a form that are called the same nobody knows which one is meant. What is chosen among has its
  // group's name besides.
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
 * Holds that a page keeps nobody out, with everything opened that can be; `name` says which it was. It ends light,
 * and 1280 wide.
 */
export async function checkAccessibility(page: Page, name: string, closed?: string): Promise<void> {
  await openDetails(page, closed);
  expect([name, await page.evaluate(wrongByEar)]).toEqual([name, []]);
  for (const width of [390, 320, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    const fits = [name, width];
    expect([...fits, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([...fits, width]);
    // What is shown and how it is coloured is the same as at 320: no style begins or ends to hold between these two
    // that says either.
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
