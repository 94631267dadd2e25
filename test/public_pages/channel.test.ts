// The page of a channel, without a browser: contents and permissions, indistinguishable refusals, hostile texts,
// validators, and request limits.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { ConsoleSite } from "../support/console_site.ts";
import { joinChannel, registerHandset, suspend } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { getComparableBytes, getPublicPage, readQr } from "../support/public_pages.ts";
import { isMissing } from "../support/requirements.ts";
import { createHandle, timeInSeconds, World } from "../support/world.ts";

const world = await openWorld();

const qrOf = (text: string) => readQr(/<svg class="qr".*?<\/svg>/s.exec(text)![0]);
const BASE = "http://localhost:8787/c";

describe("a public channel", () => {
  // rules#channel-page
  test("shows its card, requested permissions, newest alerts, a link that subscribes and a QR code", async () => {
    const channel = await world.pusher({
      name: "Harbour Watch",
      category: "ai",
      description: "Tides and closures",
      long: "First line.\nSecond line.",
      site: "https://harbour.example/about",
      city: "Lisbon",
      lat: 38.7071,
      lon: -9.1355,
      radius_km: 12.5,
      requested_perms: ["notify", "loc"],
      alert_types: ["tides"],
      tags: ["sea", "quay"],
      gradient_from: "#00ff7f",
      gradient_to: "#abcdef",
      initials: "HW",
    });
    for (let n = 1; n <= 11; n++) await world.alert(channel.id, { title: `Tide ${n}.`, send: true });
    await world.alert(channel.id, { title: "A draft" });
    const planned = await world.alert(channel.id, { title: "Planned" });
    await world.rest("schedule_alert", { pusher_id: channel.id, alert_id: planned.id, send_at: timeInSeconds(900) });

    const { status, text, headers } = await getPublicPage(world, `/c/${channel.handle}`);
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    for (const shown of [
      "<h1><bdi>Harbour Watch</bdi></h1>",
      `<span class="line"><bdi>@${channel.handle}</bdi></span>` +
        '<span class="line"><span data-t="category.ai">AI</span></span>',
      '<span class="line"><bdi>Lisbon</bdi></span>',
      "Tides and closures",
      "First line.\nSecond line.",
      'href="https://harbour.example/about"',
      '<a href="geo:38.7071,-9.1355"><span data-t="alert.within_city">Within ',
      "Send notifications",
      "Use your location",
      'stop-color="#00ff7f"',
      'href="/c?q=quay"',
      `href="/app/#join=${channel.handle}"`,
      `<link rel="canonical" href="${BASE}/${channel.handle}">`,
      `type="application/atom+xml" title="Harbour Watch" href="${BASE}/${channel.handle}/feed.atom"`,
      `type="application/feed+json" title="Harbour Watch" href="${BASE}/${channel.handle}/feed.json"`,
      '<meta property="og:title" content="Harbour Watch">',
      `<meta property="og:url" content="${BASE}/${channel.handle}">`,
      '<meta name="twitter:card" content="summary">',
    ])
      expect(text).toContain(shown);
    expect(text).not.toContain("Play sounds");
    // A phone shows the page in this order.
    const sections = [">Subscribe<", ">Newest alerts<", ">About<", ">Requested permissions<", ">Join without"];
    const places = sections.map((part) => text.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    const titles = [...text.matchAll(/<h3 id="[^"]+" dir="auto">(.*?)<\/h3>/g)].map(([, title]) => title);
    expect(text.match(/<article class="alert read inchannel"/g)).toHaveLength(titles.length);
    expect(text).not.toContain('class="name"');
    expect(titles).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((n) => `Tide ${n}.`));
    expect(qrOf(text)).toBe(`${BASE}/${channel.handle}`);
    expect(qrOf(text)).toBe(channel.url);
    // No session, and nothing runs but what shows the reader's own time and what is new.
    expect(headers.get("set-cookie")).toBeNull();
    expect(text.match(/<script[^>]*>/g)).toEqual([
      expect.stringMatching(/^<script src="\/static\/color_scheme\.js\?v=[\w-]+">$/),
      expect.stringContaining("/static/page_language.js"),
      expect.stringContaining("/static/session_hint.js"),
      expect.stringContaining("/static/public_channel.js"),
    ]);
  });

  test("of alerts with one collapse_key shows the newest, and marks expired ones", async () => {
    const channel = await world.pusher();
    await world.alert(channel.id, { title: "Level 1", collapse_key: "level", send: true });
    await world.alert(channel.id, { title: "Level 2", collapse_key: "level", send: true });
    const over = await world.alert(channel.id, { title: "Gone by", expires_at: timeInSeconds(600), send: true });
    await world.sql("update alert set expires_at = now() - interval '1 minute' where title = 'Gone by'");
    expect(over.status).toBe("sent");
    const { text } = await getPublicPage(world, `/c/${channel.handle}`);
    expect(text).not.toContain("Level 1");
    expect(text).toContain("Level 2");
    expect(text).toMatch(
      /<article class="alert read past inchannel"[^>]*>(?:(?!<\/article>).)*Expired(?:(?!<\/article>).)*Gone by/s,
    );
  });

  // rules#passed-is-sent
  test("shows what came due, and it is written down as sent before", async () => {
    const channel = await world.pusher();
    const alert = await world.alert(channel.id, { title: "Came due" });
    await world.rest("schedule_alert", { pusher_id: channel.id, alert_id: alert.id, send_at: timeInSeconds(600) });
    expect((await getPublicPage(world, `/c/${channel.handle}`)).text).not.toContain("Came due");
    await world.sql(
      "update alert set send_at = now() - interval '1 second' where status = 'scheduled' and title = 'Came due'",
    );
    expect((await getPublicPage(world, `/c/${channel.handle}`)).text).toContain("Came due");
    expect(await world.sql("select status from alert where title = 'Came due'")).toEqual([{ status: "sent" }]);
  });

  test("is paused and shows it; cancelled alerts are removed", async () => {
    const channel = await world.pusher();
    const alert = await world.alert(channel.id, { title: "Taken back", send: true });
    expect((await getPublicPage(world, `/c/${channel.handle}`)).text).toContain("Taken back");
    await world.rest("cancel_alert", { pusher_id: channel.id, alert_id: alert.id });
    await world.rest("update_pusher", { pusher_id: channel.id, status: "paused" });
    const { status, text } = await getPublicPage(world, `/c/${channel.handle}`);
    expect(status).toBe(200);
    expect(text).toMatch(/<strong><span[^>]*>Paused\.<\/span><\/strong>/);
    expect(text).not.toContain("Taken back");
  });

  // rules#page-validator
  // rules#app-says-silence
  test("explains the delivery while the app is closed, if the channel requests a permission for it", async () => {
    const of = async (settings: Record<string, string>, requested_perms: string[]) => {
      const other = await World.open({ settings });
      const { handle } = await other.pusher({ requested_perms });
      const { text } = await getPublicPage(other, `/c/${handle}`);
      await other.close();
      return text;
    };
    expect(await of({}, ["sound"])).toMatch(/You can allow push notifications.*Add to Home Screen/);
    expect(await of({ PUBLIC_URL: "http://alerts.lan" }, ["sound"])).toMatch(
      /No notifications while the app is closed\..*Push notifications require HTTPS.*ask this server’s operator/,
    );
    expect(await of({ PUBLIC_URL: "https://alerts.example.org", WEB_PUSH: "off" }, ["sound"])).toMatch(
      /No notifications while the app is closed\..*This server does not send push/,
    );
    expect(await of({ WEB_PUSH: "off" }, ["notify"])).toMatch(
      /No notifications while the app is closed\..*This server does not send push/,
    );
    expect(await of({ WEB_PUSH: "off" }, ["loc"])).not.toContain("while the app is closed");
  });

  test("is 304 to a client that has it until any part of it changes, and HEAD has no body", async () => {
    const channel = await world.pusher();
    const path = `/c/${channel.handle}`;
    const first = await getPublicPage(world, path);
    const held = { headers: { "if-none-match": first.headers.get("etag")! } };
    expect(first.headers.get("cache-control")).toBe("public, max-age=1, stale-while-revalidate=11");
    const again = await getPublicPage(world, path, held);
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", first.headers.get("etag")]);
    const head = await getPublicPage(world, path, { method: "HEAD" });
    expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", first.headers.get("etag")]);
    await world.alert(channel.id, { title: "News", send: true });
    expect((await getPublicPage(world, path, held)).status).toBe(200);
    const posted = await getPublicPage(world, path, { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([404, "GET, HEAD"]);
  });

  test("is also found in capital letters", async () => {
    const answer = await getPublicPage(world, "/c/Harbour-Watch?invite=x");
    expect([answer.status, answer.headers.get("location")]).toEqual([308, "/c/harbour-watch?invite=x"]);
  });
});

// rules#private-page
describe("indistinguishable responses", () => {
  let secret: any;
  let suspended: any;
  beforeAll(async () => {
    secret = await world.pusher({ is_public: false, name: "Secret society" });
    await world.alert(secret.id, { title: "Secret alert", send: true });
    suspended = await world.pusher({ name: "Suspended channel" });
    await suspend(world, suspended.handle);
  });

  const codeOf = async (fields: Record<string, unknown> = {}) =>
    (await world.rest("create_invite", { pusher_id: secret.id, ...fields })).body;

  test("a private channel, a suspended one, a missing one and an invalid handle", async () => {
    const seen = await Promise.all(
      [secret.handle, suspended.handle, createHandle(), "no%20handle", "x", "%3Cb%3E"].map((handle) =>
        getPublicPage(world, `/c/${handle}`),
      ),
    );
    expect(seen[0]!.status).toBe(404);
    expect(seen[0]!.text).toContain("You need an invite");
    expect(new Set(seen.map(getComparableBytes)).size).toBe(1);
    expect(seen[0]!.text).not.toContain(secret.handle);
  });

  test("codes that are used up, expired, revoked, unknown, malformed or another channel's", async () => {
    const used = await codeOf({ max_uses: 1 });
    const { token } = await registerHandset(world);
    expect((await joinChannel(world, token, secret.handle, used.code)).status).toBe(200);
    const expired = await codeOf({ expires_at: timeInSeconds(600) });
    await world.sql("update invite set expires_at = now() - interval '1 second' where code = ?", [expired.code]);
    const revoked = await codeOf();
    await world.rest("revoke_invite", { pusher_id: secret.id, invite_id: revoked.id });
    const other = await world.pusher({ is_public: false });
    const foreign = (await world.rest("create_invite", { pusher_id: other.id })).body;
    const usable = await codeOf();
    const seen = await Promise.all([
      ...[used.code, expired.code, revoked.code, foreign.code, "unknown", "%00", "%ff", "a".repeat(300), ""].map(
        (code) => getPublicPage(world, `/c/${secret.handle}?invite=${code}`),
      ),
      getPublicPage(world, `/c/${createHandle()}?invite=${usable.code}`),
      getPublicPage(world, `/c/${suspended.handle}?invite=${usable.code}`),
    ]);
    expect(seen[0]!.status).toBe(404);
    expect(seen[0]!.text).toContain("This invite is not valid");
    expect(new Set(seen.map(getComparableBytes)).size).toBe(1);
  });

  // rules#invite-page
  test("but a code that admits shows the card, no alert, and a link that carries the code", async () => {
    const { code, url } = await codeOf();
    const { pathname, search } = new URL(url);
    const { status, text, headers } = await getPublicPage(world, pathname + search);
    expect(status).toBe(200);
    expect(text).toContain("<h1><bdi>Secret society</bdi></h1>");
    expect(text).toContain(`href="/app/#join=${secret.handle}&amp;invite=${code}"`);
    expect(text).not.toContain("Secret alert");
    expect(text).not.toContain("og:title");
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(qrOf(text)).toBe(url);
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("private, no-store");
    expect(headers.get("etag")).toBeNull();
    // Looking is not joining.
    const { body } = await world.rest("list_invites", { pusher_id: secret.id });
    expect(body.data.find((invite: any) => invite.code === code).uses).toBe(0);
    // A public channel takes no code, so none is handed on.
    const open = await world.pusher();
    expect((await getPublicPage(world, `/c/${open.handle}?invite=${code}`)).text).not.toContain(code);
  });
});

// rules#page-policy
test("hostile texts of every field are text", async () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&amp;`;
  const channel = await world.pusher({
    name: hostile,
    description: hostile,
    long: hostile,
    site: `https://evil.example/"><script>alert(1)</script>`,
    city: hostile,
    tags: [hostile.slice(0, 40)],
    alert_types: [hostile.slice(0, 40)],
    image_url: `https://evil.example/x.png?"onerror="alert(1)`,
    initials: '"><',
    requested_perms: ["notify"],
  });
  await world.alert(channel.id, {
    title: hostile,
    body: hostile,
    source_url: `https://evil.example/'"><script>alert(1)</script>`,
    image_url: "https://evil.example/y.png",
    actions: [{ type: "open_url", label: hostile.slice(0, 40), url: 'https://evil.example/"onclick="x' }],
    html: "<p onclick=alert(1)>rest</p>",
    send: true,
  });
  const { text, headers } = await getPublicPage(world, `/c/${channel.handle}`);
  expect(text).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
  // With quoted values removed, the page has only our elements and attributes, and four scripts from our files.
  const bare = text.replace(/"[^"]*"/g, '""');
  expect(bare.match(/<script[^>]*>/g)).toEqual([
    '<script src="">',
    '<script src="" data-texts="">',
    '<script src="" defer>',
    '<script src="" defer>',
  ]);
  expect(bare).not.toMatch(/<script(?! src=""(?: data-texts="")?(?: defer)?><\/script>)|<img src=x|<[^>]*\son\w+=/);
  expect(headers.get("content-security-policy")).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self' https:; script-src 'self'; connect-src 'self'; form-action " +
      "'self'; frame-ancestors 'none'; base-uri 'none'",
  );
});

