// The real clients of both protocol eras, and the memory that they want.

import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CALLBACK, USUAL_CLIENT } from "./oauth_flow.ts";

/** An assistant's memory, as both clients want it. */
export function createClientMemory(more: object = {}) {
  const held: Record<string, any> = {};
  const keep = (what: object) => {
    Object.assign(held, what);
  };
  return {
    held,
    redirectUrl: CALLBACK,
    clientMetadata: USUAL_CLIENT,
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

export const MCP_CLIENTS = {
  "SDK 1": (address: string, provider: any) => {
    const client = new Client1({ name: "test", version: "1" });
    let transport: Transport1;
    return {
      connect: () => {
        transport = new Transport1(new URL(address), { authProvider: provider });
        return client.connect(transport as any);
      },
      finish: (answer: URLSearchParams) => transport.finishAuth(answer.get("code")!),
      call: (name: string, args = {}): Promise<any> => client.callTool({ name, arguments: args }),
      close: () => client.close(),
    };
  },
  "SDK 2": (address: string, provider: any) => {
    const client = new Client2({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } } as any);
    let transport: Transport2;
    return {
      connect: () => {
        transport = new Transport2(new URL(address), { authProvider: provider });
        return client.connect(transport);
      },
      finish: (answer: URLSearchParams) => transport.finishAuth(answer),
      call: (name: string, args = {}): Promise<any> => client.callTool({ name, arguments: args }),
      close: () => client.close(),
    };
  },
};
