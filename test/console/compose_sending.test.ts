// The form of an alert: sends to many devices, unsent text and markup of another card. And the renderer that the
// preview shares with the app. rules#console-confirms-many, rules#console-unsent-text,
// rules#console-chosen-card, rules#console-same-buttons

import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { ApiError } from "../../src/model/api_error.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { parseAlertForm } from "../../src/pages/console/pages/compose_form_values.ts";
import { optionRow, renderOptionValues } from "../../src/pages/console/pages/compose_options.ts";
import { html } from "../../src/ui/html.ts";
import { OWNER, signInMember } from "../support/console_site.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { findAlertCard, joinInApp } from "../support/web_app.ts";

const CARD = {
  title: "Track 7",
  when: "now",
  layout: "text",
  priority: "normal",
  requires_ack: "yes",
  "reply.label": "Are you on site?",
  "reply.0": "Yes",
  "reply.1": "No",
  "actions.0.label": "Live board",
  "actions.0.url": "https://example.org/board",
};

test.each([
  ["text", null],
  ["image", null],
  ["", null],
  ["html", "<p>x</p>"],
  ["document", "<p>x</p>"],
])("the card %j takes its own markup only", (layout, html) => {
  const form = new URLSearchParams({
    layout,
    html: "<p>x</p>",
    html_asset_id: "ast_x",
    image_url: "https://example.org/a.png",
  });
  expect(parseAlertForm(form)).toMatchObject({
    html,
    html_asset_id: html && "ast_x",
    image_url: "https://example.org/a.png",
  });
});

test("a row of options has its value, and opens where it has an error", () => {
  const form = new URLSearchParams({ ...CARD, sound: "bell", audio_asset_id: "ast_x", tts_text: "<b> \u05e9" });
  const values = renderOptionValues(form).map((value) => /<bdi>(.*)<\/bdi>/s.exec(String(value))![1]);
  expect(values).toEqual([
    ...["Live board", "Are you on site?, Yes, No", "Bell", "an uploaded file", "&lt;b&gt; \u05e9", "None", "None"],
  ]);
  const row = (error?: ApiError) => String(optionRow({ form, error }, "Speech", html`<p>Fields</p>`));
  expect(row()).toMatch(/^<details class="more option"><summary>Speech<span class="value" id="option-4">/);
  const wrong = (param: string) =>
    new ApiError("field_required", "", { status: 422, fields: [{ param, message: "" }] });
  expect(row(wrong("tts_lang"))).toMatch(/^<details class="more option" open>/);
  expect(row(wrong("sound"))).not.toMatch(/^<details[^>]* open/);
});

