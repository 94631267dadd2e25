// The assistants' clients that npm installs, without an account. Each gets the line that the console shows for it, and
// reports its view of the server. MCP_CLIENTS names the folder of their commands.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { ASSISTANT_CLIENTS } from "../../src/pages/console/assistant_clients.ts";
import { ConsoleSite, signInOwner } from "../support/console_site.ts";
import { allowConsent, registerClient } from "../support/oauth_flow.ts";
import { createChildEnvironment, temporaryFolder } from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";

describe.skipIf(isMissing("assistants' clients"))("a client", () => {
  const folder = temporaryFolder();
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await ConsoleSite.open({ name: "localhost" });
  });
  afterAll(async () => {
    await site?.close();
    folder.remove();
  });

  /**
   * Runs a line in a shell with a home of its own, until it ends or has printed the awaited text. @param input lines on
   * its standard input, which stays open until then; or a person's action, after which it continues
   */
  function shell(
    home: string,
    line: string,
    wanted?: RegExp,
    input: string | ((match: string) => Promise<void>) = "",
  ): Promise<string> {
    const HOME = join(folder.path, home);
    const cwd = join(HOME, "work");
    mkdirSync(cwd, { recursive: true });
    const path = `${process.env.MCP_CLIENTS}${delimiter}${process.env.PATH}`;
    const more = { HOME, PATH: path, GEMINI_CLI_TRUST_WORKSPACE: "true" };
    const env = createChildEnvironment({ ...more, BELFRY_API_KEY: site.world.owner });
    // A group of its own, since clients start others.
    const child = spawn("sh", ["-c", line], { cwd, env, detached: true });
    let said = "";
    return new Promise((resolve, reject) => {
      const end = () => {
        try {
          process.kill(-child.pid!, "SIGKILL");
        } catch {
          // It has ended.
        }
        resolve(said);
      };
      const hear = (chunk: Buffer) => {
        said += chunk;
        const [match] = wanted?.exec(said) ?? [];
        if (match === undefined) return;
        if (typeof input === "string") return end();
        wanted = undefined;
        input(match).catch(reject);
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.on("error", reject);
      child.on("close", end);
      child.stdin.on("error", () => {});
      if (typeof input !== "string") return;
      if (wanted) child.stdin.write(input);
      else child.stdin.end(input);
    });
  }

  const lineOf = (name: string, way: "key" | "consent") =>
    ASSISTANT_CLIENTS.find((client) => client.name === name)![way]!(site.url);

  test("Claude Code: connected by key, and by consent it finds the authorization server", async () => {
    await shell("claude-key", lineOf("Claude Code", "key"));
    expect(await shell("claude-key", "claude mcp list")).toMatch(
      new RegExp(`belfry: ${site.url}/mcp \\(HTTP\\) - . Connected`),
    );
    await shell("claude-consent", lineOf("Claude Code", "consent"));
    expect(await shell("claude-consent", "claude mcp list")).toMatch(/belfry: .* Needs authentication/);
  });

  test("Codex CLI: it lists all tools by key, and sends its person to the consent page", async () => {
    await shell("codex-key", lineOf("Codex CLI", "key"));
    const message = (fields: object) => `${JSON.stringify({ jsonrpc: "2.0", ...fields })}\n`;
    const asked = [
      message({ id: 1, method: "initialize", params: { clientInfo: { name: "test", version: "1" } } }),
      message({ method: "initialized" }),
      message({ id: 2, method: "mcpServerStatus/list", params: {} }),
    ].join("");
    const said = await shell("codex-key", "codex app-server", /^\{"id":2,.*\n/m, asked);
    const [, status = "{}"] = /^(\{"id":2,.*)$/m.exec(said) ?? [];
    const [server] = JSON.parse(status).result.data;
    expect(server).toMatchObject({ name: "belfry", serverInfo: { name: "belfry" } });
    expect(Object.keys(server.tools).sort()).toEqual(OPERATIONS.map(({ name }) => name).sort());
    const page = /http\S+\/oauth2\/authorize\?\S+/;
    const [address = ""] = page.exec(await shell("codex-consent", lineOf("Codex CLI", "consent"), page)) ?? [];
    const { origin, searchParams } = new URL(address);
    expect([origin, searchParams.get("resource")]).toEqual([site.url, `${site.url}/mcp`]);
    expect(searchParams.get("scope")).toContain("alerts:write");
    expect(searchParams.get("scope")).not.toContain("alerts:send");
  });

  /**
   * The vendors' published documents of their clients, as this server would have fetched them a moment ago: the distant
   * network is not here.
   */
  async function publish(clientId: string, name: string): Promise<void> {
    const redirect_uris = ["http://localhost/callback", "http://127.0.0.1/callback"];
    const { body } = await registerClient(site.world, { client_name: name, redirect_uris });
    await site.world.sql(
      `insert into auth."oauthClient"
       select (jsonb_populate_record(c, jsonb_build_object('id', 'published-' || c.id, 'clientId', ?::text))).*
       from auth."oauthClient" c where "clientId" = ?`,
      [clientId, body.client_id],
    );
    await site.world.sql(`update auth."oauthClientResource" set "clientId" = ? where "clientId" = ?`, [
      clientId,
      body.client_id,
    ]);
  }

  const CONSENTED: [name: string, document: string, login: string, after: string, connected: RegExp][] = [
    [
      "Claude Code",
      "https://claude.ai/oauth/claude-code-client-metadata",
      // It requires a terminal.
      `script -qfec "claude mcp login belfry" /dev/null`,
      "claude mcp list",
      /belfry: .* Connected/,
    ],
    [
      "Codex CLI",
      "https://chatgpt.com/oauth/codex/client.json",
      "codex mcp login belfry",
      "codex mcp list",
      /belfry .* OAuth/,
    ],
  ];
  // rules#assistant-registration
  test.skipIf(isMissing("script")).each(CONSENTED)(
    "%s: a person lets it in, and it is connected",
    async (name, document, login, after, connected) => {
      await publish(document, name);
      const owner = await signInOwner(site.world, site.url);
      const home = `consent-${CONSENTED.findIndex(([of]) => of === name)}`;
      const line = lineOf(name, "consent");
      // Codex sends a request at once, and gets no response.
      await shell(home, line, /oauth2\/authorize/);
      // A terminal's marks end the address.
      const address = /http[^\s\p{Cc}]+\/oauth2\/authorize\?[^\s\p{Cc}]+(?=[\s\p{Cc}])/u;
      await shell(home, login, address, async (url) => {
        const { pathname, search } = new URL(url);
        const { headers, text } = await owner.get(pathname + search);
        const { next, consent } = await allowConsent(owner, headers.get("location") ?? text);
        expect(consent).toContain(name);
        expect((await fetch(next)).status).toBe(200);
      });
      expect(await shell(home, after)).toMatch(connected);
    },
  );

  test("Gemini CLI: connected by key, and not before consent", async () => {
    await shell("gemini-key", lineOf("Gemini CLI", "key"));
    expect(await shell("gemini-key", "gemini mcp list")).toMatch(/belfry: .*\(http\) - Connected/);
    await shell("gemini-consent", lineOf("Gemini CLI", "consent"));
    expect(await shell("gemini-consent", "gemini mcp list")).toMatch(/belfry: .*\(http\) - Disconnected/);
  });
});
