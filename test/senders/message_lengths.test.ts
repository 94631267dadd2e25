// Messages of any length through each adapter: nothing is refused for its length, the text is cut at a word, and each
// loss is noted.

import { describe, expect, test } from "vitest";
import { convertHtmlToPlainText } from "../../src/api/ingest/html_to_text.ts";
import { findWordBoundary, truncateTextWithOmittedCount } from "../../src/api/ingest/text_truncation.ts";
import { LIMITS } from "../../src/model/limits.ts";
import { openSenderWorld } from "../support/sender_channel.ts";

const HOST = "http://alerts.example.org";
const MOST = LIMITS.alert_body;

const { world, channel, key } = await openSenderWorld({ PUBLIC_URL: HOST });

interface Sent {
  path: string;
  body: string;
  headers?: Record<string, string>;
}

async function send({ path, body, headers = {} }: Sent) {
  const answer = await world.service.app.fetch(
    new Request(HOST + path, { method: "POST", body, headers: { authorization: `Bearer ${key}`, ...headers } }),
  );
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  const [newest] = (await world.rest("list_alerts", { pusher_id: channel.id, limit: 1 })).body.data;
  const alert = (await world.rest("get_alert", { pusher_id: channel.id, alert_id: newest.id })).body;
  return { alert, notes: answer.headers.get("belfry-notes") };
}

const JSON_TYPE = { "content-type": "application/json" };
const ingest = (query = "") => `/api/v1/pushers/${channel.handle}/ingest${query}`;

/** Each adapter with a title and a text. */
const ADAPTERS: Record<string, (title: string, body: string) => Sent> = {
  ntfy: (title, body) => ({ path: `/ntfy/${channel.handle}`, body, headers: { title } }),
  "ntfy, JSON": (title, message) => ({
    path: "/ntfy",
    body: JSON.stringify({ topic: channel.handle, title, message }),
  }),
  Gotify: (title, message) => ({
    path: "/gotify/message",
    body: JSON.stringify({ title, message }),
    headers: JSON_TYPE,
  }),
  "plain text": (title, body) => ({ path: ingest("?from=text"), body: `${title}\n${body}` }),
  JSON: (title, body) => ({ path: ingest(), body: JSON.stringify({ title, body }), headers: JSON_TYPE }),
  "a template": (title, body) => ({
    path: ingest(`?from=json&title=${encodeURIComponent("{{t}}")}&body=${encodeURIComponent("{{#a}}{{b}}{{/a}}")}`),
    body: JSON.stringify({ t: title, a: { b: body } }),
    headers: JSON_TYPE,
  }),
  CloudEvents: (title, body) => ({
    path: ingest(),
    body: JSON.stringify({
      specversion: "1.0",
      id: `${title.length} ${body.length} ${body.slice(0, 20)}`,
      source: "/s",
      type: "t",
      data: { title, body },
    }),
    headers: { "content-type": "application/cloudevents+json" },
  }),
};

// rules#sender-lengths
describe.each(Object.entries(ADAPTERS))("%s", (_, sent) => {
  test("a text at the limit is published whole", async () => {
    const body = "word "
      .repeat(MOST)
      .slice(0, MOST - 1)
      .padEnd(MOST, "x");
    const { alert, notes } = await send(sent("Log", body));
    expect(alert).toMatchObject({ title: "Log", body });
    expect(notes).toBeNull();
  });

  test("a longer text is cut at a word, with the length of the rest", async () => {
    const words = "grüße 🐌 ".repeat(MOST / 4).trim();
    const { alert, notes } = await send(sent("Log", words));
    const [, kept = "", left] = /^(.*)… \((\d+) more characters\)$/s.exec(alert.body) ?? [];
    expect(kept).toMatch(/(grüße|🐌)$/);
    expect(words.startsWith(kept)).toBe(true);
    expect(Number(left)).toBe([...words].length - [...kept].length);
    expect([...alert.body].length).toBeLessThanOrEqual(MOST);
    expect([...alert.body].length).toBeGreaterThan(MOST - 50);
    expect(notes).toMatch(/^The text was longer than [\d,]+ characters and was shortened\.$/);
  });

  test("a text without any space is also cut", async () => {
    const { alert, notes } = await send(sent("Log", "x".repeat(MOST + 1)));
    const ending = `… (${MOST + 1 - (MOST - 25)} more characters)`;
    expect(alert.body).toMatch(/^x+… \(\d+ more characters\)$/);
    expect(alert.body).toHaveLength(MOST - `… (${MOST + 1} more characters)`.length + ending.length);
    expect(notes).toMatch(/The text was longer than/);
  });

  test("a title that is too long moves whole into the text", async () => {
    const title = "t".repeat(300);
    const { alert, notes } = await send(sent(title, "x"));
    expect(alert).toMatchObject({ title: `${"t".repeat(LIMITS.alert_title - 1)}…`, body: `${title}\n\nx` });
    expect(notes).toMatch(/^The title is longer than \d+ characters\. The text contains the full title\.$/);
  });

  test("a long title before a text at the limit never refuses the message", async () => {
    const { alert, notes } = await send(sent("word ".repeat(60).trim(), "y".repeat(MOST)));
    expect(alert.title).toMatch(/^(word )+word…$/);
    expect(alert.body).toMatch(/^word .*y… \(\d+ more characters\)$/s);
    expect(notes).toMatch(/The title is longer than .* The text was longer than/);
  });

  test("a title of invisible characters does not lose the text", async () => {
    const { alert } = await send(sent("\u00ad\u00ad", "Disk full"));
    expect(`${alert.title} ${alert.body}`).toMatch(/^(Disk full null|Untitled Disk full)$/);
  });
});

