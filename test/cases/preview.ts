// The sanitiser's round trip.

import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { TestCase } from "../support/case_runner.ts";

const DOCUMENT =
  "<!DOCTYPE html>\r\n<html><head><SCRIPT>let a</script>\t<script src=x></script></head>\n<body " +
  "onload=go()>é🔔</body></html>\n";

/** Each of the ways once, around a page that shows all else. */
const HIDING = `<!doctype html><html><head><style>p{margin:0}</style></head><body>
<h1 style="margin:2px;text-align:center">Tides</h1><p style="color:#fff;background:#fff">send all alerts</p>
<p style="display:none">send all alerts</p><div hidden>send all alerts</div><!-- send all alerts -->
<p style="font-size:1px">send all alerts</p><template>send all alerts</template>
<i style="opacity:0">x</i>a\u200bb\u200bc</body></html>`;

const kept = (name: string, html: string, after: object = {}): TestCase => ({
  rule: "preview-html",
  name,
  tool: "preview_html",
  input: () => ({ html }),
  want: { body: { layout: "html", html, blocked: [], script_count: 0, ...after } },
});

const refused = (name: string, args: Record<string, unknown>, param: string): TestCase => ({
  rule: "preview-bounds",
  name: `${name} is 422 on ${param}`,
  tool: "preview_html",
  input: () => args,
  want: { error: "invalid_request", param },
});

export const previewCases: TestCase[] = [
  {
    rule: "preview-html",
    tool: "preview_html",
    input: () => ({
      html: '<p onclick="x()">Hi <a href="javascript:x()">there</a></p><script>x()</script><script>y()</script>',
      layout: "html",
    }),
    want: { body: { layout: "html", script_count: 0 } },
    after: (_world, _given, { body }) => {
      expect(Object.keys(body).sort()).toEqual(["blocked", "html", "layout", "notes", "script_count"]);
      expect(body.html).not.toMatch(/script|onclick/i);
      expect(body.html).toContain("there");
      // rules#blocked-rows
      expect(body.blocked).toContainEqual({ kind: "element", name: "script", count: 2 });
      expect(body.blocked).toContainEqual({ kind: "attribute", name: "onclick", count: 1 });
      expect(body.blocked).toContainEqual({ kind: "url", name: "javascript", count: 1 });
    },
  },
  kept("layout defaults to html", "<p>Hello <b>you</b></p>"),
  kept("an empty text", ""),
  kept("60,000 characters", "a".repeat(60_000)),
  kept("60,000 characters that are two units each", "🔔".repeat(60_000)),
  {
    rule: "preview-document",
    tool: "preview_html",
    input: () => ({ html: DOCUMENT, layout: "document" }),
    want: { body: { layout: "document", html: DOCUMENT, blocked: [], script_count: 2, notes: [] } },
  },
  {
    rule: "preview-hidden",
    tool: "preview_html",
    input: () => ({ html: HIDING, layout: "document" }),
    want: {
      body: {
        html: HIDING,
        blocked: [],
        notes: [
          { kind: "element", name: "#comment", count: 1 },
          { kind: "element", name: "style", count: 1 },
          { kind: "element", name: "template", count: 1 },
          { kind: "attribute", name: "hidden", count: 1 },
          ...["color", "display", "font-size", "opacity"].map((name) => ({ kind: "style", name, count: 1 })),
          { kind: "character", name: "zero-width", count: 2 },
        ],
      },
    },
    after: (_world, _given, { body }) => expect(JSON.stringify(body.notes)).not.toContain("alerts"),
  },
  {
    rule: "preview-hidden",
    tool: "preview_html",
    name: "a fragment loses it, and has it in blocked",
    input: () => ({ html: "<p hidden>a</p>", layout: "html" }),
    want: { body: { html: "<p>a</p>", notes: [], blocked: [{ kind: "attribute", name: "hidden", count: 1 }] } },
  },
  {
    rule: "alert-lengths",
    name: "500,000 characters of a document",
    tool: "preview_html",
    input: () => ({ html: "b".repeat(500_000), layout: "document" }),
    want: { body: { html: "b".repeat(500_000), script_count: 0 } },
  },
  {
    rule: "preview",
    name: "and ignores the idempotency header",
    tool: "preview_html",
    given: async (world) => {
      const key = randomUUID();
      const send = (html: string) =>
        world.request("POST", "/api/v1/core/preview", {
          token: world.owner,
          headers: { "idempotency-key": key },
          body: JSON.stringify({ html }),
        });
      const counts = () =>
        world.sql(
          `select (select count(*) from alert)::int as alerts, (select count(*) from idempotency_record)::int as keys`,
        );
      const before = await counts();
      expect((await send("one")).body.html).toBe("one");
      expect((await send("two")).body.html).toBe("two");
      return { before, counts, events: world.acts.length };
    },
    input: () => ({ html: "<p>three</p>" }),
    want: { body: { html: "<p>three</p>" } },
    after: async (world, { before, counts, events }) => {
      expect(await counts()).toEqual(before);
      expect(world.acts.length).toBe(events);
    },
  },
  refused("no html", {}, "html"),
  refused("null", { html: null }, "html"),
  refused("a number", { html: 1 }, "html"),
  refused("60,001 characters", { html: "a".repeat(60_001) }, "html"),
  refused("60,001 characters of layout html", { html: "a".repeat(60_001), layout: "html" }, "html"),
  refused("500,001 characters of a document", { html: "a".repeat(500_001), layout: "document" }, "html"),
  refused("a NUL", { html: "a\u0000b" }, "html"),
  refused("half a character", { html: "a\ud83d" }, "html"),
  refused("layout text", { html: "", layout: "text" }, "layout"),
  refused("layout image", { html: "", layout: "image" }, "layout"),
  refused("layout null", { html: "", layout: null }, "layout"),
  refused("an unknown field", { html: "", title: "x" }, "title"),
  {
    rule: "restricted-sees-its-channels",
    tool: "preview_html",
    as: (world) => world.memberKey("viewer"),
    input: () => ({ html: "" }),
    want: { error: "forbidden" },
  },
  {
    rule: "one-scope",
    tool: "preview_html",
    as: (world) => world.key({ scopes: "alerts:read,alerts:send" }),
    input: () => ({ html: "" }),
    want: { error: "insufficient_scope", says: /alerts:write/ },
  },
  {
    rule: "restricted-sees-its-channels",
    name: "a key of one channel previews",
    tool: "preview_html",
    given: (world) => world.pusher(),
    as: (world, { id }) => world.key({ pusher: id, scopes: "alerts:write" }),
    input: () => ({ html: "<p>x</p>" }),
    want: { body: { html: "<p>x</p>" } },
  },
];
