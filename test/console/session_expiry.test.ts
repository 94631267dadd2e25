// A session that ends while a person writes: the text is restored in its form after signing in, and nothing was done
// (rules#console-kept).

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CONSOLE_PAGES } from "../../src/pages/console/routes.ts";
import { HttpVisitor, OWNER, signIn, signInOwner, type WatchedPage } from "../support/console_site.ts";
import { startDatabaseProxy } from "../support/database_proxy.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { computeTotp } from "../support/totp_codes.ts";
import { World } from "../support/world.ts";

/** Forms without typed text: buttons, secrets that are required again, and input for a script. */
const NOTHING_WRITTEN = new RegExp(
  `/(${(
    "delete revoke remove end disconnect leave test enable again secret duplicate sign-out link off recovery confirm " +
      "second-factor oidc begin preview page shown upload asking reviews mail bulk pause resume"
  ).replaceAll(" ", "|")})$`,
);

test("every page that takes written text shows it again", () => {
  const without = CONSOLE_PAGES.filter(
    (page) => page.method === "POST" && page.for !== "anyone" && !page.again && !NOTHING_WRITTEN.test(page.path),
  );
  expect(without.map(({ path }) => path)).toEqual([]);
});

const hidden = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";

describe("without a browser", () => {
  let world: World;
  let owner: HttpVisitor;
  let base: string;
  let pusher: any;
  let alert: any;

  beforeAll(async () => {
    world = await World.open();
    owner = await signInOwner(world);
    base = `/console/${world.workspace.id}/`;
    pusher = await world.pusher({ name: "Ferries" });
    alert = await world.alert(pusher.id, { title: "The pier" });
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    if ((await owner.get("/console/account")).status === 303) await owner.post("/console/sign-in", OWNER);
  });

  const channel = () => `${base}channels/${pusher.id}`;
  const counted = async () =>
    (
      await world.sql(
        "select (select count(*) from alert) + (select count(*) from api_key) + (select count(*) from invite) + " +
          "(select count(*) from member) + (select count(*) from webhook_endpoint) + (select count(*) from pusher) + " +
          "(select count(*) from workspace) as n",
      )
    )[0].n;
  const endSessions = () => world.sql("delete from auth.session");
  /** Signs in by the form that the page shows. */
  const comingBack = (page: WatchedPage, more: Record<string, string> = {}) =>
    owner.post(
      "/console/sign-in",
      { ...OWNER, next: hidden(page.text, "next"), kept_form: hidden(page.text, "kept_form"), ...more },
      { token: hidden(page.text, "form_token") },
    );
  /** The form that the last page submits. */
  const goingOn = (page: WatchedPage, at: string, visitor = owner) => {
    expect(page.text).toContain(`action="${at}"`);
    return visitor.post(at, { kept_form: hidden(page.text, "kept_form") }, { token: null });
  };

  const FORMS: [name: string, at: () => string, fields: Record<string, string>, shown: RegExp[]][] = [
    [
      "a new alert",
      () => `${channel()}/alerts/new?once=${"o".repeat(22)}`,
      {
        title: "River <rises>",
        body: "Line one\r\nLine two",
        layout: "text",
        priority: "urgent",
        when: "now",
        act: "send",
        once: "o".repeat(22),
      },
      [
        /value="River &lt;rises&gt;"/,
        /Line one\nLine two/,
        /value="urgent" checked/,
        new RegExp(`name="once" value="${"o".repeat(22)}"`),
      ],
    ],
    [
      "an edit",
      () => `${channel()}/alerts/${alert.id}/edit`,
      { title: "Another title", layout: "text", priority: "normal", when: "now", act: "save", version: "now" },
      [/value="Another title"/],
    ],
    [
      "a reply",
      () => `${channel()}/alerts/${alert.id}`,
      { act: "decline", review_reply: "Say which pier.", version: "now" },
      [/Say which pier\./],
    ],
    [
      "a channel",
      () => `${base}channels/new`,
      { handle: "trams", name: "Trams of the town" },
      [/value="Trams of the town"/],
    ],
    [
      "settings",
      () => `${channel()}/edit`,
      { act: "save", name: "Ferries and more", seen: "now" },
      [/value="Ferries and more"/],
    ],
    [
      "an invite",
      () => `${channel()}/invites`,
      { label: "For the harbour", life: "day" },
      [/value="For the harbour"/, /value="day" checked/],
    ],
    [
      "a key",
      () => `${base}keys`,
      { name: "deploys", life: "30d", scope: "pushers:read" },
      [/value="deploys"/, /value="30d" selected/, /id="scope-pushers:read"[^>]* checked/],
    ],
    [
      "a member",
      () => `${base}members`,
      { email: "new@example.org", role: "viewer", sees: "all" },
      [/value="new@example\.org"/, /value="viewer" selected/],
    ],
    [
      "a webhook",
      () => `${base}webhooks`,
      { url: "https://example.org/hook", events: "alert.sent" },
      [/value="https:\/\/example\.org\/hook"/],
    ],
    [
      "the workspace's name",
      () => `${base}settings`,
      { act: "name", name: "Harbour office" },
      [/value="Harbour office"/],
    ],
    ["one's own name", () => "/console/account/name", { name: "Ada Ferreira" }, [/value="Ada Ferreira"/]],
    ["another workspace", () => "/console/account/workspaces", { workspace: "Trams" }, [/value="Trams"/]],
  ];

  // rules#console-kept
  test.each(FORMS)("%s", async (_, path, fields, shown) => {
    const at = path();
    const seen = fields.seen && hidden((await owner.get(at)).text, "seen");
    const written = { ...fields, ...(seen && { seen }), ...(fields.version && { version: alert.updated_at }) };
    const before = await counted();
    const token = await owner.token("/console/account");
    await endSessions();
    const out = await owner.post(at, written, { token });
    expect(out.status).toBe(401);
    expect(out.text).toContain("You were signed out, so nothing was saved.");
    expect(out.text).toContain("Your text is kept.");
    // Encrypted: the page does not reveal the text.
    for (const [name, value] of Object.entries(fields))
      if (value.length > 8 && name !== "once") expect(out.text).not.toContain(value);
    const wrong = await comingBack(out, { password: "not the password" });
    expect([wrong.status, hidden(wrong.text, "kept_form")]).toEqual([401, hidden(out.text, "kept_form")]);
    const back = await comingBack(wrong);
    expect(back.status).toBe(200);
    const again = await goingOn(back, at.replaceAll("&", "&amp;"));
    expect(again.status).toBe(409);
    expect(again.text).toContain("You were signed out, so nothing was saved. Check your text");
    for (const one of shown) expect(again.text).toMatch(one);
    expect(await counted()).toBe(before);
  });

  test("a page that only has buttons gives the reason, and links back to their page", async () => {
    const token = await owner.token("/console/account");
    await endSessions();
    const at = `${channel()}/alerts/${alert.id}/duplicate`;
    const referer = `http://localhost:8787${channel()}/alerts/${alert.id}`;
    const out = await owner.post(at, { once: "x" }, { token, headers: { referer } });
    expect([out.status, hidden(out.text, "kept_form")]).toEqual([401, ""]);
    expect(out.text).toContain("You were signed out, so nothing was saved.");
    expect((await comingBack(out)).headers.get("location")).toBe(`${channel()}/alerts/${alert.id}`);
    // A list is shown again with its query.
    await endSessions();
    const { headers } = await owner.get(`${base}audit?actor=mem_x&before=2026-01-01T00:00:00Z`);
    const next = new URL(headers.get("location")!, "http://127.0.0.1").searchParams.get("next")!;
    expect(next).toContain("audit?actor=mem_x");
    expect((await owner.post("/console/sign-in", { ...OWNER, next })).headers.get("location")).toContain("actor=mem_x");
  });

  // rules#console-forgery
  test("restored text is shown and never submitted, at its own address alone, if encrypted here", async () => {
    const at = `${base}keys`;
    const token = await owner.token("/console/account");
    await endSessions();
    const out = await owner.post(at, { name: "deploys", life: "30d", scope: "pushers:read" }, { token });
    await comingBack(out);
    const kept_form = hidden(out.text, "kept_form");
    const before = await counted();
    const other = { name: "other", life: "7d", scope: "pushers:read" };
    for (const more of [{}, other])
      expect((await owner.post(at, { kept_form, ...more }, { token: null })).text).toContain('value="deploys"');
    for (const [path, value] of [
      [`${base}webhooks`, kept_form],
      [at, `${kept_form.slice(0, -4)}AAAA`],
      [at, "nonsense"],
    ] as const)
      expect((await owner.post(path, { kept_form: value }, { token: null })).status).toBe(403);
    const elsewhere = { origin: "https://elsewhere.example" };
    expect((await owner.post(at, { kept_form }, { token: null, headers: elsewhere })).status).toBe(403);
    expect(await counted()).toBe(before);
    // Passwords are required again.
    await endSessions();
    const passwords = { present: "my present password", next: "my next password" };
    const none = await owner.post("/console/account/password", passwords, { token });
    expect([none.status, hidden(none.text, "kept_form")]).toEqual([401, ""]);
  });

  test("a person who signed in again in the meantime sees the form with the text", async () => {
    const token = await owner.token("/console/account");
    await owner.post("/console/sign-out", {}, { token });
    await owner.post("/console/sign-in", OWNER);
    const before = await counted();
    const again = await owner.post(`${base}keys`, { name: "deploys", life: "30d" }, { token });
    expect(again.status).toBe(403);
    expect(again.text).toContain("Your session changed, so nothing was saved.");
    expect(again.text).toContain('value="deploys"');
    expect(await counted()).toBe(before);
  });

  test("while the database is away the page of the refusal keeps it", async () => {
    const proxy = await startDatabaseProxy(world.settings.DATABASE_URL!);
    const silence = {
      DATABASE_CONNECT_TIMEOUT_MS: "1000",
      DATABASE_STATEMENT_TIMEOUT_MS: "1000",
      DATABASE_POOL_SIZE: "2",
    };
    const replica = await world.replica({ DATABASE_URL: proxy.url, ...silence });
    const there = new HttpVisitor(replica);
    for (const [name, value] of owner.cookies) there.cookies.set(name, value);
    const [at, token] = [`${base}keys`, await there.token(`${base}keys`)];
    proxy.fallSilent();
    const away = await there.post(at, { name: "deploys", life: "30d" }, { token });
    expect([away.status >= 500, away.text.includes("Your text is kept on this page.")]).toEqual([true, true]);
    proxy.speak();
    // Connections from before stay silent until they are given up.
    await expect.poll(async () => (await there.get(at)).status).toBe(200);
    expect((await goingOn(away, at, there)).text).toContain('value="deploys"');
    await replica.close();
    await proxy.close();
  });

  test("it is kept through the second step", async () => {
    const factor = "/console/account/second-factor";
    const { text } = await owner.post(factor, { present: OWNER.password });
    const uri = hidden(text, "uri").replaceAll("&amp;", "&");
    await owner.post(`${factor}/confirm`, { uri, code: await computeTotp(uri, -1) }, { from: factor });
    const token = await owner.token("/console/account");
    await endSessions();
    const at = `${base}keys`;
    const out = await owner.post(at, { name: "deploys", life: "30d" }, { token });
    const second = await comingBack(out);
    expect(second.text).toContain("Enter your code");
    const kept_form = hidden(second.text, "kept_form");
    const shown = { code: await computeTotp(uri), kept_form };
    const back = await owner.post("/console/sign-in/code", shown, { token: hidden(second.text, "form_token") });
    expect((await goingOn(back, at)).text).toContain('value="deploys"');
    await owner.post(`${factor}/off`, { present: OWNER.password });
  });
});

