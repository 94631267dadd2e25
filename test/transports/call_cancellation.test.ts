// A call that waits, with real clients of both eras over HTTP and over `belfry mcp`. It reports its progress. The
// server releases a call that its client cancels. It limits the number of a credential's waiting calls.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { ConsoleSite } from "../support/console_site.ts";
import { CLI, createChildEnvironment } from "../support/processes.ts";
import { WAIT } from "../support/wait.ts";

const info = { name: "test", version: "1.0.0" };
let site: ConsoleSite;
beforeAll(async () => {
  site = await ConsoleSite.open({ name: "localhost" });
});
afterAll(() => site?.close());

interface Options {
  signal: AbortSignal;
  onprogress(told: { progress: number }): void;
}

/** One way to call a tool, and the end of the connection. */
async function connected(kind: string, way: string, key: string) {
  const address = new URL(`${site.url}/mcp`);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const stdio = {
    command: process.execPath,
    args: [CLI, "mcp", "--url", site.url],
    env: createChildEnvironment({ BELFRY_API_KEY: key }),
  };
  if (kind === "sdk 1") {
    const client = new OldClient(info);
    const transport = way === "HTTP" ? new OldTransport(address, { requestInit }) : new OldStdio(stdio);
    await client.connect(transport as never);
    return {
      call: (name: string, args: object, options: Options): Promise<any> =>
        client.callTool({ name, arguments: args as Record<string, unknown> }, undefined, options),
      close: () => client.close(),
    };
  }
  const mode = kind === "2026" ? { pin: "2026-07-28" } : ("legacy" as const);
  const client = new Client(info, { versionNegotiation: { mode } });
  await client.connect(
    way === "HTTP" ? new StreamableHTTPClientTransport(address, { requestInit }) : new StdioClientTransport(stdio),
  );
  return {
    call: (name: string, args: object, options: Options): Promise<any> =>
      client.callTool({ name, arguments: args as Record<string, unknown> }, options),
    close: () => client.close(),
  };
}

// rules#review-wait
describe.each(["HTTP", "belfry mcp"])("over %s", (way) => {
  test.concurrent.each(["2026", "2025", "sdk 1"])("%s", async (kind) => {
    const { world } = site;
    const key = await world.key({ scopes: "alerts:read,alerts:write" });
    const pusher = await world.pusher();
    const alert = await world.alert(pusher.id);
    const { call, close } = await connected(kind, way, key);
    /** A call that waits: its result or cancellation, and the times of its first and second progress. */
    const wait = () => {
      const leaving = new AbortController();
      const told = [Promise.withResolvers<"begun">(), Promise.withResolvers<"held">()] as const;
      const heard: number[] = [];
      const onprogress = ({ progress }: { progress: number }) => {
        heard.push(progress);
        told[0].resolve("begun");
        if (heard.length > 1) told[1].resolve("held");
      };
      const args = { pusher_id: pusher.id, alert_id: alert.id };
      const answer: Promise<string> = call("wait_for_review", args, { signal: leaving.signal, onprogress }).then(
        ({ structuredContent }) => structuredContent.decision,
        () => "cancelled",
      );
      return { answer, heard, begun: told[0].promise, held: told[1].promise, leave: () => leaving.abort() };
    };
    const waiting = Array.from({ length: LIMITS.review_waits }, wait);
    await Promise.all(waiting.map(({ begun }) => begun));
    for (const { leave } of waiting) leave();
    expect(await Promise.all(waiting.map(({ answer }) => answer))).toEqual(waiting.map(() => "cancelled"));
    // Where as many wait as may, another one is answered at once.
    let last = wait();
    await expect
      .poll(async () => {
        const became = await Promise.race([last.held, last.answer]);
        if (became === "waiting") last = wait();
        return became;
      }, WAIT)
      .toBe("held");
    expect(last.heard).toEqual([0, 1]);
    await world.rest("send_alert", { pusher_id: pusher.id, alert_id: alert.id });
    expect(await last.answer).toBe("sent");
    await close();
  });
});