// rules#app-text-links
test("addresses and phone numbers of a text are links; an address that is cut off is not", async () => {
  const channel = await world.pusher({ long: "See www.port.org." });
  const body = "<b>Call</b> +351 243 300 100 or read https://floods.example/now. javascript:alert(1)";
  await world.alert(channel.id, { title: "Flood", body, send: true });
  await world.alert(channel.id, {
    title: "Long",
    body: `${"a".repeat(570)} https://cut.example/${"b".repeat(50)}`,
    send: true,
  });
  const { text } = await getPublicPage(world, `/c/${channel.handle}`);
  const rel = 'rel="noopener noreferrer nofollow ugc"';
  expect(text).toContain(
    `&lt;b&gt;Call&lt;/b&gt; <a href="tel:+351243300100" ${rel}><bdi dir="ltr">+351 243 300 100</bdi></a> or read ` +
      `<a href="https://floods.example/now" ${rel}><bdi dir="ltr">https://floods.example/now</bdi></a>. javascript:`,
  );
  expect(text).toContain(`<a href="https://www.port.org/" ${rel}>`);
  expect(text).toContain("https://cut.example/");
  expect(text).not.toContain('href="https://cut.example');
});

test("a page stays under 200 kB with any alerts", async () => {
  const channel = await world.pusher({
    long: "&".repeat(4000),
    tags: Array.from({ length: 20 }, (_, n) => `${n}&`.repeat(8)),
  });
  for (let n = 0; n < 10; n++)
    await world.alert(channel.id, { title: "&".repeat(120), body: "&".repeat(16_384), send: true });
  const linked = await world.pusher({ long: "a.co ".repeat(800) });
  for (let n = 0; n < 10; n++) await world.alert(linked.id, { title: "a", body: "a.co ".repeat(200), send: true });
  expect(Buffer.byteLength((await getPublicPage(world, `/c/${linked.handle}`)).text)).toBeLessThan(80_000);
  const page = await getPublicPage(world, `/c/${channel.handle}`);
  const files = [...page.text.matchAll(/(?:href|src)="(\/static\/[^"]+)"/g)].map(([, path]) => path!);
  expect(new Set(files).size).toBeGreaterThanOrEqual(4);
  const sizes = await Promise.all([...new Set(files)].map((path) => getPublicPage(world, path)));
  expect(sizes.map(({ status }) => status)).toEqual(sizes.map(() => 200));
  const bytes = [page, ...sizes].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  expect(bytes).toBeLessThan(200_000);
});

