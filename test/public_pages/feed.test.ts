// Feeds of public channels as readers see them: parsed by a strict XML parser, with hostile titles, their validators,
// and indistinguishable refusals.

import { SaxesParser } from "saxes";
import { describe, expect, test } from "vitest";
import { suspend } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { getComparableBytes, getPublicPage } from "../support/public_pages.ts";
import { waitFor } from "../support/wait.ts";
import { createHandle, timeInSeconds, World } from "../support/world.ts";

const BASE = "http://localhost:8787/c";
const FILES = ["feed.atom", "feed.json"] as const;

const world = await openWorld();

interface Element {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: Element[];
}

/** @throws for what is not well-formed, or in no namespace that it declares. */
function parseXml(text: string): Element {
  const parser = new SaxesParser({ xmlns: true });
  const root: Element = { name: "", attributes: {}, text: "", children: [] };
  const open = [root];
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ local, uri, attributes }) => {
    expect(uri).toBe("http://www.w3.org/2005/Atom");
    const values = Object.entries(attributes).map(([name, { value }]) => [name, value]);
    const element = { name: local, attributes: Object.fromEntries(values), text: "", children: [] };
    open.at(-1)!.children.push(element);
    open.push(element);
  });
  parser.on("text", (part) => {
    open.at(-1)!.text += part;
  });
  parser.on("closetag", () => open.pop());
  parser.write(text).close();
  return root.children[0]!;
}

const all = (element: Element, name: string) => element.children.filter((child) => child.name === name);
const textOf = (element: Element, name: string) => all(element, name)[0]?.text;
const linkOf = (element: Element, rel: string) =>
  all(element, "link").find(({ attributes }) => attributes.rel === rel)?.attributes.href;

const ask = (handle: string, file: string, headers: Record<string, string> = {}) =>
  getPublicPage(world, `/c/${handle}/${file}`, { headers });
const atomOf = async (handle: string) => parseXml((await ask(handle, "feed.atom")).text);
const jsonOf = async (handle: string) => JSON.parse((await ask(handle, "feed.json")).text);