describeInBrowser("sending from the form", () => {
  const here = openSiteAsOwner();
  const open = async (fields: Record<string, unknown> = {}) => {
    const { id, handle } = await here.site.world.pusher(fields);
    const path = `/console/${here.site.world.workspace.id}/channels/${id}/alerts/new`;
    return { id, handle, path };
  };
  const post = (path: string, fields: Record<string, string>) =>
    here.owner.post(path, fields, { from: "/console/account" });

  test("a missing title and a wrong button are named as in the form, also with the button that sends", async () => {
    const { path } = await open();
    for (const [fields, sentence] of [
      [{ title: "" }, "Title is missing."],
      [{ "actions.0.url": "http://example.org" }, "Button 1 link"],
      [{ image_url: "ftp://example.org" }, "Picture URL"],
      [{ "reply.1": "", "reply.0": "" }, "Answer 1"],
    ] as const)
      for (const act of ["send", "save"]) {
        const { status, text } = await post(path, { ...CARD, ...fields, act, once: crypto.randomUUID() });
        expect({ fields, act, status }).toMatchObject({ status: 422 });
        expect(text).toContain(sentence);
        expect(text).not.toContain("Fields");
      }
  });

  test("more than 50 devices are confirmed with the card, once for one content", async () => {
    const { id, path } = await open();
    const { world } = here.site;
    const setSubscribers = (count: number) =>
      world.sql("update channel_state set subscribers = ? where pusher_id = ?", [count, parseIdOrNull("psh", id)]);
    const fields = { ...CARD, act: "send", once: crypto.randomUUID() };
    const sent = async () => (await world.rest("list_alerts", { pusher_id: id })).body.data.length;
    await setSubscribers(51);
    const asked = await post(path, fields);
    expect(asked.status).toBe(409);
    expect(asked.text).toContain("Send to 51 devices?");
    expect(asked.text).toContain('<h3 id="confirmed-card" dir="auto">Track 7</h3>');
    expect(await sent()).toBe(0);
    const confirmed = /name="confirmed" value="([^"]+)"/.exec(asked.text)![1]!;
    const changed = await post(path, { ...fields, title: "Track 8", confirmed });
    expect([changed.status, await sent()]).toEqual([409, 0]);
    // A draft reaches no device.
    const kept = await post(path, { ...fields, title: "Draft", act: "save", once: crypto.randomUUID() });
    expect(kept.status).toBe(303);
    expect((await post(path, { ...fields, confirmed })).status).toBe(303);
    await setSubscribers(50);
    expect((await post(path, { ...fields, title: "Fifty", once: crypto.randomUUID() })).status).toBe(303);
  });

  test("the button to send is quiet until there is a title or a text, without script too", async () => {
    const { path } = await open();
    const { context, page } = await here.visit({ javaScriptEnabled: false });
    const background = (name: RegExp) =>
      page
        .getByRole("button", { name })
        .evaluate((one: any) => one.ownerDocument.defaultView.getComputedStyle(one).backgroundColor);
    await page.goto(here.site.url + path);
    const quiet = await background(/^Save as draft/);
    expect(await background(/^Send to/)).toBe(quiet);
    expect(await page.getByRole("button", { name: /^Send to/ }).isEnabled()).toBe(true);
    for (const field of ["#title", "#body"]) {
      await page.fill(field, "Low tide");
      expect(await background(/^Send to/)).not.toBe(quiet);
      await page.fill(field, "");
      expect(await background(/^Send to/)).toBe(quiet);
    }
    await context.close();
  });

  test("a closed row of options shows the value that was chosen in it", async () => {
    const { path } = await open();
    const { context, page, faults } = await here.visit({ viewport: { width: 390, height: 844 } });
    await page.goto(here.site.url + path);
    const row = page.locator(".option", { hasText: "Sound and vibration" });
    const value = row.locator("summary > .value");
    expect(await value.textContent()).toBe("None");
    await row.locator("summary").click();
    expect(await value.isVisible()).toBe(false);
    await page.selectOption("#sound", "bell");
    await row.locator("summary").click();
    await expect.poll(() => value.textContent()).toBe("Bell");
    expect(await value.isVisible()).toBe(true);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("text survives a reload, is offered on another visit, and leaves with a send or the user", async () => {
    const { path } = await open();
    const { context, page, faults } = await here.visit({ viewport: { width: 390, height: 844 } });
    const stored = () =>
      page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("belfry-text")).length);
    await page.goto(here.site.url + path);
    expect(await page.locator(".deciding .said").textContent()).toContain("Unsent text stays in this browser.");
    expect(await stored()).toBe(0);
    await page.fill("#title", "Unsent title");
    await page.locator("#requires_ack").check();
    await page.locator("[name=priority][value=urgent]").check({ force: true });
    await page.locator("#sure").check();
    await page.reload();
    await expect.poll(() => page.inputValue("#title")).toBe("Unsent title");
    expect(await page.locator("#requires_ack").isChecked()).toBe(true);
    expect(await page.locator("#sure").isChecked()).toBe(false);
    await page.goto(here.site.url + path);
    expect(await page.inputValue("#title")).toBe("");
    await page.getByRole("button", { name: "Restore" }).click();
    expect(await page.inputValue("#title")).toBe("Unsent title");
    // The buttons of the foot keep one line each.
    for (const button of await page.locator(".acts button:visible").all())
      expect((await button.boundingBox())!.height).toBeLessThan(50);
    await page.getByRole("button", { name: "Save as draft" }).click();
    await page.waitForURL(/alr_/);
    await expect.poll(stored).toBe(0);
    await page.goto(here.site.url + path);
    await page.fill("#title", "Left behind");
    expect(await stored()).toBe(1);
    await page.locator(".inside .more").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/sign-in/);
    expect(await stored()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
    const { cookies } = await signInMember(here.site.world, OWNER, here.site.url);
    for (const [name, value] of cookies) here.owner.cookies.set(name, value);
  });

  test("the preview has the same question, answers and buttons as the app", async () => {
    const { id, handle, path } = await open();
    const { site } = here;
    const { context, page } = await here.visit({ viewport: { width: 390, height: 844 } });
    await joinInApp(page, site.url, { handle });
    await page.goto(site.url + path);
    for (const [name, value] of Object.entries(CARD)) {
      const field = page.locator(`form.compose [name="${name}"]`).first();
      const type = await field.getAttribute("type");
      if (type === "checkbox") await field.evaluate((box: any) => box.click());
      else if (type !== "radio")
        await field.evaluate((box: any, text) => {
          box.value = text;
          box.dispatchEvent(new Event("input", { bubbles: true }));
        }, value);
    }
    await page.locator("#preview .question .button", { hasText: "Yes" }).waitFor({ state: "attached" });
    await page.locator(".peek summary").click();
    const { actions } = parseAlertForm(new URLSearchParams(CARD));
    const sent = { pusher_id: id, title: CARD.title, requires_ack: true, actions, send: true };
    expect((await site.world.rest("create_alert", sent)).status).toBe(201);
    const app = await context.newPage();
    await app.goto(`${site.url}/app/`);
    await findAlertCard(app, CARD.title).waitFor();
    // A list has one row of buttons, and the opened alert has all of them.
    await findAlertCard(app, CARD.title).getByRole("link").first().click();
    await app.locator(".whole .question").waitFor();
    const shown = await actionsIn(app.locator(".whole"));
    expect(shown.markup).toContain("<legend>Are you on site?</legend>");
    // Each field that changes loads the preview again.
    await expect.poll(() => actionsIn(page.locator("#preview .alert"))).toEqual(shown);
    await context.close();
  });
});

/** The question and the buttons of a card without what makes them controls, and the heights of the buttons. */
async function actionsIn(alert: Locator): Promise<{ markup: string; heights: number[] }> {
  const parts = await alert
    .locator(".question, footer")
    .evaluateAll((elements) => elements.map((one: any) => one.outerHTML));
  const markup = parts
    .join("")
    .replace(/<(\/?)(button|a|span)\b/g, "<$1x")
    .replace(/ (?!class=)[\w-]+="[^"]*"/g, "")
    .replace(/class="(?:button ?)?(\w*) ?"/g, 'class="$1"')
    .replace(/ class=""/g, "")
    .replace(/<svg[^>]*>.*?<\/svg>/g, "<svg>");
  const heights: number[] = [];
  for (const button of await alert.locator("footer > *, .question > :not(legend)").all())
    heights.push(Math.round((await button.boundingBox())!.height));
  return { markup, heights };
}
