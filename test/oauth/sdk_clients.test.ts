// The real clients of both protocol eras, with a person who allows their request but without a browser. With the result
// they must stay connected by themselves.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConsoleSite, type HttpVisitor, signInOwner } from "../support/console_site.ts";
import { createClientMemory, MCP_CLIENTS } from "../support/mcp_clients.ts";
import { allowConsent, USUAL_CLIENT } from "../support/oauth_flow.ts";
import { createHandle } from "../support/world.ts";

describe("on a service", () => {
  let site: ConsoleSite;
  let owner: HttpVisitor;
  beforeAll(async () => {
    site = await ConsoleSite.open();
    owner = await signInOwner(site.world, site.url);
  });
  afterAll(() => site?.close());

  test.each(Object.entries(MCP_CLIENTS))("%s stays connected without another visit", async (_, open) => {
    const provider = createClientMemory();
    const address = `${site.url}/mcp`;
    const first = open(address, provider);
    await expect(first.connect()).rejects.toThrow();
    const { goTo } = provider.held;
    const { headers } = await owner.get(goTo.pathname + goTo.search);
    const { next } = await allowConsent(owner, headers.get("location")!);
    await first.finish(next.searchParams);
    await first.close();
    expect(provider.held.tokens.refresh_token).toEqual(expect.any(String));

    // An hour later, as far as the client can determine.
    provider.held.tokens = { ...provider.held.tokens, access_token: "expired" };
    provider.held.goTo = null;
    const later = open(address, provider);
    await later.connect();
    const me = await later.call("get_me");
    expect(me.structuredContent.credential).toMatchObject({ type: "oauth", name: USUAL_CLIENT.client_name });
    expect(provider.held.tokens.access_token).not.toBe("expired");
    expect(provider.held.goTo).toBeNull();

    // A refresh would give the same scopes again: the person must consent, and earlier grants stay.
    const channel = { handle: createHandle(), name: "N", category: "ai", description: "d" };
    await expect(later.call("create_pusher", channel)).rejects.toThrow();
    const more = provider.held.goTo;
    const page = (await owner.get(more.pathname + more.search)).headers.get("location")!;
    await later.finish((await allowConsent(owner, page)).next.searchParams);
    expect((await later.call("create_pusher", channel)).structuredContent.handle).toBe(channel.handle);
    expect((await later.call("list_pushers")).isError ?? false).toBe(false);
    await later.close();
  });
});
