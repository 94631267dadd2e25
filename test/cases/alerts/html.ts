// Markup and files of an alert: sanitising, reports, and permitted combinations.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { alertArguments, createDraftWith, emojiText, getSharedPusher, oncePerWorld, readAlert } from "../fixtures.ts";
import { longText } from "./fixtures.ts";

const HTML = "alert-html";
const LENGTHS = "alert-lengths";
const NEEDS = "layout-needs";
const BLOCKED = "alert-blocked";
const BLOCKED_SHAPE = "blocked-rows";
const PATCH = "patch";
const INFERRED = "layout-inferred";

const SCRIPT = '<p onclick="x()">Hi<script>evil()</script><script>more()</script></p>';

export const alertHtmlCases: TestCase[] = [
  {
    rule: BLOCKED,
    tool: "create_alert",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", layout: "html", html: SCRIPT }),
    want: { body: { html: "<p>Hi</p>", html_length: 9 } },
    after: (_world, _given, { body }) =>
      expect(body.blocked).toEqual(
        expect.arrayContaining([
          { kind: "element", name: "script", count: 2 },
          { kind: "attribute", name: "onclick", count: 1 },
        ]),
      ),
  },
  {
    rule: BLOCKED_SHAPE,
    tool: "create_alert",
    name: "url and style rows",
    given: getSharedPusher,
    input: ({ id }) => ({
      pusher_id: id,
      title: "x",
      html: '<a href="javascript:a()">a</a><a href="javascript:b()">b</a><b style="position:fixed;color:red">c</b>',
    }),
    want: {},
    after: (_world, _given, { body }) => {
      const kinds = body.blocked.map(({ kind, name }: any) => `${kind} ${name}`);
      expect(new Set(kinds).size).toBe(kinds.length);
      expect(body.blocked).toEqual(expect.arrayContaining([{ kind: "url", name: "javascript", count: 2 }]));
      expect(kinds).toContain("style position");
      expect(body.html).not.toMatch(/javascript|position/);
    },
  },
  {
    rule: INFERRED,
    tool: "create_alert",
    name: "html without a layout",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", html: "<b>a</b><script>x</script>" }),
    want: { body: { layout: "html", html: "<b>a</b>", blocked: [{ kind: "element", name: "script", count: 1 }] } },
  },
  {
    rule: INFERRED,
    tool: "create_alert",
    name: "blank html without a layout is not markup",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", html: " " }),
    want: { body: { layout: "text", html: null } },
  },
  {
    rule: INFERRED,
    tool: "update_alert",
    name: "html that becomes a text alert without a layout",
    given: createDraftWith(),
    input: (alert) => alertArguments(alert, { html: "<b>a</b>" }),
    want: { body: { layout: "html", html: "<b>a</b>" } },
  },
  {
    rule: INFERRED,
    also: [PATCH],
    tool: "update_alert",
    name: "a layout text that was chosen with html stays",
    given: createDraftWith({ layout: "text", html: "<b>a</b>" }),
    input: (alert) => alertArguments(alert, { html: "<i>b</i>" }),
    want: { body: { layout: "text", html: "<i>b</i>" } },
  },
  {
    rule: INFERRED,
    also: [PATCH],
    tool: "update_alert",
    name: "another layout stays",
    given: createDraftWith({ layout: "image", image_url: "https://example.org/a.png" }),
    input: (alert) => alertArguments(alert, { html: "<i>b</i>" }),
    want: { body: { layout: "image", html: "<i>b</i>" } },
  },
  {
    rule: HTML,
    tool: "create_alert",
    name: "also in layout text",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", layout: "text", html: "<b>a</b><script>x</script>" }),
    want: { body: { layout: "text", html: "<b>a</b>", blocked: [{ kind: "element", name: "script", count: 1 }] } },
  },
  {
    rule: "preview-document",
    tool: "create_alert",
    name: "a document is kept whole",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", layout: "document", html: SCRIPT }),
    want: { body: { html: SCRIPT, html_length: SCRIPT.length, blocked: [] } },
  },
  {
    rule: LENGTHS,
    tool: "create_alert",
    name: "html of 60,000 emoji",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", layout: "html", html: emojiText(60_000) }),
    want: { body: { html_length: 60_000 } },
  },
  {
    rule: LENGTHS,
    tool: "create_alert",
    name: "a document of 500,000",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", layout: "document", html: longText(500_000) }),
    want: { body: { html_length: 500_000 } },
  },
  {
    rule: HTML,
    tool: "update_alert",
    name: "a stored document that becomes html is sanitised then",
    given: createDraftWith({ layout: "document", html: SCRIPT }),
    input: (alert) => alertArguments(alert, { layout: "html" }),
    want: { body: { layout: "html", html: "<p>Hi</p>", blocked: [{ name: "script" }, { name: "onclick" }] } },
    after: async (world, alert) => expect((await readAlert(world, alert)).html).toBe("<p>Hi</p>"),
  },
  {
    rule: HTML,
    tool: "update_alert",
    name: "a stored document that becomes text is also sanitised",
    given: createDraftWith({ layout: "document", html: SCRIPT }),
    input: (alert) => alertArguments(alert, { layout: "text" }),
    want: { body: { layout: "text", html: "<p>Hi</p>" } },
  },
  {
    rule: HTML,
    tool: "update_alert",
    name: "a stored document stays whole when something else changes",
    given: createDraftWith({ layout: "document", html: SCRIPT }),
    input: (alert) => alertArguments(alert, { title: "y" }),
    want: { body: { html: SCRIPT, blocked: [] } },
  },
  {
    rule: LENGTHS,
    tool: "update_alert",
    name: "a stored document too long for html",
    given: oncePerWorld(createDraftWith({ layout: "document", html: longText(60_001) })),
    input: (alert) => alertArguments(alert, { layout: "html" }),
    want: { error: "invalid_request", param: "html" },
  },
  {
    rule: LENGTHS,
    tool: "update_alert",
    name: "an alert above its limit after sanitising can still be edited",
    given: createDraftWith({ layout: "html", html: "&".repeat(60_000) }),
    input: (alert) => alertArguments(alert, { title: "y" }),
    want: { body: { title: "y" } },
  },
  {
    rule: BLOCKED,
    tool: "update_alert",
    name: "an alert that sanitising left empty can still be edited",
    given: createDraftWith({ layout: "html", html: "<script>x</script>" }),
    input: (alert) => alertArguments(alert, { title: "y" }),
    want: { body: { title: "y", layout: "html" } },
  },
  {
    rule: NEEDS,
    tool: "update_alert",
    name: "the markup of a layout that needs it cannot be cleared",
    given: oncePerWorld(createDraftWith({ layout: "html", html: "<p>x</p>" })),
    input: (alert) => alertArguments(alert, { html: null }),
    want: { error: "invalid_request", param: "html" },
  },
  {
    rule: NEEDS,
    tool: "update_alert",
    name: "the picture of layout image cannot be cleared",
    given: oncePerWorld(createDraftWith({ layout: "image", image_url: "https://example.org/" })),
    input: (alert) => alertArguments(alert, { image_url: null }),
    want: { error: "invalid_request", param: "image_url" },
  },
  {
    rule: NEEDS,
    tool: "update_alert",
    name: "with the layout changed at once it can",
    given: createDraftWith({ layout: "image", image_url: "https://example.org/" }),
    input: (alert) => alertArguments(alert, { image_url: null, layout: "text" }),
    want: { body: { layout: "text", image_url: null } },
  },
  {
    rule: "list-without-html",
    tool: "get_alert",
    given: createDraftWith({ html: "<p>🔔</p>" }),
    input: (alert) => alertArguments(alert),
    want: { body: { html: "<p>🔔</p>", html_length: 8 } },
    after: async (world, alert, { body }) => {
      const list = await world.rest("list_alerts", { pusher_id: alert.pusher_id, limit: 1 });
      const { html: _, asset_html: __, notes: ___, review_url: ____, blocked: _____, decision, ...row } = body;
      const { handle: ______, ...listed } = list.body.data[0];
      expect([listed, decision]).toEqual([row, "waiting"]);
    },
  },
];
