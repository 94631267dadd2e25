// Every page of the console, as routes.ts lists them, with a workspace in use. Each is accessible at three widths, in
// dark mode, and with a keyboard alone. None is heavy, and bars leave room for it. A new page is visited without a
// change here, or fails for lack of an id. Walks of some pages check more. PICTURES=docs/pictures keeps the pictures of
// the docs.

import { join as joinPath } from "node:path";
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { OIDC_CALLBACK_PATH } from "../../src/identity/auth/oidc_types.ts";
import { OIDC_PATH } from "../../src/pages/console/pages/sign_in_flow.ts";
import { CONSOLE_PAGES } from "../../src/pages/console/routes.ts";
import { OWNER, openWatchedPage } from "../support/console_site.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { findKeyboardFaults } from "../support/keyboard_checks.ts";
import { checkAccessibility, checkContentRoom, MAX_PAGE_BYTES, measurePageBytes } from "../support/page_checks.ts";
import { createSampleWorkspace } from "../support/sample_workspace.ts";
import { joinInApp } from "../support/web_app.ts";
import { timeInSeconds } from "../support/world.ts";

const PICTURES = process.env.PICTURES;

/** They explain the error when no link led to them. */
const REFUSING = new Set(["/console/consent", "/api/auth/error", OIDC_CALLBACK_PATH]);
/** Shown in a frame of another page, where scripts cannot look. */
const FRAMED = "/console/:workspace/channels/:pusher/alerts/:alert/page";
/**
 * Content to read comes before content to fill in: lists above a form, charts, an assistant's request, an alert and its
 * history.
 */
const READ_FIRST =
  /\/(invites|stats|senders(\/:key)?|webhooks|members|month|keys|account|authorize|alerts\/:alert(\/timeline)?)$/;

/** Drawn for docs/how-to/console.md, in light and dark mode. */
const DRAWN = [
  { name: "overview", path: "", width: 1280, height: 860 },
  { name: "compose", path: "channels/:pusher/alerts/:alert/edit", width: 1280, height: 900 },
  { name: "review", path: "channels/:pusher/alerts/:alert", width: 390, height: 844 },
  { name: "statistics", path: "channels/:pusher/stats", width: 1280, height: 900 },
  { name: "webhooks", path: "webhooks/:webhook", width: 1280, height: 1320 },
  { name: "audit", path: "audit", width: 1280, height: 900 },
] as const;

/** A provider that no page calls. The page that leads to it is tried in oidc_browser.test.ts. */
const OIDC = { OIDC_ISSUER: "http://127.0.0.1:1", OIDC_CLIENT_ID: "belfry", OIDC_CLIENT_SECRET: "a secret" };

