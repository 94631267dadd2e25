// The real clients of both protocol eras, with a person who allows what they ask for but without a browser: what they are
// given must let them stay connected by themselves.

import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allow, CALLBACK, ownerOf, USUAL } from "./support/oauth.ts";
import { Site, type Visitor } from "./support/site.ts";
import { DATABASES, uniqueHandle } from "./support/world.ts";

/** An assistant's memory, as both clients want it. */
function memory(more: object = {}) {
  const held: Record<string, any> = {};
  const keep = (what: object) => {
    Object.assign(held, what);
  };
  return {
    held,
    redirectUrl: CALLBACK,
    clientMetadata: USUAL,
    state: () => "a state",
    clientInformation: () => held.client,
    saveClientInformation: (client: unknown) => keep({ client }),
    discoveryState: () => held.discovery,
    saveDiscoveryState: (discovery: unknown) => keep({ discovery }),
    tokens: () => held.tokens,
    saveTokens: (tokens: unknown) => keep({ tokens }),
    redirectToAuthorization: (goTo: URL) => keep({ goTo }),
    saveCodeVerifier: (verifier: string) => keep({ verifier }),
    codeVerifier: () => held.verifier,
    ...more,
  };
}

const CLIENTS = {
  "SDK 1": (address: string, provider: any) => {
    const client = new Client1({ name: "test", version: "1" });
    const transport = new Transport1(new URL(address), { authProvider: provider });
    return {
      connect: () => client.connect(transport as any),
      finish: (answer: URLSearchParams) => transport.finishAuth(answer.get("code")!),
      call: (name: string, args = {}): Promise<any> => client.callTool({ name, arguments: args }),
      close: () => client.close(),
    };
  },
  "SDK 2": (address: string, provider: any) => {
    const client = new Client2({ name: "test", version: "1" }, {
      versionNegotiation: { mode: "auto" },
    } as any);
    const transport = new Transport2(new URL(address), { authProvider: provider });
    return {
      connect: () => client.connect(transport),
      finish: (answer: URLSearchParams) => transport.finishAuth(answer),
      call: (name: string, args = {}): Promise<any> => client.callTool({ name, arguments: args }),
      close: () => client.close(),
    };
  },
};

describe.each(DATABASES)("on %s", (database) => {
  let site: Site;
  let owner: Visitor;
  beforeAll(async () => {
    site = await Site.open(database);
    owner = await ownerOf(site.world, site.url);
  });
  afterAll(() => site?.close());

  test.each(Object.entries(CLIENTS))("%s stays connected without another visit", async (_, open) => {
    const provider = memory();
    const address = `${site.url}/mcp`;
    const first = open(address, provider);
    await expect(first.connect()).rejects.toThrow();
    const { goTo } = provider.held;
    const { headers } = await owner.get(goTo.pathname + goTo.search);
    const { next } = await allow(owner, headers.get("location")!);
    await first.finish(next.searchParams);
    await first.close();
    expect(provider.held.tokens.refresh_token).toEqual(expect.any(String));

    // An hour later, as far as the client can tell.
    provider.held.tokens = { ...provider.held.tokens, access_token: "expired" };
    provider.held.goTo = null;
    const later = open(address, provider);
    await later.connect();
    const me = await later.call("get_me");
    expect(me.structuredContent.credential).toMatchObject({ type: "oauth", name: USUAL.client_name });
    expect(provider.held.tokens.access_token).not.toBe("expired");
    expect(provider.held.goTo).toBeNull();

    // A refresh would give the same scopes again: the person is asked, and what was granted before stays.
    const channel = { handle: uniqueHandle(), name: "N", category: "ai", description: "d" };
    await expect(later.call("create_pusher", channel)).rejects.toThrow();
    const more = provider.held.goTo;
    const page = (await owner.get(more.pathname + more.search)).headers.get("location")!;
    await later.finish((await allow(owner, page)).next.searchParams);
    expect((await later.call("create_pusher", channel)).structuredContent.handle).toBe(channel.handle);
    expect((await later.call("list_pushers")).isError ?? false).toBe(false);
    await later.close();
  });
});
