// Assistants that connect with only the address: the real clients of both protocol eras, a real browser in the person's
// place, and a loopback address for the response.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addWorkspaceMember, createEmptyWorkspace } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { INITIAL_ASSISTANT_SCOPES } from "../../src/model/scopes.ts";
import {
  ConsoleSite,
  joinByOneTimeLink,
  launchBrowser,
  openWatchedPage,
  type SharedBrowser,
  signIn,
} from "../support/console_site.ts";
import { describeInBrowser } from "../support/in_browser.ts";
import { createClientMemory, MCP_CLIENTS } from "../support/mcp_clients.ts";
import { USUAL_CLIENT } from "../support/oauth_flow.ts";

const PERSON = { name: "Ada Owner", email: "owner@example.org", password: "correct horse battery" };

let browser: SharedBrowser;
/** Where assistants wait for the answer. */
let loopback: Server;
let callback: string;
let answered: (url: URL) => void = () => {};

beforeAll(async () => {
  browser = await launchBrowser();
  loopback = createServer((request, response) => {
    const url = new URL(request.url!, callback);
    response.end("<!doctype html><title>done</title>You can close this page.");
    if (url.pathname === "/callback") answered(url);
  });
  await new Promise<void>((resolve) => loopback.listen(0, "127.0.0.1", resolve));
  callback = `http://127.0.0.1:${(loopback.address() as AddressInfo).port}/callback`;
});
afterAll(async () => {
  await browser?.close();
  loopback?.close();
});

/** The next response at the loopback address. */
const nextAnswer = () =>
  new Promise<URLSearchParams>((resolve) => {
    answered = (url) => resolve(url.searchParams);
  });

const clientMetadata = () => ({ ...USUAL_CLIENT, client_name: "Claude <b>Desktop</b>", redirect_uris: [callback] });

const box = (page: Page, scope: string) => page.locator(`[id="scope-${scope}"]`);

