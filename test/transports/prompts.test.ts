// The prompts as clients of both eras get them. The tools that they name exist, arguments are inserted, and a missing
// one is refused by name.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { MCP_PROMPTS } from "../../src/api/transports/mcp_prompts.ts";
import { World } from "../support/world.ts";

const FILLED = { about: "The ferry of 07:30 leaves from pier 4", alert: "Ferry moved", channel: "quay" };

// rules#mcp-prompts
describe.each(["auto", "legacy"] as const)("a client: %s", (mode) => {
  let world: World;
  let client: Client;
  beforeAll(async () => {
    world = await World.open();
    const key = await world.key({ scopes: "alerts:read" });
    client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
        authProvider: { token: async () => key },
        fetch: (url, init) => {
          const headers = new Headers(init?.headers);
          headers.set("host", "localhost");
          return Promise.resolve(world.service.app.fetch(new Request(url, { ...init, headers })));
        },
      }),
    );
  });
  afterAll(async () => {
    await client?.close();
    await world?.close();
  });

  test("four of them, with an icon of the server", async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      "compose_and_ask_for_review",
      "what_waits_for_me",
      "why_was_it_silent",
      "weekly_report",
    ]);
    expect(Buffer.byteLength(JSON.stringify(prompts))).toBeLessThan(1200);
    const [icon] = client.getServerVersion()!.icons!;
    const served = await world.service.app.fetch(new Request(new URL(new URL(icon!.src).pathname, "http://localhost")));
    expect([served.status, served.headers.get("content-type")]).toEqual([200, icon!.mimeType]);
  });

  test.each(MCP_PROMPTS)("$name", async ({ name, arguments: taken }) => {
    const all = Object.fromEntries(taken.map((one) => [one.name, FILLED[one.name as keyof typeof FILLED]]));
    const needed = Object.fromEntries(
      taken.filter(({ required }) => required).map((one) => [one.name, all[one.name]!]),
    );
    for (const given of [all, needed]) {
      const { messages } = await client.getPrompt({ name, arguments: given });
      const [{ role, content }] = messages as [any];
      expect([messages.length, role, content.type]).toEqual([1, "user", "text"]);
      for (const value of Object.values(given)) expect(content.text).toContain(value);
      expect(content.text).not.toMatch(/undefined|null/);
      expect(Buffer.byteLength(content.text)).toBeLessThan(700);
      const named = [...content.text.matchAll(/\b(?:get|list|create|send|preview)_(?!at\b)\w+/g)].map(([word]) => word);
      expect(OPERATIONS.map((tool) => tool.name)).toEqual(expect.arrayContaining(named));
      expect(named).not.toContain("send_alert");
    }
    for (const missing of Object.keys(needed))
      await expect(client.getPrompt({ name, arguments: { ...needed, [missing]: " " } }), missing).rejects.toThrow(
        `The argument ${missing} is missing.`,
      );
  });

  test("another name", async () => {
    await expect(client.getPrompt({ name: "no_such_prompt" })).rejects.toThrow("Use prompts/list to get all prompts");
  });
});
