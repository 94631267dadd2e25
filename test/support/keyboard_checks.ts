// Keyboard access of a page. Tab reaches every visible control in the page's own order. Each shows that it has the
// focus. From the last one the focus leaves the page.

import type { Page } from "playwright-core";

/** Controls with several stops inside: the parts of a date and of a time. */
const INNER_STOPS = 10;

/** Runs in the page: what a keyboard should stop at, and a note of each stop, with whether it shows. */
function watchFocus(): { controls: number; dates: number } {
  const here = globalThis as any;
  const { document } = here;
  const markOf = (node: any) => {
    const style = here.getComputedStyle(node);
    const outline = style.outlineStyle === "none" ? "" : `${style.outlineWidth} ${style.outlineColor}`;
    return `${outline}/${style.boxShadow}`;
  };
  /** The place where a control may show its focus: on itself, on its label, or on another element in the label. */
  const shownOn = (node: any) => {
    const label = node.closest("label") ?? (node.id && document.querySelector(`label[for="${node.id}"]`));
    return [node, ...(label ? [label, ...label.querySelectorAll("*")] : [])];
  };
  // A page may have set the focus; the walk continues from there, once around.
  document.activeElement?.blur();
  const groups = new Set<string>();
  const radioStands = (node: any) => {
    if (node.type !== "radio") return true;
    const all: any[] = [...document.querySelectorAll(`input[type=radio][name="${node.name}"]`)].filter(
      (one) => one.form === node.form,
    );
    const stop = all.find((one) => one.checked) ?? all[0];
    return node === stop && !groups.has(node.name) && Boolean(groups.add(node.name));
  };
  const controls: any[] = [
    ...document.querySelectorAll("a[href], button, input, select, textarea, details > summary:first-of-type"),
  ].filter(
    (node) =>
      node.type !== "hidden" &&
      !node.matches(":disabled") &&
      !node.closest("[inert]") &&
      node.checkVisibility({ visibilityProperty: true }) &&
      radioStands(node),
  );
  const before = new Map(controls.flatMap(shownOn).map((node) => [node, markOf(node)]));
  const stops: { at: number; shows: boolean }[] = [];
  here.walked?.stop();
  const stop = new here.AbortController();
  here.walked = { controls, stops, stop: () => stop.abort() };
  const note = ({ target }: any) => {
    const at = controls.indexOf(target);
    if (at < 0 || stops.at(-1)?.at === at) return;
    stops.push({ at, shows: shownOn(target).some((node) => markOf(node) !== before.get(node)) });
  };
  document.addEventListener("focusin", note, { signal: stop.signal });
  return { controls: controls.length, dates: controls.filter(({ type }) => /date|time/.test(type)).length };
}

/**
 * Lists the faults that a keyboard user meets on a page, each with its markup. A fault of the page appears in every
 * walk. A slow browser can hand the focus over late and disturb one walk, so a fault counts when a second walk finds
 * it again.
 */
export async function findKeyboardFaults(page: Page): Promise<string[]> {
  const first = await walk(page);
  if (first.length === 0) return [];
  const second = new Set(await walk(page));
  return first.filter((fault) => second.has(fault));
}

async function walk(page: Page): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  // Parts that follow what happens wait: a slow machine's walk would meet others than those that it began with.
  await page.route(/[?&]live=/, (route) => route.fulfill({ body: "" }));
  await page.evaluate("for (const more of document.querySelectorAll('details')) more.open = true");
  const { controls, dates } = await page.evaluate(watchFocus);
  // After the last control the focus moves to the browser, which may return it during the next key press. The walk
  // therefore ends when it first reaches its beginning again. Later key presses are not part of it.
  const length = () =>
    page.evaluate<number>("walked.stops.findIndex(({ at }, i) => i > 0 && at === walked.stops[0].at)");
  // In addition to controls, scrolling areas and frames may have the focus.
  const most = 2 * controls + INNER_STOPS * (dates + 1);
  for (let pressed = 0; pressed < most; pressed++) {
    // A continuous press of the key, which is half the work of pressing it again.
    await page.keyboard.down("Tab");
    if (pressed >= controls && (await length()) > 0) break;
  }
  await page.keyboard.up("Tab");
  const around = await length();
  return page.evaluate((length) => {
    const { controls, stops } = (globalThis as any).walked;
    const named = (at: number) => controls[at].outerHTML.slice(0, 160);
    const wentAround = length > 0;
    const walk = wentAround ? stops.slice(0, length) : stops;
    const start = walk.findIndex(({ at }: any) => at === Math.min(...walk.map((stop: any) => stop.at)));
    const once = [...walk.slice(start), ...walk.slice(0, start)];
    const reached = new Set(once.map(({ at }: any) => at));
    const wrong: string[] = [];
    if (controls.length > 1 && !wentAround) wrong.push(`held: ${stops.length ? named(stops.at(-1).at) : "everything"}`);
    for (const at of controls.keys()) {
      if (!reached.has(at)) wrong.push(`not reached: ${named(at)}`);
      if (controls[at].tabIndex > 0) wrong.push(`out of order: ${named(at)}`);
    }
    for (const [nth, { at, shows }] of once.entries()) {
      if (nth > 0 && at < once[nth - 1].at) wrong.push(`out of order: ${named(at)}`);
      if (!shows) wrong.push(`shows nothing: ${named(at)}`);
    }
    return wrong;
  }, around);
}