describe("the feeds of a public channel", () => {
  // rules#feeds
  test("contain the newest sent alerts, in both formats, and nothing that a handset is not shown", async () => {
    const channel = await world.pusher({
      name: "Harbour & <Watch>",
      description: 'Tides "and" closures',
      image_url: "https://harbour.example/logo.png?a=1&b=2",
    });
    for (let n = 1; n <= 24; n++) await world.alert(channel.id, { title: `Tide ${n}`, send: true });
    const last = await world.alert(channel.id, {
      title: "The quay floods",
      body: "At six.\nLeave <now>.",
      priority: "urgent",
      source_url: "https://harbour.example/quay?a=1&b=2",
      image_url: "https://harbour.example/quay.png",
      actions: [{ type: "open_url", label: "Timetable & more", url: "https://harbour.example/times" }],
      expires_at: timeInSeconds(3600),
      send: true,
    });
    const html = await world.alert(channel.id, {
      title: "With markup",
      html: "<p onclick='x()'>Line <b>3</b> &amp; 4<script>alert(1)</script></p>",
      send: true,
    });
    const cancelled = await world.alert(channel.id, { title: "Cancelled", send: true });
    await world.rest("cancel_alert", { pusher_id: channel.id, alert_id: cancelled.id });
    await world.alert(channel.id, { title: "A draft" });
    const planned = { title: "Planned", send: true, send_at: timeInSeconds(900) };
    await world.alert(channel.id, planned);

    const atom = await ask(channel.handle, "feed.atom");
    expect([atom.status, atom.headers.get("content-type")]).toEqual([200, "application/atom+xml; charset=utf-8"]);
    const page = `${BASE}/${channel.handle}`;
    const feed = parseXml(atom.text);
    expect(feed.name).toBe("feed");
    expect(textOf(feed, "id")).toBe(`${page}/feed.atom`);
    expect([linkOf(feed, "self"), linkOf(feed, "alternate")]).toEqual([`${page}/feed.atom`, page]);
    expect([textOf(feed, "title"), textOf(feed, "subtitle")]).toEqual([channel.name, channel.description]);
    expect(textOf(feed, "logo")).toBe(channel.image_url);
    const entries = all(feed, "entry");
    const titles = ["With markup", "The quay floods", ...Array.from({ length: 23 }, (_, i) => `Tide ${24 - i}`)];
    expect(entries.map((one) => textOf(one, "title"))).toEqual(titles);
    expect(new Set(entries.map((one) => textOf(one, "id"))).size).toBe(25);
    expect(textOf(feed, "updated")).toBe(html.sent_at);
    const quay = entries[1]!;
    expect(textOf(quay, "updated")).toBe(last.sent_at);
    expect(textOf(quay, "summary")).toBe("At six.\nLeave <now>.");
    expect(linkOf(quay, "alternate")).toBe(last.source_url);
    expect(linkOf(quay, "enclosure")).toBe(last.image_url);
    expect(all(quay, "link").find(({ attributes }) => attributes.rel === "related")?.attributes).toEqual({
      rel: "related",
      href: "https://harbour.example/times",
      title: "Timetable & more",
    });
    expect(all(quay, "category")[0]!.attributes).toEqual({ term: "urgent" });
    expect(all(entries[0]!, "content")[0]).toMatchObject({ attributes: { type: "html" }, text: html.html });
    expect(html.html).toContain("<b>3</b>");
    expect(linkOf(entries[0]!, "alternate")).toBe(page);

    const json = await ask(channel.handle, "feed.json");
    expect(json.headers.get("content-type")).toBe("application/feed+json; charset=utf-8");
    const { items, ...head } = JSON.parse(json.text);
    expect(head).toEqual({
      version: "https://jsonfeed.org/version/1.1",
      title: channel.name,
      home_page_url: page,
      feed_url: `${page}/feed.json`,
      description: channel.description,
      icon: channel.image_url,
      authors: [{ name: channel.name, url: page }],
    });
    expect(items.map(({ id }: any) => id)).toEqual(entries.map((one) => textOf(one, "id")));
    expect(items[0]).toMatchObject({ content_html: html.html });
    expect(items[1]).toEqual({
      id: items[1].id,
      url: last.source_url,
      external_url: last.source_url,
      title: "The quay floods",
      content_text: "At six.\nLeave <now>.",
      image: last.image_url,
      date_published: last.sent_at,
      tags: ["urgent"],
      _belfry: { priority: "urgent", expires_at: last.expires_at, actions: last.actions },
    });
    expect(items[2]).toMatchObject({ title: "Tide 24", content_text: "Tide 24" });
    for (const { text, headers } of [atom, json]) {
      for (const hidden of [channel.id, last.id, html.id, "A draft", "Planned", "Cancelled", "alert(1)"])
        expect(text).not.toContain(hidden);
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("set-cookie")).toBeNull();
    }
  });

  // rules#feeds
  test.each([
    "</title><script>alert(1)</script>",
    "]]><!--",
    '"><entry><id>x</id></entry>',
    "&amp; &lt; &#0; &nbsp; &evil;",
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;',
    '\\u0000 \\" </script>',
    "Ende \uffff\ufffe ü 🚢",
  ])("contain a hostile text as text: %s", async (title) => {
    const channel = await world.pusher({ description: "Hostile" });
    const alert = await world.alert(channel.id, { title, body: `${title}\n${title}`, send: true });
    const feed = await atomOf(channel.handle);
    const [entry, ...more] = all(feed, "entry");
    expect(more).toEqual([]);
    const plain = (text: string) => text.replace(/[\ufffe\uffff]/g, "");
    expect(textOf(entry!, "title")).toBe(plain(alert.title));
    expect(textOf(entry!, "summary")).toBe(plain(alert.body));
    const { items } = await jsonOf(channel.handle);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ title: alert.title, content_text: alert.body });
  });

  // rules#feeds
  test("have at most a mebibyte, with any alerts, and leave long markup out", async () => {
    const channel = await world.pusher();
    const markup = (bytes: number) => `<p>${"&amp;".repeat(bytes / 5)}</p>`;
    for (let n = 1; n <= 25; n++)
      await world.alert(channel.id, { title: `N ${n}`, body: "&".repeat(4000), html: markup(32_000), send: true });
    const long = await world.alert(channel.id, { title: "Long", body: "In short", html: markup(50_000), send: true });
    expect(long.html.length).toBeGreaterThan(32 * 1024);
    for (const file of FILES) {
      const { text } = await ask(channel.handle, file);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
      expect(text.length).toBeGreaterThan(512 * 1024);
    }
    const { items } = await jsonOf(channel.handle);
    expect(items[0]).toMatchObject({ title: "Long", content_text: "In short" });
    expect(items[0].content_html).toBeUndefined();
    expect(items[1].title).toBe("N 25");
    expect(items[1].content_html).toHaveLength(markup(32_000).length);
    expect(all(await atomOf(channel.handle), "entry").length).toBeGreaterThan(10);
  });

  test("of a channel without alerts are complete, and a document's page stays on the channel's page", async () => {
    const channel = await world.pusher();
    const empty = await atomOf(channel.handle);
    expect(all(empty, "entry")).toEqual([]);
    expect(Date.parse(textOf(empty, "updated")!)).not.toBeNaN();
    expect((await jsonOf(channel.handle)).items).toEqual([]);
    const html = "<!doctype html><title>x</title><script>alert(1)</script>";
    await world.alert(channel.id, { title: "A page", layout: "document", html, send: true });
    const { items } = await jsonOf(channel.handle);
    expect(items).toMatchObject([{ title: "A page", content_text: "A page" }]);
    expect((await ask(channel.handle, "feed.atom")).text).not.toContain("alert(1)");
  });
});

