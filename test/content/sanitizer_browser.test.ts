// The sanitiser's output in a real browser. Every payload is loaded raw and cleaned, both as innerHTML and as a written
// page. All of its elements get events, and only raw payloads may run. Needs a Chromium: CHROMIUM=/path/to/chromium.

import fc from "fast-check";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ALLOWED_ATTRIBUTES } from "../../src/model/sanitizer/allow_list.ts";
import { sanitizeHtml } from "../../src/model/sanitizer/sanitize.ts";
import { COMPARISON_PATTERN, FUZZ_PIECES, HARMLESS_MARKUP, HOSTILE_MARKUP } from "../cases/sanitizer_markup.ts";
import { launchBrowser, type SharedBrowser } from "../support/console_site.ts";
import { describeInBrowser } from "../support/in_browser.ts";
import { waitUntil } from "../support/wait.ts";

/** At least one of each of these runs raw in a current Chromium, in both modes. */
const RUNNING_FAMILIES =
  "handlers handler_spelling links svg math embedders page_level forms mutation comments malformed".split(" ");

type Mode = "innerHTML" | "page";

/** Runs in every frame before anything else: reports to the outermost page which numbered frame ran a script. */
function instrument(): void {
  const hit = () => {
    let frame: any = globalThis;
    while (frame.parent !== frame.top) frame = frame.parent;
    frame.top.hits.add(frame.name);
  };
  for (const name of ["alert", "prompt", "confirm", "print", "fired"]) (globalThis as any)[name] = hit;
}

/** Loads each text into a frame of its own, pokes it, and answers which of them ran anything. Runs in the page. */
async function load(input: { texts: string[]; mode: string }): Promise<number[]> {
  const page: any = globalThis;
  page.hits = new Set<string>();
  const frames: any[] = input.texts.map((_text, i) => {
    const frame = page.document.createElement("iframe");
    frame.name = String(i);
    page.document.body.append(frame);
    return frame;
  });
  const arm = (inner: any) => {
    for (const name of ["alert", "prompt", "confirm", "print", "fired"]) {
      inner[name] = () => page.hits.add(inner.name);
    }
  };
  frames.forEach((frame, i) => {
    const inner = frame.contentWindow;
    if (input.mode === "page") {
      inner.document.open();
      arm(inner);
      inner.document.write(`<!doctype html><html><body>${input.texts[i]}`);
      inner.document.close();
    } else {
      arm(inner);
      inner.document.body.innerHTML = input.texts[i];
    }
  });
  const pause = (ms: number) => new Promise((resolve) => page.setTimeout(resolve, ms));
  await pause(250);
  const types = (
    "click dblclick auxclick mouseover mouseenter mousemove mousedown mouseup mouseout wheel scroll focus focusin " +
    "blur " +
    "keydown keyup keypress beforeinput input change select selectstart submit reset load error toggle beforetoggle " +
    "animationstart animationend animationiteration transitionrun transitionend pointerover pointerenter pointerdown " +
    "copy cut paste dragstart drop contextmenu canplay begin end start finish message popstate hashchange pageshow " +
    "resize"
  ).split(" ");
  for (const frame of frames) {
    const inner = frame.contentWindow;
    try {
      const nodes = [...inner.document.querySelectorAll("*")].slice(0, 60);
      for (const node of nodes) {
        for (const type of types)
          node.dispatchEvent(new inner.Event(type, { bubbles: true, cancelable: type !== "click" }));
        if (node.localName === "details") node.open = true;
        node.focus?.();
        node.click?.();
      }
      for (const type of types) inner.dispatchEvent(new inner.Event(type));
    } catch {
      // The frame navigated elsewhere: nothing of the text is left to test.
    }
  }
  await pause(250);
  for (const frame of frames) frame.remove();
  return [...page.hits].map(Number);
}

/** Names of elements and attributes in the browser's tree that the tables do not know, after one or two readings. */
function strangers(input: { texts: string[]; allowed: Record<string, string[]> }): string[] {
  const page: any = globalThis;
  const found: string[] = [];
  for (const text of input.texts) {
    const document = page.document.implementation.createHTMLDocument("");
    document.body.innerHTML = text;
    for (let reading = 1; reading <= 2; reading++) {
      for (const node of document.body.querySelectorAll("*")) {
        const names = input.allowed[node.localName];
        const html = node.namespaceURI === "http://www.w3.org/1999/xhtml";
        // A browser adds <tbody> and <colgroup> on its own; the tables contain them too.
        if (!names || !html) found.push(`${node.localName} in ${text}`);
        for (const { name } of node.attributes) if (!names?.includes(name)) found.push(`${name} in ${text}`);
      }
      // biome-ignore lint/correctness/noSelfAssign: written and read again, which is what mutation XSS needs.
      document.body.innerHTML = document.body.innerHTML;
    }
  }
  return found;
}

