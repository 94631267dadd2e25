// A real cache, with the unchanged lines of docs/how-to/https.md. Any number of readers of a public channel cause few
// requests here. All of them see changes, cancellations and suspensions. BELFRY_TEST_READERS sets the number of
// requests; 2,000 otherwise.

import type { ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { shareNextRead } from "../../src/store/db/batch_concurrent_calls.ts";
import { suspend } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { startProxy } from "../support/proxies.ts";
import { getPublicPage } from "../support/public_pages.ts";
import { isMissing } from "../support/requirements.ts";
import { waitFor } from "../support/wait.ts";
import { createHandle, World } from "../support/world.ts";

const HOST = "127.0.0.1";
const READERS = Number(process.env.BELFRY_TEST_READERS ?? 2_000);
const AT_ONCE = 64;
const FILES = ["", "/inbox.json", "/feed.json", "/feed.atom"];
const DOCS = readFileSync(join(import.meta.dirname, "../../docs/how-to/https.md"), "utf8");
const [BEFORE = "", WITHIN = ""] = [...DOCS.matchAll(/```nginx cache\n([\s\S]*?)```/g)].map(([, lines]) => lines!);

const world = await openWorld({ settings: { TRUSTED_PROXIES: "loopback" } });

// rules#public-inbox
describe("the public inbox", () => {
  test("has the content of the page, and its 404 is the page's", async () => {
    const channel = await world.pusher({ name: "Harbour", requested_perms: ["notify"] });
    for (let n = 1; n <= 11; n++)
      await world.alert(channel.id, { title: `Tide ${n}`, body: "x".repeat(601), send: true });
    await world.alert(channel.id, { title: "A draft" });
    const actions = [{ type: "open_url", label: "Map", url: "https://harbour.example/map" }];
    const last = await world.alert(channel.id, { title: "Quay", priority: "urgent", actions, send: true });
    const path = `/c/${channel.handle}`;
    const { status, headers, text } = await getPublicPage(world, `${path}/inbox.json`);
    expect([status, headers.get("content-type"), headers.get("access-control-allow-origin")]).toEqual([
      200,
      "application/json",
      "*",
    ]);
    const { channel: card, data } = JSON.parse(text);
    expect(card).toMatchObject({
      handle: channel.handle,
      url: channel.url,
      name: "Harbour",
      status: "active",
      requested_perms: ["notify"],
    });
    expect(Object.keys(card)).not.toEqual(expect.arrayContaining(["id"]));
    expect(data.map(({ title }: any) => title)).toEqual([
      "Quay",
      ...[11, 10, 9, 8, 7, 6, 5, 4, 3].map((n) => `Tide ${n}`),
    ]);
    expect(data[0]).toMatchObject({ id: last.id, priority: "urgent", sent_at: last.sent_at, has_more: false, actions });
    expect(data[1]).toMatchObject({ body: `${"x".repeat(600)}…`, has_more: true });
    const page = await getPublicPage(world, path);
    const shown = [...page.text.matchAll(/<h3 id="[^"]+" dir="auto">(.*?)<\/h3>/g)].map(([, title]) => title);
    expect(shown).toEqual(data.map(({ title }: any) => title));
    expect(page.text).toContain(`data-inbox="${headers.get("etag")!.replaceAll('"', "&quot;")}"`);
    const held = { headers: { "if-none-match": headers.get("etag")! } };
    expect(await getPublicPage(world, `${path}/inbox.json`, held)).toMatchObject({ status: 304, text: "" });

    const secret = await world.pusher({ is_public: false });
    const { code } = (await world.rest("create_invite", { pusher_id: secret.id })).body;
    const gone = await world.pusher();
    await suspend(world, gone.handle);
    const refusals = await Promise.all(
      [secret.handle, `${secret.handle}/inbox.json?invite=${code}#`, gone.handle, createHandle(), "%3Cb%3E"].map(
        (handle) => getPublicPage(world, `/c/${handle}/inbox.json`.replace(/#.*/, ""), { headers: { accept: "*/*" } }),
      ),
    );
    expect(refusals[0]).toMatchObject({ status: 404 });
    expect(new Set(refusals.map(({ text: said }) => said)).size).toBe(1);
    expect(JSON.parse(refusals[0]!.text).error.type).toBe("not_found");
  });
});

// rules#page-views
test("pages that stay open take nothing from those who open one at their address", async () => {
  const other = await World.open({ settings: { PAGE_VIEWS_PER_MINUTE: "2" } });
  const { handle } = await other.pusher();
  const ask = async (file: string) => (await getPublicPage(other, `/c/${handle}${file}`, {}, "198.51.100.3")).status;
  const looks = [await ask("/inbox.json"), await ask("/inbox.json"), await ask("/inbox.json")];
  expect(looks).toEqual([200, 200, 429]);
  expect([await ask(""), await ask("/feed.json"), await ask("")]).toEqual([200, 200, 429]);
  await other.close();
});

// rules#shared-caches
describe("content that is the same for all visitors", () => {
  const READER = {
    cookie: "belfry_session=x; a=b",
    "accept-language": "pt",
    "user-agent": "Another/1.0",
    authorization: `Bearer bfk_${"x".repeat(40)}`,
    "sec-ch-prefers-color-scheme": "dark",
    "accept-encoding": "gzip, br",
  };
  const KEPT = "public, max-age=1, stale-while-revalidate=11";

  test("does not depend on a reader's headers, and has a cache lifetime", async () => {
    const { handle, id } = await world.pusher();
    await world.alert(id, { title: "One", send: true });
    for (const file of FILES) {
      const path = `/c/${handle}${file}`;
      const [one, other] = [
        await getPublicPage(world, path),
        await getPublicPage(world, path, { headers: { ...READER, accept: "*/*" } }),
      ];
      expect([path, other.status, other.text]).toEqual([path, 200, one.text]);
      for (const { headers } of [one, other]) {
        expect([path, headers.get("vary"), headers.get("set-cookie")]).toEqual([path, null, null]);
        expect([path, headers.get("cache-control")]).toEqual([path, KEPT]);
        expect(headers.get("etag")).toBe(one.headers.get("etag"));
      }
    }
  });

  test("a refusal is cached in the form of the address, and in no other form", async () => {
    for (const file of FILES) {
      const asked = (accept: string) => getPublicPage(world, `/c/nobody-is-here${file}`, { headers: { accept } });
      const kept = [await asked("text/html"), await asked("*/*")].map(({ headers }) => headers.get("cache-control")!);
      expect([file, kept.filter((value) => value === KEPT)]).toEqual([file, [KEPT]]);
      expect([file, kept.indexOf(KEPT)]).toEqual([file, file === "" ? 0 : 1]);
      expect(kept.find((value) => value !== KEPT)).toMatch(/^private/);
    }
  });

  test("a read is shared by concurrent requests, and not by later ones", async () => {
    let now = 1;
    let readings = 0;
    const going: (() => void)[] = [];
    const ask = shareNextRead(async () => {
      readings++;
      const seen = now;
      await new Promise<void>((resolve) => going.push(resolve));
      return seen;
    });
    const first = ask("a");
    now = 2;
    const rest = Array.from({ length: 100 }, () => ask("a"));
    going.shift()!();
    expect(await first).toBe(1);
    await waitFor(() => expect(going).toHaveLength(1));
    going.shift()!();
    expect(new Set(await Promise.all(rest))).toEqual(new Set([2]));
    expect(readings).toBe(2);
    const failing = shareNextRead(() => Promise.reject(new Error("away")));
    await expect(Promise.all([failing("a"), failing("a")])).rejects.toThrow("away");
    await expect(failing("a")).rejects.toThrow("away");
  });
});

describe.skipIf(isMissing("nginx"))("behind nginx with a cache", () => {
  let folder: string;
  let port: number;
  let listening: ListeningServer;
  let child: ChildProcess;
  const arrived: string[] = [];
  const agent = new Agent({ connections: AT_ONCE });

  const get = async (path: string, headers = {}) => {
    const answer = await request(`http://${HOST}:${port}${path}`, {
      dispatcher: agent,
      headers: { accept: "text/html", ...headers },
    });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "belfry-cache-"));
    const { app } = world.service;
    const counted = {
      ...app,
      fetch: (asked: Request, peer?: string | null) => {
        arrived.push(new URL(asked.url).pathname);
        return app.fetch(asked, peer);
      },
    };
    const own = await findFreePort(HOST);
    listening = await listenHttp(counted, { host: HOST, port: own, trustedProxies: ["loopback"] });
    port = await findFreePort(HOST);
    child = startProxy("nginx", port, [own, own], folder, (lines) =>
      lines
        .replace("server {", `${BEFORE.replace("/var/cache/nginx/belfry", `${folder}/cache`)}\nserver {`)
        .replace("location / {", `${WITHIN}\nlocation / {`),
    );
    await waitFor(async () => expect((await get("/healthz")).status).toBe(200));
  });
  afterAll(async () => {
    child?.kill("SIGTERM");
    await agent.destroy();
    await listening?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("readers of any number are about one request a second, and all of them see what is new", async () => {
    const { handle, id } = await world.pusher();
    const path = `/c/${handle}/inbox.json`;
    await world.alert(id, { title: "First", send: true });
    arrived.length = 0;
    const started = performance.now();
    let sent = 0;
    let fresh = 0;
    const reader = async () => {
      while (sent < READERS) {
        const mine = ++sent;
        if (mine === Math.floor(READERS / 4)) await world.alert(id, { title: "Second", send: true });
        // A query of the reader's own does not pass.
        const { status, text } = await get(`${path}?${mine}`, {
          "accept-language": `x-${mine % 7}`,
          cookie: `a=${mine}`,
        });
        expect(status).toBe(200);
        if (text.includes("Second")) fresh++;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, reader));
    const seconds = (performance.now() - started) / 1000;
    const reached = arrived.filter((one) => one === path).length;
    console.log(
      `${READERS} requests in ${seconds.toFixed(
        1,
      )} s, of which ${reached} reached the service; ${fresh} got the new content in that time`,
    );
    // The number by nginx's own clock: once for each second that began, and once before the first.
    expect(reached).toBeLessThanOrEqual(Math.ceil(seconds) + 2);
    await waitFor(async () => expect((await get(path)).text).toContain("Second"));
  });

  test("cancelled alerts and suspended channels disappear for all, from page, feeds and inbox", async () => {
    const { handle, id } = await world.pusher();
    const alert = await world.alert(id, { title: "Taken back", send: true });
    const all = () =>
      Promise.all(FILES.map((file) => get(`/c/${handle}${file}`, { accept: file === "" ? "text/html" : "*/*" })));
    for (const { status, text } of await all()) expect([status, text.includes("Taken back")]).toEqual([200, true]);
    await world.rest("cancel_alert", { pusher_id: id, alert_id: alert.id });
    const cancelled = async () => {
      for (const { status, text } of await all()) expect([status, text.includes("Taken back")]).toEqual([200, false]);
    };
    await waitFor(cancelled);
    await suspend(world, handle);
    await waitFor(async () => {
      for (const { status } of await all()) expect(status).toBe(404);
    });
  });

  test("a browser revalidates each time, and gets 304 from the cache; an invite's page is never cached", async () => {
    const { handle, id } = await world.pusher();
    await world.alert(id, { title: "Here", send: true });
    const path = `/c/${handle}`;
    const first = await get(path);
    expect(first.headers["cache-control"]).toBe("public, no-cache");
    const before = arrived.filter((one) => one === path).length;
    expect(before).toBe(1);
    expect((await get(path, { "if-none-match": first.headers.etag })).status).toBe(304);
    const secret = await world.pusher({ is_public: false });
    const { url } = (await world.rest("create_invite", { pusher_id: secret.id })).body;
    const { pathname, search } = new URL(url);
    for (const time of [1, 2]) {
      const page = await get(pathname + search);
      expect([page.status, page.headers["cache-control"]]).toEqual([200, "private, no-store"]);
      expect(arrived.filter((one) => one === pathname)).toHaveLength(time);
    }
  });
});
