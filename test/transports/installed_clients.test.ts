// The assistants' clients that npm installs, without an account: each is given the line that the console shows for it, and says what
// it sees of the server. MCP_CLIENTS names the folder of their commands.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ASSISTANT_CLIENTS } from "../../src/pages/console/assistant_clients.ts";
import { TOOLS } from "../../tools/index.ts";
import { lacks } from "../support/lacks.ts";
import { environment, temporaryFolder } from "../support/processes.ts";
import { Site } from "../support/site.ts";

describe.skipIf(lacks("assistants' clients"))("a client", () => {
  const folder = temporaryFolder();
  let site: Site;
  beforeAll(async () => {
    site = await Site.open({ name: "localhost" });
  });
  afterAll(async () => {
    await site?.close();
    folder.remove();
  });

  /**
   * Runs a line in a shell with a home of its own, until it ends or has said what is waited for.
   * @param input lines on its standard input, which stays open until then
   */
  function shell(home: string, line: string, wanted?: RegExp, input = ""): Promise<string> {
    const HOME = join(folder.path, home);
    const cwd = join(HOME, "work");
    mkdirSync(cwd, { recursive: true });
    const path = `${process.env.MCP_CLIENTS}${delimiter}${process.env.PATH}`;
    const more = { HOME, PATH: path, GEMINI_CLI_TRUST_WORKSPACE: "true" };
    const env = environment({ ...more, BELFRY_API_KEY: site.world.owner });
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
        if (wanted?.test(said)) end();
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.on("error", reject);
      child.on("close", end);
      child.stdin.on("error", () => {});
      if (wanted) child.stdin.write(input);
      else child.stdin.end(input);
    });
  }

  const lineOf = (name: string, way: "key" | "consent") =>
    ASSISTANT_CLIENTS.find((client) => client.name === name)![way]!(site.url);

  test("Claude Code: connected by key, and by consent it knows whom to ask", async () => {
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
    expect(Object.keys(server.tools).sort()).toEqual(TOOLS.map(({ name }) => name).sort());
    const page = /http\S+\/oauth2\/authorize\?\S+/;
    const [address = ""] =
      page.exec(await shell("codex-consent", lineOf("Codex CLI", "consent"), page)) ?? [];
    const { origin, searchParams } = new URL(address);
    expect([origin, searchParams.get("resource")]).toEqual([site.url, `${site.url}/mcp`]);
    expect(searchParams.get("scope")).toContain("alerts:write");
    expect(searchParams.get("scope")).not.toContain("alerts:send");
  });

  test("Gemini CLI: connected by key, and not before consent", async () => {
    await shell("gemini-key", lineOf("Gemini CLI", "key"));
    expect(await shell("gemini-key", "gemini mcp list")).toMatch(/belfry: .*\(http\) - Connected/);
    await shell("gemini-consent", lineOf("Gemini CLI", "consent"));
    expect(await shell("gemini-consent", "gemini mcp list")).toMatch(/belfry: .*\(http\) - Disconnected/);
  });
});