// rules#sender-lengths
test("a message of invisible characters alone is published", async () => {
  const path = `/ntfy/${channel.handle}`;
  expect((await send({ path, body: "\u200b\u3164" })).alert).toMatchObject({ title: "Untitled" });
});

// rules#sender-lengths
test("a button without a visible label does not lose the message", async () => {
  const headers = { actions: "view, \u00ad, https://example.org/a" };
  const { alert } = await send({ path: `/ntfy/${channel.handle}`, body: "m", headers });
  expect(alert.actions).toEqual([{ type: "open_url", label: "Open", url: "https://example.org/a" }]);
  const annotations = { runbook_url: "https://example.org/b", "\u200b": "https://example.org/c" };
  const group = {
    status: "firing",
    version: "4",
    groupKey: "k",
    alerts: [{ status: "firing", labels: {}, annotations }],
  };
  const grafana = await send({ path: ingest("?from=grafana"), body: JSON.stringify(group), headers: JSON_TYPE });
  expect(JSON.stringify(grafana.alert)).toContain("https://example.org/c");
});

// rules#sender-lengths
test("the first visible line is the title of plain text", async () => {
  const { alert } = await send({ path: ingest("?from=text"), body: "\u0000\n\u200b\nDisk full\nOn db1" });
  expect(alert.title).toBe("Disk full");
  expect(alert.body).toBe("On db1");
});

// A title-less message does not repeat its first line. rules#sender-lengths
test.each([
  ["plain", "Disk full\nOn db1", { title: "Disk full", body: "On db1", html: null }],
  ["# heading", "# Disk full\n**On** db1", { title: "Disk full", html: "<p><strong>On</strong> db1</p>" }],
  ["# heading above plain text", "# Disk full\nOn db1", { title: "Disk full", body: "On db1", html: null }],
  ["underlined", "Disk full\n===\n*On* db1", { title: "Disk full", html: /<h1>Disk full<\/h1>/ }],
  ["a list", "- Disk full\n- On db1", { html: /<li>Disk full<\/li>/ }],
  ["a link", "[Disk full](https://example.org)\nOn db1", { title: "Disk full", html: /href/ }],
])("Markdown without a title: %s", async (_name, body, wanted) => {
  const { alert } = await send({ path: ingest(), body, headers: { "content-type": "text/markdown" } });
  for (const [name, value] of Object.entries(wanted))
    if (value instanceof RegExp) expect(alert[name]).toMatch(value);
    else expect(typeof value === "string" ? alert[name].trim() : alert[name]).toBe(value);
});

// rules#sender-lengths
describe("tags of ntfy", () => {
  const tagged = (tags: string, title: string, body: string, more = {}) =>
    send({ path: `/ntfy/${channel.handle}`, body, headers: { title, tags, ...more } });

  test("are below a text with room for them", async () => {
    const body = "x".repeat(MOST - 30);
    const { alert, notes } = await tagged("backup,nas", "Backup log", body);
    expect(alert.body).toBe(`${body}\n\nTags: backup, nas`);
    expect(notes).toBeNull();
  });

  test("are left out where the text needs all the room", async () => {
    const body = "x".repeat(MOST - 10);
    const { alert, notes } = await tagged("backup,nas", "Backup log", body);
    expect(alert.body).toBe(body);
    expect(notes).toMatch(/^The text leaves no room for the other tags/);
  });

  test("that are thousands do not refuse the message", async () => {
    const { alert, notes } = await send({
      path: "/ntfy",
      body: JSON.stringify({ topic: channel.handle, message: "m", tags: Array(9000).fill("tag") }),
    });
    expect(alert).toMatchObject({ title: "m", body: null });
    expect(notes).toMatch(/no room for the other tags/);
  });

  test("that are emoji make a long title move into the text", async () => {
    const title = "t".repeat(LIMITS.alert_title - 1);
    const { alert, notes } = await tagged("warning", title, "m");
    expect(alert.title).toBe(`⚠️ ${title.slice(0, -3)}…`);
    expect(alert.body).toBe(`⚠️ ${title}\n\nm`);
    expect(notes).toMatch(/^The title is longer than/);
  });

  test("are also part of the markup", async () => {
    const { alert } = await tagged("backup", "T", "a **b**", { markdown: "yes" });
    expect(alert).toMatchObject({ body: "a b\n\nTags: backup", layout: "html" });
    expect(alert.html).toMatch(/<strong>b<\/strong>.*<p>Tags: backup<\/p>$/s);
  });
});