function textsOf(texts: string[]): string[] {
  const page: any = globalThis;
  return texts.map((text) => {
    const document = page.document.implementation.createHTMLDocument("");
    document.body.innerHTML = text;
    return document.body.textContent;
  });
}

/** Names of the elements of each text's tree, in the order of the document. */
function elementsOf(texts: string[]): string[][] {
  const page: any = globalThis;
  return texts.map((text) => {
    const document = page.document.implementation.createHTMLDocument("");
    document.body.innerHTML = text;
    return [...document.body.querySelectorAll("*")].map((node) => node.localName);
  });
}

describeInBrowser("in Chromium", () => {
  let browser: SharedBrowser;
  let page: Page;
  const allowed = Object.fromEntries([...ALLOWED_ATTRIBUTES].map(([name, rules]) => [name, [...rules.keys()]]));
  const clean = (html: string) => sanitizeHtml(html).html;

  async function executed(texts: string[], mode: Mode): Promise<number[]> {
    const found: number[] = [];
    for (let from = 0; from < texts.length; from += 120) {
      const batch = await page.evaluate(load, { texts: texts.slice(from, from + 120), mode });
      found.push(...batch.map((i) => from + i));
    }
    return found;
  }

  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage();
    // Nothing leaves the machine: every request fails, which triggers onerror.
    await page.route("**/*", (route) => route.abort());
    await page.addInitScript(instrument);
    page.on("dialog", (dialog) => void dialog.dismiss().catch(() => {}));
    await page.setContent("<!doctype html><body></body>");
  });

  afterAll(async () => await browser?.close());

  describe.each<Mode>(["innerHTML", "page"])("%s", (mode) => {
    test("no cleaned payload runs", async () => {
      const ran = await executed(
        HOSTILE_MARKUP.map(({ html }) => clean(html)),
        mode,
      );
      expect(ran.map((i) => HOSTILE_MARKUP[i]!.name)).toEqual([]);
    });

    test("many raw ones do, and each of them is reported", async () => {
      const all = HOSTILE_MARKUP.map(({ html }) => html);
      const ran = new Set<number>();
      // The same harness sees them run, or the test above would prove nothing. A busy machine may need a while.
      await waitUntil(async () => {
        for (const i of await executed(all, mode)) ran.add(i);
        const families = new Set([...ran].map((i) => HOSTILE_MARKUP[i]!.name.split(" ")[0]!));
        return ran.size > 100 && RUNNING_FAMILIES.every((family) => families.has(family));
      });
      for (const i of ran) {
        expect(sanitizeHtml(HOSTILE_MARKUP[i]!.html).blocked, HOSTILE_MARKUP[i]!.name).not.toEqual([]);
      }
      // A script element written by innerHTML is inert by standard.
      expect([...ran].some((i) => HOSTILE_MARKUP[i]!.name === "scripts 0")).toBe(mode === "page");
      console.log(`sanitizer_browser: ${ran.size} of ${HOSTILE_MARKUP.length} payloads run raw (${mode})`);
    });
  });

  const nonsense = fc.sample(
    fc.oneof(
      fc.array(fc.constantFrom(...FUZZ_PIECES), { maxLength: 60 }).map((pieces) => pieces.join("")),
      fc
        .array(fc.constantFrom(...HOSTILE_MARKUP.map(({ html }) => html), ...FUZZ_PIECES), { maxLength: 12 })
        .map((pieces) => pieces.join("")),
    ),
    { numRuns: 2000, seed: 20260301 },
  );

  test("its tree contains only what the tables allow, also when written and read again", async () => {
    const texts = [...HOSTILE_MARKUP.map(({ html }) => html), ...Object.values(HARMLESS_MARKUP), ...nonsense].map(
      clean,
    );
    expect(await page.evaluate(strangers, { texts, allowed })).toEqual([]);
  });

  // rules#sanitiser-is-stable
  test("its tree is the one that was written, so a browser adds and moves nothing", async () => {
    const texts = [...HOSTILE_MARKUP.map(({ html }) => html), ...Object.values(HARMLESS_MARKUP), ...nonsense].map(
      clean,
    );
    const written = texts.map((html) => [...html.matchAll(/<([a-z0-9]+)/g)].map(([, name]) => name));
    expect(await page.evaluate(elementsOf, texts)).toEqual(written);
  });

  test("cleaned nonsense does not run", async () => {
    expect(await executed(nonsense.slice(0, 300).map(clean), "page")).toEqual([]);
  });

  test("harmless texts read the same", async () => {
    const texts = Object.values(HARMLESS_MARKUP);
    expect(await page.evaluate(textsOf, texts.map(clean))).toEqual(await page.evaluate(textsOf, texts));
  });

  test("a text without a report reads the same", async () => {
    const whole = nonsense.filter((html) => sanitizeHtml(html).blocked.length === 0 && !COMPARISON_PATTERN.test(html));
    expect(whole.length).toBeGreaterThan(20);
    expect(await page.evaluate(textsOf, whole.map(clean))).toEqual(await page.evaluate(textsOf, whole));
  });
});