describe("a validator of a feed", () => {
  // rules#feed-validators
  test.each(FILES)("is valid while nothing changes, and ends with every visible change: %s", async (file) => {
    const channel = await world.pusher();
    const id = { pusher_id: channel.id };
    let etag = "";
    const isNew = async () => {
      const answer = await ask(channel.handle, file, etag ? { "if-none-match": etag } : {});
      etag = answer.headers.get("etag") ?? etag;
      return answer.status === 200;
    };
    expect(await isNew()).toBe(true);
    const held = await ask(channel.handle, file, { "if-none-match": etag });
    expect([held.status, held.text, held.headers.get("etag")]).toEqual([304, "", etag]);
    expect((await ask(channel.handle, file, { "if-none-match": `"x", ${etag.replace("W/", "")}` })).status).toBe(304);

    const { id: alert_id } = await world.alert(channel.id, { title: "A draft" });
    await world.rest("update_alert", { ...id, alert_id, title: "Still a draft" });
    await world.device(channel.handle);
    expect(await isNew()).toBe(false);
    for (const change of [
      () => world.rest("send_alert", { ...id, alert_id }),
      () => world.rest("cancel_alert", { ...id, alert_id }),
      () => world.rest("update_pusher", { ...id, name: "Another name" }),
      () => world.rest("update_pusher", { ...id, status: "paused" }),
    ]) {
      expect((await change()).status).toBe(200);
      expect(await isNew()).toBe(true);
      expect(await isNew()).toBe(false);
    }
  });

  // rules#feed-validators
  test("by time is given once its second is over, so that no change within it is missed", async () => {
    const channel = await world.pusher();
    await world.alert(channel.id, { title: "One", send: true });
    const modified = await waitFor(async () => {
      const { headers } = await ask(channel.handle, "feed.atom");
      const found = headers.get("last-modified");
      if (!found) throw new Error("not yet");
      return found;
    });
    const since = (extra = {}) => ask(channel.handle, "feed.atom", { "if-modified-since": modified, ...extra });
    expect((await since()).status).toBe(304);
    // The validator comes first.
    expect((await since({ "if-none-match": 'W/"another"' })).status).toBe(200);
    const { id } = await world.alert(channel.id, { title: "Two", send: true });
    expect((await since()).status).toBe(200);
    await world.rest("cancel_alert", { pusher_id: channel.id, alert_id: id });
    expect((await since()).status).toBe(200);
    expect((await ask(channel.handle, "feed.atom", { "if-modified-since": "no date" })).status).toBe(200);
    // In the second of a change the last-modified time is missing.
    await world.sql(
      "update channel_state set changed_at = clock_timestamp() + interval '1 hour' where pusher_id = (select id from " +
        "pusher where handle = ?)",
      [channel.handle],
    );
    expect((await ask(channel.handle, "feed.atom")).headers.has("last-modified")).toBe(false);
  });

  // rules#passed-is-sent
  test("ends with the time of a scheduled alert, which is then there", async () => {
    const channel = await world.pusher();
    const { headers } = await ask(channel.handle, "feed.json");
    const etag = headers.get("etag")!;
    await world.alert(channel.id, { title: "Due", send: true, send_at: timeInSeconds(2) });
    expect((await ask(channel.handle, "feed.json", { "if-none-match": etag })).status).toBe(304);
    await waitFor(async () => {
      const answer = await ask(channel.handle, "feed.json", { "if-none-match": etag });
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.text).items[0].title).toBe("Due");
    });
  });
});

