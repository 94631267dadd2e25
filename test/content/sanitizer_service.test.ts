// One sanitiser for preview and for write: what the preview shows is what is stored, read and delivered to phones.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { joinNewHandset } from "../support/handsets.ts";
import { World } from "../support/world.ts";

const FRAGMENTS = [
  "<p>Hello <b>you</b> &amp; me</p>",
  '<p onclick="x()" style="color:red;position:fixed">Hi</p><script>x()</script>',
  '<a href="javascript:x()">a</a><a href="https://example.org/?a=1&b=2">b</a>',
  '<img src=x onerror=alert(1)><img src="https://example.org/a.png" alt="é🔔">',
  "<svg><script>x</script></svg><iframe src=https://example.org></iframe><math><mi>x</mi></math>",
  "<table><tr><td>1<td>2</table><ul><li>a<li>b</ul>",
  "text & more < less > \"quotes\" 'single' \u00a0 \u202e",
  "<div><p>unclosed <b>bold",
  "<!-- comment --><!DOCTYPE html><html><body onload=x()>kept</body></html>",
  "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
];

const DOCUMENT =
  "<!DOCTYPE html>\r\n<html><head><script>let a = '<b>'</script>\t<script src=x></script></head>\n<body " +
  "onload=go()>é🔔 <a href='javascript:x()'>x</a></body></html>\n";

describe("on a service", () => {
  let world: World;
  let pusher: any;
  let token: string;
  beforeAll(async () => {
    world = await World.open();
    pusher = await world.pusher();
    ({ token } = await joinNewHandset(world, pusher.handle));
  });
  afterAll(() => world.close());

  const preview = async (html: string, layout = "html") => (await world.rest("preview_html", { html, layout })).body;
  const read = async (id: string) => (await world.rest("get_alert", { pusher_id: pusher.id, alert_id: id })).body;
  const edit = (id: string, fields: object) =>
    world.rest("update_alert", { pusher_id: pusher.id, alert_id: id, ...fields });
  const inInbox = async (id: string) =>
    (await world.handset("GET", "/inbox?limit=100", token)).body.data.find((row: any) => row.id === id);

  // rules#one-sanitiser
  test.each(FRAGMENTS)("preview, create, edit, read and inbox agree on %s", async (html) => {
    const shown = await preview(html);
    const made = await world.alert(pusher.id, { layout: "html", html });
    expect([made.html, made.blocked]).toEqual([shown.html, shown.blocked]);
    const other = await world.alert(pusher.id, { layout: "html", html: "<p>before</p>" });
    const edited = await edit(other.id, { html });
    expect([edited.body.html, edited.body.blocked]).toEqual([shown.html, shown.blocked]);
    await world.rest("send_alert", { pusher_id: pusher.id, alert_id: made.id });
    const stored = await read(made.id);
    expect(stored.html).toBe(shown.html);
    expect(stored.html_length).toBe([...shown.html].length);
    expect(await inInbox(made.id)).toMatchObject({ layout: "html", html: shown.html });
    // Cleaning what is clean changes nothing and finds nothing.
    expect(await preview(shown.html)).toEqual({ ...shown, blocked: [] });
  });

  test("markup with another layout is sanitised all the same", async () => {
    const html = "<p onclick=x()>x</p><script>y</script>";
    const shown = await preview(html);
    const made = await world.alert(pusher.id, { layout: "text", html, send: true });
    expect([made.html, made.blocked]).toEqual([shown.html, shown.blocked]);
    expect((await inInbox(made.id)).html).toBe(shown.html);
  });

  test("a document is kept byte for byte, and its scripts are counted", async () => {
    expect(await preview(DOCUMENT, "document")).toEqual({
      layout: "document",
      html: DOCUMENT,
      blocked: [],
      script_count: 2,
      notes: expect.any(Array),
    });
    const made = await world.alert(pusher.id, { layout: "document", html: DOCUMENT, send: true });
    expect([made.html, made.blocked]).toEqual([DOCUMENT, []]);
    expect((await read(made.id)).html).toBe(DOCUMENT);
    expect((await inInbox(made.id)).html).toBe(DOCUMENT);
  });

  test.each(["html", "text"])("a stored document that becomes layout %s is sanitised", async (layout) => {
    const shown = await preview(DOCUMENT);
    const { id } = await world.alert(pusher.id, { layout: "document", html: DOCUMENT });
    // An edit of another field leaves the document whole.
    const titled = await edit(id, { title: "Another" });
    expect([titled.body.html, titled.body.blocked]).toEqual([DOCUMENT, []]);
    const { status, body } = await edit(id, { layout });
    expect([status, body.html, body.blocked]).toEqual([200, shown.html, shown.blocked]);
    await world.rest("send_alert", { pusher_id: pusher.id, alert_id: id });
    expect((await inInbox(id)).html).toBe(shown.html);
  });

  test("a document that is too long for another layout stays one", async () => {
    const html = "x".repeat(60_001);
    const { id } = await world.alert(pusher.id, { layout: "document", html });
    const { status, body } = await edit(id, { layout: "html" });
    expect([status, body.error.param]).toEqual([422, "html"]);
    expect((await read(id)).layout).toBe("document");
    expect((await edit(id, { title: "Another" })).status).toBe(200);
  });

  test("markup that grows when it is cleaned stays editable", async () => {
    // 60,000 characters as they were written, five times as many as they are stored.
    const html = "&".repeat(60_000);
    const { id, html_length } = await world.alert(pusher.id, { layout: "html", html });
    expect(html_length).toBeGreaterThan(60_000);
    expect((await edit(id, { title: "Another" })).status).toBe(200);
    expect((await edit(id, { layout: "text" })).status).toBe(200);
    expect((await edit(id, { layout: "html" })).status).toBe(200);
    expect((await edit(id, { html: `${html}&` })).status).toBe(422);
  });
});
