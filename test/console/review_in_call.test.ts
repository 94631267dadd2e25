// An assistant requests a decision in the call, over the network: one tap on a phone publishes, and nothing else does.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { alertArguments } from "../cases/fixtures.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";

const info = { name: "test", version: "1.0.0" };
const capabilities = { elicitation: { url: {} } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describeInBrowser("in a browser", () => {
  const its = openSiteAsOwner();

  // rules#mcp-review, rules#asks-first
  test.each([
    ["MCP", { scopes: "alerts:read,alerts:write" }],
    ["REST", { scopes: "all", requires_approval: true }],
  ])("a client over %s that may not publish alone publishes by one tap of its person", async (transport, may) => {
    const { world, url } = its.site;
    const pusher = await world.pusher({ name: "Ferries" });
    const key = await world.key(may);
    const { body: alert } = await world.rest(
      "create_alert",
      {
        pusher_id: pusher.id,
        title: "Line 3 is suspended",
        body: "Strong wind.",
        review_note: "The operator says so.",
      },
      key,
    );
    const status = async () => (await world.rest("get_alert", alertArguments(alert))).body.status;
    const { context, page, faults } = await its.visit(PHONE);
    const send = async (address: string) => {
      expect(await status()).toBe("draft");
      await page.goto(address);
      const button = page.getByRole("button", { name: /^Send to \d/ });
      await button.waitFor();
      const { y, height } = (await button.boundingBox())!;
      expect(y + height, "in reach without scrolling").toBeLessThanOrEqual(PHONE.viewport.height);
      await button.tap();
      await expect.poll(status).toBe("sent");
    };
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    const call = { name: "send_alert", arguments: alertArguments(alert) };
    if (transport === "REST") {
      const refused = await world.rest(call.name, call.arguments, key);
      expect(refused.status).toBe(403);
      await send(/http\S+$/.exec(refused.body.error.message)![0]);
      const told = await world.rest("wait_for_review", { ...call.arguments, seconds: 0 }, key);
      expect(told.body.decision).toBe("sent");
    } else {
      const client = new Client(info, { capabilities, versionNegotiation: { mode: "auto" } });
      client.setRequestHandler("elicitation/create", async ({ params }: any) => {
        await send(params.url);
        return { action: "accept" };
      });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
      expect((await client.callTool(call)).structuredContent).toMatchObject({ decision: "sent" });
      await client.close();
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});