// rules#feeds
test("private, suspended and missing channels have one 404, byte for byte, also with a code", async () => {
  const hidden = await world.pusher({ is_public: false });
  const { body: invite } = await world.rest("create_invite", { pusher_id: hidden.id });
  const suspended = await world.pusher();
  await suspend(world, suspended.handle);
  await world.alert(hidden.id, { title: "Secret", send: true });
  const made = await world.pusher();
  const { headers } = await ask(made.handle, "feed.atom");
  await world.rest("update_pusher", { pusher_id: made.id, is_public: false });
  for (const file of FILES) {
    const answers = await Promise.all([
      ask(hidden.handle, `${file}?invite=${invite.code}`),
      ...[hidden.handle, suspended.handle, createHandle(), "UPPER", "x".repeat(300)].map((handle) => ask(handle, file)),
      ask(made.handle, file, { "if-none-match": headers.get("etag")! }),
    ]);
    expect(new Set(answers.map(getComparableBytes)).size).toBe(1);
    expect(answers[0]!.status).toBe(404);
  }
  // It is there again when it is public again.
  await world.rest("update_pusher", { pusher_id: made.id, is_public: true });
  expect((await ask(made.handle, "feed.atom")).status).toBe(200);
});

test("HEAD returns the same headers, other methods the supported ones, and the limit of pages applies", async () => {
  const { handle } = await world.pusher();
  const get = await ask(handle, "feed.atom");
  const head = await getPublicPage(world, `/c/${handle}/feed.atom`, { method: "HEAD" });
  expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", get.headers.get("etag")]);
  const posted = await getPublicPage(world, `/c/${handle}/feed.atom`, { method: "POST" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([404, "GET, HEAD"]);
  const small = await World.open({
    settings: { PAGE_VIEWS_PER_MINUTE: "2", CHANNEL_BASE_URL: "http://localhost:8787" },
  });
  try {
    const channel = await small.pusher();
    const statuses = [];
    for (let i = 0; i < 3; i++)
      statuses.push((await getPublicPage(small, `/${channel.handle}/feed.json`, {}, "203.0.113.7")).status);
    expect(statuses).toEqual([200, 200, 429]);
  } finally {
    await small.close();
  }
});