describeInBrowser("every page of the console", () => {
  const here = openSiteAsOwner(
    { settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1", ...OIDC } },
    { ...OWNER, name: "Ada Ferreira" },
  );
  /** The values for the parameters of a path. Where several pages have `:id`, the part before it selects one. */
  let ids: Record<string, string> = {};
  let authorize: string;
  /** One browser of the owner's and one of a stranger's, each for all pages: a new one costs more than a page. */
  const seen = {} as Record<"owner" | "stranger", Awaited<ReturnType<typeof openWatchedPage>>>;

  beforeAll(async () => {
    ({ ids, authorize } = await createSampleWorkspace(here.site, here.owner));
    seen.owner = await here.visit();
    seen.stranger = await openWatchedPage(here.browser, here.site);
    // Parts that were opened for the check of one page are not remembered by the next one.
    await seen.owner.context.addInitScript("if (self === top) sessionStorage.clear()");
  });

  /** An address with an id for each parameter. @throws Error for a parameter without a value above */
  function addressOf(path: string): string {
    if (path === "/api/auth/oauth2/authorize") return authorize;
    return path.replace(/(\w*)\/:(\w+)/g, (_, before: string, name: string) => {
      const id = ids[name] ?? ids[`${before}/:${name}`];
      if (!id) throw new Error(`no value for :${name} of ${path}`);
      return `${before}/${id}`;
    });
  }

  const visitorOf = (path: string) => {
    const open = CONSOLE_PAGES.some((page) => page.path === path && page.for === "anyone");
    return seen[!open || /consent|authorize/.test(path) ? "owner" : "stranger"];
  };

  const read = CONSOLE_PAGES.filter(({ method, path }) => method === "GET" && path !== FRAMED && path !== OIDC_PATH);

  test.each(read.map(({ path }) => path))("GET %s", async (path) => {
    const { context, page, faults } = visitorOf(path);
    const at = here.site.url + addressOf(path);
    if (/\.(csv|svg|png)$/.test(path)) {
      const file = await context.request.get(at);
      expect([file.status(), (await file.body()).length < MAX_PAGE_BYTES]).toEqual([200, true]);
      return;
    }
    // One page's faults are not the next one's.
    faults.length = 0;
    const answer = (await page.goto(at))!;
    expect(answer.status() < (REFUSING.has(path) ? 500 : 300)).toBe(true);
    expect(await measurePageBytes(page)).toBeLessThan(MAX_PAGE_BYTES);
    await checkContentRoom(page, path, !READ_FIRST.test(path));
    await checkAccessibility(page, path);
    expect(await findKeyboardFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("the walk by keyboard detects skipped controls, wrong order, a missing mark, and a focus trap", async () => {
    const { context, page } = await openWatchedPage(here.browser, here.site);
    const walked = async (markup: string) => {
      await page.setContent(`<!doctype html><title>x</title>${markup}`);
      return (await findKeyboardFaults(page)).map((found) => found.replace(/:.*/s, ""));
    };
    const three = "<a href=x>a</a><button>b</button><input type=date>";
    expect(await walked(three)).toEqual([]);
    expect(await walked(`${three}<a href=y tabindex=-1>c</a>`)).toEqual(["not reached"]);
    expect(await walked(`${three}<a href=y tabindex=1>c</a>`)).toEqual(["out of order"]);
    expect(await walked(`<style>button { outline: none !important }</style>${three}`)).toEqual(["shows nothing"]);
    const trap = '<button onkeydown="event.preventDefault()">d</button>';
    expect(await walked(three + trap)).toEqual(["held"]);
    await context.close();
  });

  test.each([
    { colorScheme: "dark", page: "background: #111; color: #eee", well: "#ddd", pale: "#333" },
    { colorScheme: "light", page: "background: #fff; color: #111", well: "#222", pale: "#ccc" },
  ])("text that is too pale in the $colorScheme is detected, on each page, and also alone", async (row) => {
    const { context, page } = await openWatchedPage(here.browser, here.site);
    const look = async (colour: string) => {
      await page.setContent(
        `<!doctype html><html lang="en"><title>x</title><style>@media (prefers-color-scheme: ${row.colorScheme})
          { body { ${row.page} } p { color: ${colour} } }</style><main><h1>Title</h1><p>Text</p></main>`,
      );
      await checkAccessibility(page, "x");
    };
    await look(row.well);
    const found = ["x", 320, row.colorScheme, [expect.stringContaining("color-contrast")]];
    for (let again = 0; again < 2; again++) await expect(look(row.pale)).rejects.toMatchObject({ actual: found });
    await look(row.well);
    await context.close();
  });

  test("the page of an alert in its frame is small, and sends no requests", async () => {
    const { context, page, faults } = await here.visit();
    const answer = (await page.goto(here.site.url + addressOf(FRAMED)))!;
    expect([answer.status(), (await answer.body()).length < MAX_PAGE_BYTES]).toEqual([200, true]);
    expect(answer.headers()["content-security-policy"]).toContain("sandbox");
    expect(faults.filter((fault) => !fault.startsWith("inline"))).toEqual([]);
    await context.close();
  });

  const keep = (name: string, screen: Buffer) =>
    sharp(screen)
      .png({ palette: true, effort: 10 })
      .toFile(joinPath(PICTURES!, `${name}.png`));

  test.each(PICTURES ? DRAWN : [])("draws $name", async ({ name, path, width, height }) => {
    const { context, page } = await here.visit({ colorScheme: "light", viewport: { width, height } });
    await page.goto(here.site.url + addressOf(`/console/:workspace/${path}`));
    await keep(`console_${name}`, await page.screenshot());
    await page.emulateMedia({ colorScheme: "dark" });
    await keep(`console_${name}_dark`, await page.screenshot());
    await context.close();
  });

  test.runIf(PICTURES)("draws the inbox, an opened alert in dark mode, and the page of their channel", async () => {
    const { world, url } = here.site;
    const ferries = await world.pusher({
      ...{ handle: "tejo-ferries", name: "Tejo Ferries", category: "travel", city: "Lisbon" },
      description: "When the ferries between Lisbon and Cacilhas run late, stop, or change their pier.",
    });
    const size = { width: 390, height: 760 };
    const { context, page } = await openWatchedPage(here.browser, here.site, { viewport: size, colorScheme: "light" });
    const seen: Buffer[] = [];
    const look = async () => seen.push(await page.screenshot({ animations: "disabled" }));
    await joinInApp(page, url, { handle: ferries.handle });
    await page.goto(`${url}/app/#inbox`);
    const send = (title: string, more: object) => world.alert(ferries.id, { title, send: true, ...more });
    await send("A quiet Sunday timetable", {});
    await send("The 18:40 leaves from pier 3", {
      ...{ body: "Pier 2 is closed until tomorrow morning. Follow the blue signs.", priority: "important" },
      actions: [{ type: "open_url", label: "Map of the piers", url: "https://example.org/piers" }],
    });
    const storm = await send("Storm: no ferries from 20:00", {
      body: "Gusts of 90 km/h are expected. The last boat leaves at 19:45; the night bus runs instead.",
      ...{ priority: "urgent", requires_ack: true, expires_at: timeInSeconds(36_000) },
      ...{ sound: "siren", tts_text: "The last boat leaves at 19:45." },
      actions: [{ type: "reply", label: "Do you need a seat on the night bus?", choices: ["Yes", "No"] }],
    });
    await page.getByRole("button", { name: /^Unread 3$/ }).waitFor();
    await page.mouse.move(0, 0);
    await look();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(`${url}/app/#alert/${storm.id}`);
    await page.locator(".whole").waitFor();
    await look();
    // In a browser without notifications, the app would show that the channel cannot alert it.
    await world.rest("update_pusher", { pusher_id: ferries.id, requested_perms: ["notify", "sound", "vibrate"] });
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(`${url}/c/${ferries.handle}`);
    await look();
    await page.goto("about:blank");
    await page.setViewportSize({ width: 1260, height: 830 });
    const screens = seen.map(
      (screen) => `<img style="border-radius: 22px" src="data:image/png;base64,${screen.toString("base64")}">`,
    );
    for (const [name, background] of [
      ["handset", "#e4e5df"],
      ["handset_dark", "#22262f"],
    ] as const) {
      await page.setContent(
        `<body style="display: flex; gap: 24px; margin: 35px 21px; background: ${background}">${screens.join("")}`,
      );
      await keep(name, await page.screenshot());
    }
    await context.close();
  });
});
