// Webhooks and the audit log in a browser without script: an endpoint is made, fails until it is disabled, is tried, enabled and
// given what it missed; the log tells it all. And what nobody must meet on these pages.

import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifySignature } from "../../src/effects/webhooks/sign.ts";
import { addMember } from "../../src/identity/operator/accounts.ts";
import { uuidOf } from "../support/handsets.ts";
import { inBrowser, siteAndOwner } from "../support/in_browser.ts";
import { HEAVIEST, keepsNobodyOut } from "../support/looks.ts";
import { httpSink } from "../support/sinks.ts";
import { OWNER, signedInAs } from "../support/site.ts";
import { WAIT } from "../support/wait.ts";

const ADA = { ...OWNER, name: "Ada Owner" };

inBrowser("an owner", () => {
  const its = siteAndOwner(
    { settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1", AUDIT_RETENTION_DAYS: "90" } },
    ADA,
  );
  let sink: Awaited<ReturnType<typeof httpSink>>;
  let status = 200;
  const clean: string[][] = [];

  async function visit(options: BrowserContextOptions = {}): Promise<Page> {
    const { page, faults } = await its.visit(options);
    clean.push(faults);
    await page.goto(its.base);
    return page;
  }

  beforeAll(async () => {
    sink = await httpSink((_request, response) => {
      response.statusCode = status;
      response.end();
    });
  });
  afterAll(() => sink?.close());

  const reloadedUntil = (page: Page, words: RegExp) =>
    expect
      .poll(async () => {
        await page.reload();
        return page.locator("main").textContent();
      }, WAIT)
      .toMatch(words);

  // docs/rules.md#webhook-by-hand
  test("makes a webhook, mends it, gives it what it missed, changes its secret and deletes it", async () => {
    const { world } = its.site;
    const pusher = await world.pusher({ name: "Harbour" });
    const page = await visit({ javaScriptEnabled: false });
    await page.getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("button", { name: "Add the endpoint" }).click();
    expect(await page.getByRole("alert").getByRole("link").allTextContents()).toEqual([
      "Address is missing.",
      "What is sent there needs at least one choice.",
    ]);
    await page.getByLabel("Address", { exact: true }).fill("ftp://nowhere");
    await page.getByLabel(/An alert was sent/).check();
    await page.getByRole("button", { name: "Add the endpoint" }).click();
    expect(await page.getByRole("alert").textContent()).toContain("https");
    expect(await page.getByLabel(/An alert was sent/).isChecked()).toBe(true);
    expect(await page.getByLabel("Address", { exact: true }).inputValue()).toBe("ftp://nowhere");
    expect(await page.evaluate("document.activeElement.id")).toBe("url");
    await page.getByLabel("Address", { exact: true }).fill(`http://127.0.0.1:${sink.port}/in`);
    await page.getByLabel(/An alert was sent/).check();
    await page.getByRole("button", { name: "Add the endpoint" }).click();
    const secret = (await page.locator("pre").textContent())!;
    expect(secret).toMatch(/^whsec_/);
    await page.reload();
    expect(await page.locator("pre").textContent()).toBe(secret);
    expect(await world.sql("select from webhook_endpoint")).toHaveLength(1);
    await page.getByRole("link", { name: "I have copied it" }).click();
    expect(await page.content()).not.toContain(secret);
    expect(await page.locator("main").textContent()).toContain("There are no automatic retries");

    // It fails until it is disabled.
    status = 500;
    const [{ id }] = await world.sql("select id from webhook_endpoint");
    await world.sql("update webhook_endpoint set failure_count = 19");
    await world.alert(pusher.id, { title: "Missed", send: true });
    await reloadedUntil(page, /Disabled since/);
    expect(await page.getByRole("button", { name: /^Deliver again/ }).count()).toBe(0);

    // Mended, tried, enabled.
    status = 200;
    await page.getByRole("button", { name: "Send a test event" }).click();
    expect(await page.getByRole("status").textContent()).toContain("on its way");
    await reloadedUntil(page, /webhook\.test.*taken/);
    await page.getByRole("button", { name: "Enable it again" }).click();
    expect(await page.locator("main").textContent()).not.toContain("Disabled since");
    await page.getByRole("button", { name: /^Deliver again alert\.sent/ }).click();
    await expect.poll(() => sink.requests.length, WAIT).toBe(3);
    expect(sink.requests[2]!.body.toString()).toBe(sink.requests[0]!.body.toString());
    await reloadedUntil(page, /by hand, once more.*taken/);

    // A new secret beside the old one.
    await page.getByRole("link", { name: "New secret" }).click();
    expect(await page.locator("main").textContent()).toContain("For 24 hours");
    await page.getByRole("button", { name: "Make a new secret" }).click();
    const next = (await page.locator("pre").textContent())!;
    await page.getByRole("link", { name: "I have copied it" }).click();
    await page.getByRole("button", { name: "Send a test event" }).click();
    await expect.poll(() => sink.requests.length, WAIT).toBe(4);
    const { headers, body } = sink.requests[3]!;
    const header = String(headers["x-webhook-signature"]);
    for (const one of [secret, next])
      expect(verifySignature({ header, rawBody: body, secret: one })).toBe(true);

    await page.getByRole("link", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete the webhook" }).click();
    expect(await page.locator("main").textContent()).toContain("No endpoints");
    expect(await world.sql("select from webhook_endpoint where id = ?", [id])).toEqual([]);
  });

  // docs/rules.md#audit-list
  test("reads who did all that, by channel and by who, and keeps it as a table", async () => {
    const { world } = its.site;
    const key = await world.key({ name: "=cmd|' /C calc'!A0" });
    const pusher = await world.pusher({ name: "Lighthouse" }, key);
    const page = await visit({ javaScriptEnabled: false });
    await page.getByRole("link", { name: "Audit log" }).click();
    const main = page.locator("main");
    for (const words of ["Remove webhook", "Rotate webhook secret", "Enable webhook", "Redeliver event"])
      expect(await main.textContent()).toContain(words);
    expect(await main.textContent()).toContain("Lines are kept for 90 days");
    expect(await main.textContent()).toContain("Ada Owner");
    await page.getByLabel("Channel").selectOption({ label: "Lighthouse" });
    await page.getByRole("button", { name: "Show" }).click();
    expect(await page.locator("tbody tr").count()).toBe(1);
    expect(await page.locator("tbody").textContent()).toMatch(/Create channel.*key, REST/);
    const csv = (await page.getByRole("link", { name: "Download as CSV" }).getAttribute("href"))!;
    const { headers, text } = await asOwner(page, csv);
    expect(headers["content-type"]).toContain("text/csv");
    const [head, line, end] = text.split("\r\n");
    expect(head).toMatch(/^at,operation,actor_type/);
    expect(line).toContain("'=cmd|' /C calc'!A0");
    expect(line).toContain(`${pusher.id},Lighthouse,${pusher.id},active`);
    expect(end).toBe("");
    await page.getByLabel("Channel").selectOption("");
    await page.getByLabel("Who").selectOption({ label: "Ada Owner (person)" });
    await page.getByRole("button", { name: "Show" }).click();
    expect(await page.locator("tbody").textContent()).not.toContain("key,");

    // Pages of twenty-five.
    await world.sql(
      `insert into audit_event (id, workspace_id, actor_type, transport, operation, created_at)
       select gen_random_uuid(), ?, 'operator', 'operator', 'suspend_channel', now() - interval '1 hour' - n * interval '1 second'
       from generate_series(1, 45) n`,
      [uuidOf(world.workspace.id)],
    );
    await page.goto(`${its.base}audit`);
    for (const next of ["Older", "Older"]) await page.getByRole("link", { name: next }).click();
    expect(await page.getByRole("link", { name: "Older" }).count()).toBe(0);
    await page.getByRole("link", { name: "Newest" }).click();
    expect(page.url()).toBe(`${its.base}audit`);
    const asked = (path: string) => page.context().request.get(its.base + path, { maxRedirects: 0 });
    for (const [wrong, told] of [
      ["audit?before=x", 422],
      ["webhooks/whk_x", 404],
      ["audit?channel=nothing", 404],
      ["audit.csv?actor=nobody", 200],
    ] as const)
      expect([wrong, (await asked(wrong)).status()]).toEqual([wrong, told]);
  });

  async function asOwner(page: Page, path: string) {
    const answer = await page.context().request.get(its.site.url + path);
    return { headers: answer.headers(), text: await answer.text() };
  }

  test("who only looks is offered nothing to do", async () => {
    const { world } = its.site;
    const { body: hook } = await world.rest("create_webhook", {
      url: `http://127.0.0.1:${sink.port}/`,
      events: ["alert.sent"],
    });
    const email = "vi@example.org";
    const em = world.service.orm.em.fork() as never;
    await addMember(em, { workspace: world.workspace.id, email, role: "viewer" });
    const viewer = await signedInAs(world, { ...OWNER, name: "Vi", email }, its.site.url);
    const path = `/console/${world.workspace.id}/webhooks`;
    for (const one of [path, `${path}/${hook.id}`]) {
      const { status: seen, text } = await viewer.get(one);
      expect(seen).toBe(200);
      expect(text.match(/<form/g)).toHaveLength(1);
      const fields: Record<string, string | string[]> =
        one === path ? { url: "https://93.184.216.34/", events: ["alert.sent"] } : {};
      const act = one === path ? one : `${one}/test`;
      expect((await viewer.post(act, fields, { from: path })).status, act).toBe(403);
    }
    expect((await viewer.get(`${path}/../audit`)).status).toBe(200);
  });

  test("nothing keeps anybody out: axe at three widths, light and dark, no other server, no heavy page", async () => {
    const { world } = its.site;
    await world.sql("delete from webhook_endpoint");
    const page = await visit();
    let bytes = 0;
    page.on("response", async (response) => {
      bytes += (await response.body().catch(() => Buffer.alloc(0))).length;
    });
    const looked = async (path: string) => {
      bytes = 0;
      await page.goto(its.base + path);
      expect([path, bytes < HEAVIEST]).toEqual([path, true]);
      await keepsNobodyOut(page, path);
    };
    await looked("webhooks");
    const url = `https://93.184.216.34/${"long".repeat(60)}`;
    const events = ["alert.sent", "alert.scheduled", "alert.cancelled", "subscriber.created"];
    const { body: hook } = await world.rest("create_webhook", { url, events });
    await world.rest("rotate_webhook_secret", { webhook_id: hook.id });
    await looked(`webhooks/${hook.id}`);
    await world.sql(
      `insert into webhook_delivery (id, endpoint_id, event_id, event, body, ok, status, failure, duration_ms)
       select gen_random_uuid(), ?, gen_random_uuid(), 'alert.sent', '{}', n % 3 = 0 and null is distinct from n,
         case when n % 3 = 0 then 204 end, case when n % 3 > 0 then (array['timeout','tls'])[n % 3] end, n * 100
       from generate_series(1, 60) n`,
      [uuidOf(hook.id)],
    );
    await world.sql(
      "update webhook_endpoint set failure_count = 20, disabled_at = now(), last_delivery_at = now(), last_status = 500, dropped_count = 3",
    );
    for (const path of [
      "webhooks",
      `webhooks/${hook.id}`,
      `webhooks/${hook.id}/secret`,
      `webhooks/${hook.id}/delete`,
      "audit",
      "audit?channel=psh_none",
    ])
      await looked(path);
    expect(clean.flat()).toEqual([]);
  });
});