describeInBrowser("in a browser", () => {
  const its = openSiteAsOwner();
  let pusher: any;

  beforeAll(async () => {
    pusher = await its.site.world.pusher({ name: "Ferries" });
  });

  // rules#console-once
  test("a post that breaks off is sent once more by the browser, and makes one alert", async () => {
    const { context, page } = await its.visit();
    await page.goto(`${its.base}channels/${pusher.id}/alerts/new`);
    await page.locator("#title").fill("Broken off");
    await page.locator("#body").fill("Half way.");
    await page.route("**/alerts/new?*", (route) => route.abort("connectionreset"));
    await page.getByRole("button", { name: /^Send to/ }).click();
    await page.waitForURL(/^chrome-error:/);
    await page.unroute("**/alerts/new?*");
    await page.reload();
    await page.getByRole("status").filter({ hasText: "was sent" }).waitFor();
    const { data } = (await its.site.world.rest("list_alerts", { pusher_id: pusher.id })).body;
    expect(data.filter((alert: any) => alert.title === "Broken off")).toHaveLength(1);
    await context.close();
  });

  // rules#console-kept
  test.each([true, false])(
    "a session that ends during composing costs one sign-in, scripts: %s",
    async (javaScriptEnabled) => {
      const { context, page, faults } = await its.visit({ javaScriptEnabled });
      if (!javaScriptEnabled) {
        await page.goto(`${its.base}keys`);
        await signIn(page, OWNER);
      }
      await page.goto(`${its.base}channels/${pusher.id}/alerts/new`);
      const form = page.url();
      const title = `River at 3.9 m ${javaScriptEnabled}`;
      await page.locator("#title").fill(title);
      await its.site.world.sql("delete from auth.session");
      await page.locator("#body").fill("Water reaches the ramp.");
      if (javaScriptEnabled)
        await page.getByRole("status").filter({ hasText: "You were signed out. Your text is kept" }).waitFor();
      await page.getByRole("button", { name: /^Send to/ }).click();
      await page.getByRole("alert").filter({ hasText: "You were signed out, so nothing was saved." }).waitFor();
      await signIn(page, OWNER);
      if (!javaScriptEnabled) await page.getByRole("button", { name: "Continue with my text" }).click();
      await page.getByRole("alert").filter({ hasText: "Check your text below" }).waitFor();
      expect(page.url()).toBe(form);
      expect(await page.locator("#title").inputValue()).toBe(title);
      expect(await page.locator("#body").inputValue()).toBe("Water reaches the ramp.");
      expect(await page.locator(".phone h3").textContent()).toBe(title);
      await page.getByRole("button", { name: /^Send to/ }).click();
      await page.getByRole("status").filter({ hasText: "was sent" }).waitFor();
      const { data } = (await its.site.world.rest("list_alerts", { pusher_id: pusher.id })).body;
      expect(data.filter((alert: any) => alert.title === title)).toHaveLength(1);
      expect(faults).toEqual([]);
      await context.close();
    },
  );
});