// rules#page-views
test("one address has a limit of pages a minute, for any path", async () => {
  const small = await World.open({ settings: { PAGE_VIEWS_PER_MINUTE: "3" } });
  try {
    const { handle } = await small.pusher();
    const from = "203.0.113.7";
    const seen = [];
    for (const name of [handle, createHandle(), handle, handle, createHandle()])
      seen.push(await getPublicPage(small, `/c/${name}`, {}, from));
    expect(seen.map(({ status }) => status)).toEqual([200, 404, 200, 429, 429]);
    expect(seen[3]!.text).toContain("Too many requests. Try again in");
    expect(Number(seen[3]!.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(getComparableBytes(seen[3]!)).toBe(getComparableBytes(seen[4]!));
    expect((await getPublicPage(small, `/c/${handle}`, {}, "203.0.113.8")).status).toBe(200);
    expect((await getPublicPage(small, `/c/${handle}`)).status).toBe(200);
  } finally {
    await small.close();
  }
});

// rules#page-base
describe("CHANNEL_BASE_URL", () => {
  test.each([
    ["https://alerts.example.org", "", ""],
    ["https://alerts.example.org/channels/all", "/channels/all", ""],
    ["https://go.example.net/c", "/c", "https://alerts.example.org"],
  ])("%s is where pages are", async (base, path, origin) => {
    const other = await World.open({ settings: { PUBLIC_URL: "https://alerts.example.org", CHANNEL_BASE_URL: base } });
    try {
      const { handle, url } = await other.pusher();
      const page = await getPublicPage(other, `${path}/${handle}`);
      expect(page.status).toBe(200);
      expect(qrOf(page.text)).toBe(url);
      expect(page.text).toContain(`<link rel="canonical" href="${base}/${handle}">`);
      expect(page.text).toContain(`href="${origin}/app/#join=${handle}"`);
      expect((await getPublicPage(other, `${path}/${createHandle()}`)).text).toContain("You need an invite");
      // The service's own routes are what they were.
      expect((await getPublicPage(other, "/healthz")).text).toBe(`{"status":"ok","version":"${packageJson.version}"}`);
      expect((await getPublicPage(other, "/console")).headers.get("location")).toContain("/console/sign-in");
      expect((await other.request("POST", "/mcp", { body: "{}" })).status).toBe(401);
    } finally {
      await other.close();
    }
  });

  test.each(["/console", "/api/v1/pushers", "/handset/v1/channels"])(
    "inside of %s hides nothing of the service",
    async (path) => {
      const other = await World.open({
        settings: { PUBLIC_URL: "http://localhost:8787", CHANNEL_BASE_URL: `http://localhost:8787${path}` },
      });
      try {
        const { id } = await other.pusher();
        expect((await other.rest("get_pusher", { pusher_id: id })).status).toBe(200);
        expect((await getPublicPage(other, "/console/sign-in")).text).toContain("E-mail address");
        expect((await other.handset("GET", "/channels/nothing", await other.device())).body.error.type).toBe(
          "not_found",
        );
      } finally {
        await other.close();
      }
    },
  );
});

test.skipIf(isMissing("curl"))("the commands for joining without the web app work unchanged", async () => {
  const site = await ConsoleSite.open();
  try {
    const channel = await site.world.pusher({ is_public: false });
    const { body } = await site.world.rest("create_invite", { pusher_id: channel.id, max_uses: 1 });
    await site.world.alert(channel.id, { title: "Heard by curl", send: true });
    const text = await (await fetch(body.url)).text();
    const [, lines] = /<pre class="copy"[^>]*><code>(.*?)<\/code>/s.exec(text)!;
    const plain = lines!.replace(
      /&quot;|&#39;|&lt;|&gt;|&amp;/g,
      (found) => ({ "&quot;": '"', "&#39;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&" })[found]!,
    );
    const { stdout } = await promisify(execFile)("bash", ["-euc", plain]);
    expect(stdout).toContain("Heard by curl");
    // The code was for one device: its page shows that now.
    expect(await (await fetch(body.url)).text()).toContain("This invite is not valid");
  } finally {
    await site.close();
  }
});