// rules#sender-plain-text
describe("markup comes with its plain text", () => {
  const LIST = "**Down**: 2 hosts\n\n- db1 <primary> & co\n- db2\n\nSee [the page](https://example.org/p).";
  const PLAIN = "Down: 2 hosts\n\n- db1  & co\n- db2\n\nSee the page.";

  test("Markdown of ntfy", async () => {
    const { alert } = await send({
      path: `/ntfy/${channel.handle}`,
      body: LIST,
      headers: { title: "T", markdown: "yes" },
    });
    expect(alert).toMatchObject({ title: "T", layout: "html", body: PLAIN });
  });

  test("Markdown of Gotify", async () => {
    const { alert } = await send({
      path: "/gotify/message",
      body: JSON.stringify({
        title: "T",
        message: LIST,
        extras: { "client::display": { contentType: "text/markdown" } },
      }),
      headers: JSON_TYPE,
    });
    expect(alert).toMatchObject({ layout: "html", body: PLAIN });
  });

  test("markup that grows beyond its limit is shown as text", async () => {
    // One address that is written once in Markdown and a hundred times in markup.
    const body = `${"[a] ".repeat(100)}\n\n[a]: https://example.org/${"x".repeat(1500)}`;
    const { alert, notes } = await send({
      path: `/ntfy/${channel.handle}`,
      body,
      headers: { title: "T", markdown: "yes" },
    });
    expect(alert).toMatchObject({ layout: "text", html: null, body: "a ".repeat(100).trim() });
    expect(notes).toMatch(/^The markup is longer than/);
  });

  test("a long title is also in the markup", async () => {
    const title = `${"<t> ".repeat(50)}end`;
    const { alert } = await send({ path: `/ntfy/${channel.handle}`, body: "*m*", headers: { title, markdown: "yes" } });
    expect(alert.body).toBe(`${title}\n\nm`);
    expect(alert.html).toMatch(/^<p>&lt;t&gt; .*end<\/p>\n<p><em>m<\/em><\/p>/);
  });

  test.each([
    ["<p>a</p><p>b</p>", "a\n\nb"],
    ["<h1>Head</h1>text<br>line", "Head\ntext\nline"],
    ["<ul><li>one</li><li>two <b>x</b></li></ul>", "- one\n- two x"],
    ["<ol>\n<li>one</li>\n<li>two</li>\n</ol>", "- one\n- two"],
    ["<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\n\nc"],
    ['<img src="https://e.org/i.png" alt="A > B &amp; C">', "A > B & C"],
    ["<script>alert(1)</script>&amp;lt;b&gt; x", "&lt;b> x"],
    ['<a href="https://e.org" title="x>y">link</a>', "link"],
    ["", ""],
  ])("%s", (markup, text) => expect(convertHtmlToPlainText(markup)).toBe(text));
});

// rules#sender-lengths
describe("a text is cut between characters that people see as one", () => {
  test.each([
    ["flags", "🇩🇪".repeat(100), 7, "🇩🇪🇩🇪🇩🇪"],
    ["a family", `ab${"👨‍👩‍👧".repeat(3)}`, 6, "ab"],
    ["combining marks", `${"e\u0301".repeat(20)}`, 5, "e\u0301e\u0301"],
    ["words", "one two three", 9, "one two "],
    ["Chinese", "今天天气很好".repeat(10), 5, expect.stringMatching(/^今天天气/)],
    ["half a pair", "x🐌🐌", 2, "x🐌"],
  ])("%s", (_, text, most, kept) => expect(text.slice(0, findWordBoundary(text, most))).toEqual(kept));

  test("a run of marks without an end is cut at the limit", () => {
    const text = `e${"\u0301".repeat(5000)}`;
    expect(findWordBoundary(text, 1000)).toBe(1000);
  });

  test("the count is of code points and is exact", () => {
    const { text, left } = truncateTextWithOmittedCount("🐌".repeat(100), 60);
    const kept = [...text].filter((character) => character === "🐌").length;
    expect(kept + left).toBe(100);
    expect([...text].length).toBeLessThanOrEqual(60);
    expect(truncateTextWithOmittedCount("🐌".repeat(60), 60)).toEqual({ text: "🐌".repeat(60), left: 0 });
  });
});