describeInBrowser("consent", () => {
  let site: ConsoleSite;
  const all: string[][] = [];
  const visitor = async () => {
    const watching = await openWatchedPage(browser, site);
    all.push(watching.faults);
    return watching.page;
  };

  beforeAll(async () => {
    site = await ConsoleSite.open();
    await joinByOneTimeLink(await visitor(), await site.link(), PERSON);
  });
  afterAll(() => site?.close());

  test.each(Object.entries(MCP_CLIENTS))(
    "%s connects with the address alone, steps up, and is disconnected",
    async (kind, open) => {
      const { world } = site;
      const seen = await world.pusher({ name: `Seen by ${kind}` });
      await world.pusher({ name: "Not seen" });
      const provider = createClientMemory({ redirectUrl: callback, clientMetadata: clientMetadata() });
      const assistant = open(`${site.url}/mcp`, provider);
      await expect(assistant.connect()).rejects.toThrow();

      const page = await visitor();
      await page.goto(provider.held.goTo.href);
      expect(await page.locator("main").textContent()).toContain("Claude <b>Desktop</b> wants to connect");
      await signIn(page, PERSON);
      await page.waitForURL(/\/console\/consent\?/);
      const consent = await page.locator("main").textContent();
      expect(consent).toContain(new URL(callback).host);
      expect(consent).toContain("Claude <b>Desktop</b>");
      // It requested to read and to write drafts. Read scopes are one line, and nothing else is ticked or open.
      expect(await box(page, "pushers:read").isChecked()).toBe(true);
      expect(await box(page, "pushers:read").isVisible()).toBe(false);
      expect(await box(page, "alerts:write").isVisible()).toBe(true);
      expect(await page.locator("input[name=scope]:visible").count()).toBe(1);
      expect(await page.locator("input[name=scope]:checked:not([id$=':read'])").count()).toBe(1);
      await page.getByText(/^Read access: \d+ permissions/).click();
      await page.getByText("Allow more than requested").click();

      // Nothing is ticked: the page shows what is missing, and nothing is connected.
      for (const each of await page.locator("input[name=scope]").all()) await each.uncheck();
      await page.getByRole("button", { name: "Allow", exact: true }).click();
      expect(await page.getByRole("alert").textContent()).toContain("Tick at least one");
      expect(await world.sql("select 1 from connection where client_id = ?", [provider.held.client.client_id])).toEqual(
        [],
      );

      for (const each of await page.locator("input[id$=':read']").all()) await each.check();
      await box(page, "subscribers:read").uncheck();
      await page.getByLabel("Channel", { exact: true }).selectOption(seen.id);
      const first = nextAnswer();
      await page.getByRole("button", { name: "Allow", exact: true }).click();
      const answer = await first;
      expect(answer.get("state")).toBe("a state");
      await page.waitForURL(/\/callback/);
      await assistant.finish(answer);
      await assistant.connect();

      const listed: any = await assistant.call("list_pushers");
      expect(listed.structuredContent.data.map(({ id }: any) => id)).toEqual([seen.id]);

      // An unticked permission is refused with 403, and the client requests it again.
      const bare = await fetch(`${site.url}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${provider.held.tokens.access_token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "list_subscribers", arguments: { pusher_id: seen.id } },
        }),
      });
      expect(bare.status).toBe(403);
      provider.held.goTo = null;
      await expect(assistant.call("list_subscribers", { pusher_id: seen.id })).rejects.toThrow();
      await page.goto(provider.held.goTo.href);
      await page.waitForURL(/\/console\/consent\?/);
      expect(await page.locator("h1").textContent()).toContain("requests more permissions");
      expect(await box(page, "pushers:read").isChecked()).toBe(true);
      // New scopes are first. Earlier grants are folded and stay ticked.
      expect(await box(page, "subscribers:read").isVisible()).toBe(true);
      expect(await box(page, "pushers:read").isVisible()).toBe(false);
      await page.getByText(/^Allowed before: \d+ permissions$/).click();
      expect(await box(page, "pushers:read").isVisible()).toBe(true);
      expect(await box(page, "subscribers:read").isChecked()).toBe(true);
      expect(await page.getByLabel("Channel", { exact: true }).inputValue()).toBe(seen.id);
      const second = nextAnswer();
      await page.getByRole("button", { name: "Allow", exact: true }).click();
      await assistant.finish(await second);
      await page.waitForURL(/\/callback/);
      const subscribers: any = await assistant.call("list_subscribers", { pusher_id: seen.id });
      expect(subscribers.isError).toBeFalsy();
      expect(((await assistant.call("list_pushers")) as any).structuredContent.data).toHaveLength(1);

      // Listed, and ended: the very next call is refused, and there is nothing to refresh.
      await page.goto(`${site.url}/console`);
      await page.getByRole("link", { name: "Developers" }).click();
      await page.getByRole("link", { name: "Assistants" }).click();
      const row = page.getByRole("row").filter({ hasText: "Claude <b>Desktop</b>" });
      expect(await row.textContent()).toContain(seen.handle);
      await row.getByRole("link", { name: /^Disconnect/ }).click();
      expect(await page.locator("h1").textContent()).toBe("Disconnect “Claude <b>Desktop</b>”?");
      const goesOn = await page.locator(".lede a").evaluateAll((links) => links.map((link) => link.textContent));
      expect(goesOn).toEqual(["webhooks", "scheduled alerts"]);
      await page.getByRole("button", { name: "Disconnect" }).click();
      expect(await page.getByRole("status").first().textContent()).toContain("disconnected");
      const { access_token, refresh_token } = provider.held.tokens;
      const after = await fetch(`${site.url}/mcp`, {
        method: "POST",
        headers: { authorization: `Bearer ${access_token}`, "content-type": "application/json" },
        body: "{}",
      });
      expect(after.status).toBe(401);
      if (refresh_token) {
        const refreshed = await fetch(`${site.url}/api/auth/oauth2/token`, {
          method: "POST",
          body: new URLSearchParams({
            grant_type: "refresh_token",
            refresh_token,
            client_id: provider.held.client.client_id,
          }),
        });
        expect(refreshed.status).toBeGreaterThanOrEqual(400);
      }
      await expect(assistant.call("list_pushers")).rejects.toThrow();
      await assistant.close().catch(() => {});
      await page.context().close();
      expect(all.flat()).toEqual([]);
    },
  );

  // rules#assistants-consent
  test("requires a workspace, pre-ticks named scopes, and accepts a refusal", async () => {
    const { world } = site;
    const em = world.service.orm.em.fork() as any;
    const workspace = await createEmptyWorkspace(em, { name: "Second workspace" });
    const member = await addWorkspaceMember(em, { workspace: workspace.id, email: PERSON.email, role: "viewer" });
    const page = await visitor();
    await joinByOneTimeLink(page, await site.link(member.id), PERSON);
    await page.waitForURL(/wsp_/);

    const registered = await fetch(`${site.url}/api/auth/oauth2/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...clientMetadata(), client_name: "Sender" }),
    });
    expect(registered.status).toBeLessThan(300);
    const { client_id } = (await registered.json()) as { client_id: string };
    const request = (scope: string | null) => {
      const query = new URLSearchParams({
        response_type: "code",
        client_id,
        redirect_uri: callback,
        state: "s",
        resource: `${site.url}/mcp`,
        code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        code_challenge_method: "S256",
        ...(scope === null ? {} : { scope }),
      });
      return `${site.url}/api/auth/oauth2/authorize?${query}`;
    };

    // The client named none: reading and drafting are requested.
    await page.goto(request(null));
    const ticked = await page
      .locator("input[name=scope]:checked")
      .evaluateAll((boxes: any[]) => boxes.map(({ value }) => value));
    expect(ticked.sort()).toEqual(INITIAL_ASSISTANT_SCOPES.filter((scope) => scope !== "account:read").sort());

    await page.goto(request("alerts:send alerts:write pushers:read"));
    for (const scope of ["alerts:send", "alerts:write", "pushers:read"])
      expect(await box(page, scope).isChecked()).toBe(true);
    expect(await page.locator("[id='scope-alerts:send-note']").textContent()).toContain("Second workspace (viewer)");
    // A channel of one workspace does not go with the other.
    const mine = await world.pusher({ name: "First's own" });
    await page.reload();
    await page.getByLabel("Channel", { exact: true }).selectOption(mine.id);
    await page.getByLabel("Second workspace").check();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    expect(await page.getByRole("alert").textContent()).toContain("not in the chosen workspace");
    expect(await page.getByLabel("Second workspace").isChecked()).toBe(true);

    const denied = nextAnswer();
    await page.getByRole("button", { name: "Do not allow" }).click();
    expect((await denied).get("error")).toBe("access_denied");
    await page.waitForURL(/\/callback/);
    expect(await world.sql("select 1 from connection where client_id = ?", [client_id])).toEqual([]);

    // A request that was changed on the way is invalid.
    await page.goto(request("pushers:read"));
    await page.goto(page.url().replace("pushers%3Aread", "alerts%3Asend"));
    expect(await page.locator("main").textContent()).toContain("has expired");
    await page.context().close();
    expect(all.flat()).toEqual([]);
  });
});
