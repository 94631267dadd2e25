// Descriptions of this server other than its pages: the entry for the public registry of MCP servers, /llms.txt and the
// skill. `npm run gen -- --check` checks that they are current. Here, their format is checked.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { SCOPES } from "../../src/model/scopes.ts";
import { openWorld } from "../support/open_world.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const names = new Set(OPERATIONS.map(({ name }) => name));

const text = { type: "string", minLength: 1 };
const object = (properties: object, required: string[]) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const input = {
  description: text,
  value: text,
  isSecret: { type: "boolean" },
  isRequired: { type: "boolean" },
  variables: { type: "object", additionalProperties: { $ref: "#/$defs/variable" } },
};
const list = (items: object) => ({ type: "array", items, minItems: 1 });
const version = { type: "string", pattern: "^\\d+\\.\\d+\\.\\d+$" };
/** Fields of the registry's entry and of the server card. */
const identity = {
  name: { type: "string", pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", minLength: 3, maxLength: 200 },
  title: { ...text, maxLength: 100 },
  description: { ...text, maxLength: 100 },
  version,
};

describe("server.json", () => {
  // The requirements of the registry's schema of 2025-12-11 for the present fields, and no others.
  const schema = {
    $defs: { variable: object(input, ["description"]) },
    ...object(
      {
        $schema: { const: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" },
        ...identity,
        remotes: list(
          object(
            {
              type: { const: "streamable-http" },
              url: { type: "string", pattern: "^https://" },
              variables: input.variables,
              headers: list(object({ ...input, name: text }, ["name"])),
            },
            ["type", "url"],
          ),
        ),
      },
      ["$schema", "name", "description", "version"],
    ),
  };
  const entry = JSON.parse(read("server.json"));

  test("has the fields that the registry takes", () => {
    const check = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
    expect([check(entry), check.errors]).toEqual([true, null]);
    const { mcpName, version: packed } = JSON.parse(read("package.json"));
    expect([entry.name, entry.version]).toEqual([mcpName, packed]);
  });

  test("every variable in braces is described", () => {
    const places = JSON.stringify(entry).match(/\{(host|key|\w+)\}/g) ?? [];
    expect(new Set(places)).toEqual(new Set(["{host}", "{key}"]));
  });
});

// docs/contributing/releasing.md#steps-for-a-person
describe("the package's name in a public registry", () => {
  const tracked = spawnSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).stdout.trim().split("\n");
  // A command that fetches a package by its name and runs it, also as a list of arguments.
  const COMMANDS = "npx|bunx|pnpx|npm (exec|x|i|install|create)|pnpm (dlx|add)|yarn dlx|deno run npm:";
  const RUNS = new RegExp(`\\b(${COMMANDS})\\b(["',\\s[]|args:)*((-[\\w-]+|--)["',\\s]*)*belfry\\b`);
  const isText = (path: string) =>
    !/\.(png|svg|ico|jpg|gif|woff2?|tgz|gz)$|^package-lock\.json$|^CHANGELOG\.md$/.test(path);

  test("is run by no command that anything of this tree prints or documents", () => {
    const found = tracked
      .filter((path) => isText(path) && path !== "test/repository/registry_entry.test.ts")
      .filter((path) => existsSync(join(ROOT, path)) && RUNS.test(read(path)));
    expect(found).toEqual([]);
  });

  test.each([
    "npx belfry mcp",
    "npx -y belfry",
    'command: "npx", args: ["belfry", "mcp"]',
    '"npx", "-y", "belfry"',
    "npm exec -- belfry",
    "npm install -g belfry",
    "pnpm dlx belfry",
  ])("would be found in %s", (text) => {
    expect(RUNS.test(text)).toBe(true);
  });

  test.each(["npm install -g ./belfry-0.2.0.tgz", "npm run -s belfry -- mcp", "belfry serve"])("is not in %s", (text) =>
    expect(RUNS.test(text)).toBe(false),
  );
});

describe("the skill", () => {
  const skill = read("skills/belfry/SKILL.md");
  test("has a name and a description of the length that assistants take, and is short", () => {
    const [, head = ""] = /^---\n([\s\S]*?)\n---\n/.exec(skill) ?? [];
    const fields = Object.fromEntries(head.split("\n").map((line) => line.split(/: (.*)/)));
    expect(Object.keys(fields)).toEqual(["name", "description"]);
    expect(fields.name).toBe("belfry");
    expect(fields.description.length).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(skill)).toBeLessThan(4000);
  });
  test("names tools that are there", () => {
    const named = [...skill.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name]) => name!);
    const fields = ["review_note", "review_url", "review_reply", "cancel_original"];
    expect(named.filter((name) => !names.has(name) && !fields.includes(name))).toEqual([]);
    expect(named.filter((name) => names.has(name)).length).toBeGreaterThan(8);
  });
});

// rules#llms
const world = await openWorld({ settings: { PAGE_VIEWS_PER_MINUTE: "4" } });

describe("/llms.txt", () => {
  const ask = (method = "GET") =>
    world.service.app.fetch(new Request("http://localhost:8787/llms.txt", { method }), "198.51.100.7");

  test("every client reads the list, without a credential and with a limit", async () => {
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "public, max-age=300",
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
      etag: expect.any(String),
    });
    const text = await answer.text();
    expect(text).toContain("http://localhost:8787/mcp");
    const listed = [...text.matchAll(/^- `(\w+)`: .+ \(([\w:]+)\)$/gm)];
    expect(listed.map(([, name]) => name)).toEqual([...names]);
    for (const [, , scope] of listed) expect(Object.keys(SCOPES)).toContain(scope);
    expect(Buffer.byteLength(text)).toBeLessThan(4000);
    for (const path of text.match(/http:\/\/localhost:8787\/(?!mcp)[\w/.]*/g) ?? []) {
      const page = await world.service.app.fetch(new Request(path), "198.51.100.8");
      expect([path, page.status]).toEqual([path, 200]);
    }
  });

  // rules#mcp-discovery
  test("a client finds the endpoint by the catalog of the domain and the server card", async () => {
    const get = (url: string, init?: RequestInit) => world.service.app.fetch(new Request(url, init), "198.51.100.9");
    const catalog = await get("http://localhost:8787/.well-known/ai-catalog.json");
    expect(await catalog.json()).toEqual({
      specVersion: "1.0",
      entries: [
        {
          identifier: "urn:air:localhost:mcp:belfry",
          type: "application/mcp-server-card+json",
          displayName: "Belfry alert channels",
          url: "http://localhost:8787/mcp/server-card",
        },
      ],
    });
    const answer = await get("http://localhost:8787/mcp/server-card");
    for (const [{ status, headers }, type] of [
      [catalog, "application/ai-catalog+json"],
      [answer, "application/mcp-server-card+json"],
    ] as const) {
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": type,
        "cache-control": "public, max-age=3600",
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "ETag",
      });
    }
    const card: any = await answer.json();
    const url = { type: "string", format: "uri" };
    const remote = {
      type: { const: "streamable-http" },
      url: { type: "string", pattern: "^https?://\\S+$" },
      headers: list(object({ ...input, placeholder: text, name: text }, ["name"])),
      supportedProtocolVersions: list(text),
    };
    // The fields of the draft schema (v1) that the card has, and no others.
    const schema = object(
      {
        $schema: { const: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json" },
        ...identity,
        websiteUrl: url,
        icons: list(object({ src: url, mimeType: text, sizes: list(text) }, ["src"])),
        remotes: list(object(remote, ["type", "url"])),
      },
      ["$schema", "name", "version", "description"],
    );
    const check = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile({
      $defs: { variable: object(input, ["description"]) },
      ...schema,
    });
    expect([check(card), check.errors]).toEqual([true, null]);
    const entry = JSON.parse(read("server.json"));
    for (const name of Object.keys(identity)) expect([name, card[name]]).toEqual([name, entry[name]]);
    // The card does not contradict the connected server.
    const discovered = await get(card.remotes[0].url, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${world.owner}`, "content-type": "application/json", host: "localhost" },
        ...{ accept: "application/json, text/event-stream", "mcp-method": "server/discover" },
        "mcp-protocol-version": "2026-07-28",
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "server/discover" },
        params: {
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    const { result } = (await discovered.json()) as any;
    expect(card.remotes[0].supportedProtocolVersions).toEqual(expect.arrayContaining(result.supportedVersions));
    const info = result._meta["io.modelcontextprotocol/serverInfo"];
    for (const name of ["title", "version", "icons"]) expect([name, card[name]]).toEqual([name, info[name]]);
    expect(card.name.endsWith(`/${info.name}`)).toBe(true);
    const { etag } = Object.fromEntries(answer.headers);
    const again = await get("http://localhost:8787/mcp/server-card", { headers: { "if-none-match": etag! } });
    expect(again.status).toBe(304);
    const preflight = await get("http://localhost:8787/mcp/server-card", { method: "OPTIONS" });
    expect([preflight.status, preflight.headers.get("access-control-allow-headers")]).toEqual([
      204,
      "Content-Type, If-None-Match",
    ]);
    const posted = await get("http://localhost:8787/mcp/server-card", { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([404, "GET, HEAD"]);
  });

  test("one address has the same limit as for other public pages", async () => {
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await ask()).status);
    expect(statuses).toContain(429);
  });
});
