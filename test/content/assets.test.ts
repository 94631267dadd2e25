// Uploaded files from the console to the handset. They are accepted completely or not at all, and attached under the
// rules of the alert's fields. They are served to any client with the address, and deleted after a day without use.

import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join as joinPath } from "node:path";
import { serve } from "srvx";
import { describe, expect, test } from "vitest";
import { MAX_ASSET_BYTES } from "../../src/model/domain/asset_rules.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { LIMITS } from "../../src/model/limits.ts";
import { openWorld } from "../support/open_world.ts";
import { appendPadding, GIF, HTML, M4A, MP3, openConsoleUploads, PNG } from "../support/sample_files.ts";
import { timeInSeconds } from "../support/world.ts";

const MISSING = "ast_01jzzzzzzzzzzzzzzzzzzzzzzz";

const world = await openWorld();
const pages: ReturnType<typeof openConsoleUploads> = openConsoleUploads(world);
const channel = await world.pusher();

describe("on a service", () => {
  const dataDir = () => world.dataDir;
  const files = () => readdirSync(joinPath(dataDir(), "assets")).length;
  const rows = async () => (await world.sql("select count(*)::int as n from asset"))[0].n as number;
  const rowOf = async (id: string) =>
    (await world.sql("select * from asset where id = ?", [parseIdOrNull("ast", id)]))[0];
  const expire = (id: string) =>
    world.sql("update asset set expires_at = clock_timestamp() - interval '1 second' where id = ?", [
      parseIdOrNull("ast", id),
    ]);
  const fetchFile = (url: string, headers: Record<string, string> = {}, method = "GET") =>
    world.service.app.fetch(new Request(`http://localhost${new URL(url).pathname}`, { method, headers }));
  const create = (fields: object, key?: string) =>
    world.rest("create_alert", { pusher_id: channel.id, title: "With a file", ...fields }, key);
  const edit = (alert: any, fields: object, key?: string) =>
    world.rest("update_alert", { pusher_id: alert.pusher_id, alert_id: alert.id, ...fields }, key);

  describe("uploading", () => {
    // rules#uploads
    test("returns the detected type, for any declared one", async () => {
      const answer = await pages.call("POST", "?kind=image&name=..%2Ftide.exe", {
        body: PNG,
        headers: { "content-type": "text/html" },
      });
      expect(answer).toMatchObject({
        status: 201,
        body: {
          kind: "image",
          content_type: "image/png",
          bytes: PNG.length,
          name: "tide.exe",
          own: true,
          attached: false,
          frame_url: null,
        },
      });
      expect(answer.body.url).toMatch(/^http:\/\/localhost:8787\/assets\/ast_[0-9a-z]{26}\/[\w-]{43}$/);
      const row = await rowOf(answer.body.id);
      expect(row).toMatchObject({ stored: true, reference_count: 0, attached_at: null });
      const day = new Date(answer.body.expires_at).getTime() - new Date(answer.body.created_at).getTime();
      expect(Math.round(day / 60_000)).toBe(24 * 60);
    });

    test("takes a form with one file", async () => {
      const form = new FormData();
      form.set("note", "x");
      form.set("file", new File([MP3], "C:\\horn.txt", { type: "text/plain" }));
      expect(await pages.call("POST", "?kind=audio", { body: form })).toMatchObject({
        status: 201,
        body: { content_type: "audio/mpeg", bytes: MP3.length, name: "horn.txt" },
      });
      form.set("second", new File([MP3], "b.mp3"));
      expect((await pages.call("POST", "?kind=audio", { body: form })).body.error).toMatchObject({
        param: "file",
        message: "The form must contain exactly one file.",
      });
      const broken = { "content-type": "multipart/form-data; boundary=x" };
      expect((await pages.call("POST", "?kind=audio", { body: "--x--y", headers: broken })).status).toBe(422);
    });

    test.each([
      ["a GIF as a page", "html", GIF, /is image\/gif; a file of kind html must be an \.html page/],
      ["a page as a picture", "image", HTML, /is text\/html; a file of kind image must be a picture/],
      ["a sound as a picture", "image", M4A, /is audio\/mp4/],
      ["an SVG", "image", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), /has an unsupported type/],
      ["nothing", "image", Buffer.alloc(0), /empty/],
    ])("refuses %s", async (_, kind, body, says) => {
      const before = [await rows(), files()];
      const answer = await pages.call("POST", `?kind=${kind}&name=a.png`, {
        body,
        headers: { "content-type": "image/png" },
      });
      expect(answer).toMatchObject({ status: 422, body: { error: { type: "invalid_request", param: "file" } } });
      expect(answer.body.error.message).toMatch(says);
      expect([await rows(), files()]).toEqual(before);
    });

    const samples = { image: PNG, audio: M4A, html: HTML };
    test.each(["image", "audio", "html"] as const)("limits %s to the byte", async (kind) => {
      const max = MAX_ASSET_BYTES[kind];
      const row = await pages.upload(kind, appendPadding(samples[kind], max));
      expect(row.bytes).toBe(max);
      expect((await pages.call("DELETE", `/${row.id}`)).status).toBe(204);
      const before = [await rows(), files()];
      const over = appendPadding(samples[kind], max + 1);
      const form = new FormData();
      form.set("file", new File([over], "a"));
      const attempts = [
        await pages.call("POST", `?kind=${kind}`, { body: over as never }),
        await pages.call("POST", `?kind=${kind}`, { body: new Blob([over]).stream() }),
        await pages.call("POST", `?kind=${kind}`, { body: form }),
        await pages.call("POST", `?kind=${kind}`, { body: "x", headers: { "content-length": "99999999" } }),
      ];
      for (const answer of attempts) {
        expect(answer).toMatchObject({ status: 422, body: { error: { param: "file" } } });
        expect(answer.body.error.message).toMatch(/can be at most (5 MB|2 MB|500 kB)\. Make it smaller\.$/);
      }
      expect([await rows(), files()]).toEqual(before);
    });

    test("stops reading at the limit", async () => {
      let given = 0;
      const endless = new ReadableStream<Uint8Array>({
        pull(controller) {
          given += 100_000;
          controller.enqueue(appendPadding(HTML, 100_000));
        },
      });
      expect((await pages.call("POST", "?kind=html", { body: endless })).status).toBe(422);
      expect(given).toBeLessThanOrEqual(MAX_ASSET_BYTES.html + 300_000);
    });

    test("leaves nothing of an upload that breaks off", async () => {
      const before = [await rows(), files()];
      const broken = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(PNG.subarray(0, 20));
          controller.error(new Error("gone"));
        },
      });
      expect(await pages.call("POST", "?kind=image", { body: broken })).toMatchObject({
        status: 422,
        body: { error: { param: "file" } },
      });
      expect([await rows(), files()]).toEqual(before);
    });

    test("leaves nothing of an upload that the store refuses", async () => {
      const before = [await rows(), files()];
      const { store } = world.service.assets;
      const { put } = store;
      store.put = async (id, bytes) => {
        await put(id, bytes);
        throw new Error("disk full");
      };
      try {
        const answer = await pages.call("POST", "?kind=image", { body: PNG });
        expect(answer).toMatchObject({ status: 500, body: { error: { type: "server_error" } } });
      } finally {
        store.put = put;
      }
      expect([await rows(), files()]).toEqual(before);
    });

    test("over a socket: cut off, with a wrong length, above the limit in chunks", async () => {
      const before = [await rows(), files()];
      const server = serve({ port: 0, hostname: "127.0.0.1", silent: true, fetch: (r) => pages.app.fetch(r as never) });
      await server.ready();
      const port = Number(new URL(server.url!).port);
      const head = (more: string) =>
        `POST /console/assets?kind=html HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n` +
        `Authorization: Bearer ${world.owner}\r\n${more}\r\n\r\n`;
      const talk = (parts: (string | Buffer)[], cutAfterMs?: number) =>
        new Promise<string>((resolve) => {
          let heard = "";
          const socket = connect(port, "127.0.0.1", () => {
            for (const part of parts) socket.write(part);
            if (cutAfterMs !== undefined) setTimeout(() => socket.destroy(), cutAfterMs);
          });
          socket.on("data", (data) => {
            heard += data;
            if (heard.includes("\r\n\r\n") && /}$/.test(heard.trim())) socket.destroy();
          });
          socket.on("error", () => {});
          socket.on("close", () => resolve(heard));
        });
      try {
        expect(await talk([head("Content-Length: 1000"), HTML], 150)).toBe("");
        // The declared length ends the body: further bytes are neither part of the file nor a request.
        const lying = head(`Content-Length: ${HTML.length}\r\nConnection: close`);
        expect(await talk([lying, HTML, appendPadding(HTML, 600_000)])).toMatch(/^HTTP\/1\.1 (201|400)/);
        const block = appendPadding(HTML, 65_536);
        const chunks = Array.from({ length: 12 }, () => [`10000\r\n`, block, "\r\n"]).flat();
        const answer = await talk([head("Transfer-Encoding: chunked"), ...chunks, "0\r\n\r\n"]);
        expect(answer).toMatch(/^HTTP\/1\.1 422/);
        expect(answer).toContain('"param":"file"');
      } finally {
        await server.close(true);
      }
      // The second one may have been taken or cut off, but only as what was declared.
      const sizes = await world.sql("select distinct bytes from asset where kind = 'html'");
      for (const { bytes } of sizes) expect(bytes).toBe(HTML.length);
      await expect.poll(async () => files() === (await rows())).toBe(true);
      expect(await rows()).toBeLessThanOrEqual(before[0]! + 1);
    });

    test("checks the caller, the origin, and the role", async () => {
      expect((await pages.call("POST", "?kind=image", { body: PNG, key: null })).status).toBe(401);
      const viewer = await world.memberKey("viewer");
      expect((await pages.call("POST", "?kind=image", { body: PNG, key: viewer })).body.error.type).toBe("forbidden");
      expect((await pages.call("GET", "", { key: viewer })).status).toBe(403);
      for (const headers of [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site", origin: "https://belfry.example" },
        { "sec-fetch-site": "none" },
        { origin: "https://evil.example" },
        { origin: "null" },
      ] as Record<string, string>[])
        for (const [method, path] of [
          ["POST", "?kind=image"],
          ["DELETE", `/${MISSING}`],
        ] as const)
          expect((await pages.call(method, path, { headers })).status).toBe(403);
      for (const origin of ["https://belfry.example", "http://localhost"])
        expect((await pages.call("POST", "?kind=image", { body: PNG, headers: { origin } })).status).toBe(201);
    });

    test("refuses what it does not know", async () => {
      for (const [query, param] of [
        ["", "kind"],
        ["?kind=video", "kind"],
        ["?kind=image&size=2", "size"],
        ["?kind=image&name=", "name"],
      ])
        expect((await pages.call("POST", query!, { body: PNG })).body.error).toMatchObject({ param });
      expect((await pages.call("GET", "?limit=0")).body.error.param).toBe("limit");
      const put = await pages.call("PUT", "", { body: "x" });
      expect([put.status, put.headers.get("allow")]).toEqual([404, "GET, POST"]);
    });

    test("limits each member's unattached files, also at once", async () => {
      const key = await world.memberKey("editor");
      const attempts = Array.from({ length: LIMITS.waiting_files + 10 }, () =>
        pages.call("POST", "?kind=html", { body: HTML, key }),
      );
      const statuses = (await Promise.all(attempts)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 201).length).toBe(LIMITS.waiting_files);
      expect(statuses.filter((status) => status === 409).length).toBe(10);
      const { body } = await pages.call("GET", "?limit=1&kind=html", { key });
      await create({ html_asset_id: body.data[0].id });
      expect((await pages.call("POST", "?kind=image", { body: PNG, key })).status).toBe(201);
      expect((await pages.call("POST", "?kind=image", { body: PNG, key })).status).toBe(409);
      expect((await pages.call("POST", "?kind=image", { body: PNG })).status).toBe(201);
    });
  });

  describe("listing and deleting", () => {
    test("shows the workspace's files, and to restricted members their own", async () => {
      const mine = await pages.upload("image", PNG);
      const restricted = await world.memberKey("editor", [channel.id]);
      const own = await pages.upload("audio", MP3, restricted, "own.mp3");
      const ids = async (key: string, query = "?limit=100") => {
        const { body } = await pages.call("GET", query, { key });
        return body.data.map((row: any) => row.id);
      };
      expect(await ids(world.owner)).toEqual(expect.arrayContaining([mine.id, own.id]));
      expect(await ids(restricted)).toEqual([own.id]);
      expect(await ids(restricted, "?kind=image")).toEqual([]);
      expect(await ids(await world.foreignKey())).toEqual([]);
      expect((await pages.call("DELETE", `/${mine.id}`, { key: restricted })).status).toBe(404);
      expect((await pages.call("DELETE", `/${own.id}`)).status).toBe(204);
      expect(await ids(restricted)).toEqual([]);
    });

    test("pages lose nothing", async () => {
      const key = await world.foreignKey();
      const made: string[] = [];
      for (let i = 0; i < 7; i++) made.unshift((await pages.upload("html", HTML, key)).id);
      const seen: string[] = [];
      for (let before = ""; ; ) {
        const { body } = await pages.call("GET", `?limit=3${before}`, { key });
        seen.push(...body.data.map((row: any) => row.id));
        if (body.meta.next_before === null) break;
        before = `&before=${body.meta.next_before}`;
      }
      expect(seen).toEqual(made);
    });

    test("a file that an alert has stays", async () => {
      const file = await pages.upload("image", PNG);
      const alert = (await create({ image_asset_id: file.id, layout: "image" })).body;
      const answer = await pages.call("DELETE", `/${file.id}`);
      expect(answer.body.error).toMatchObject({ type: "conflict", message: /detach it/ });
      await edit(alert, { image_asset_id: null, layout: "text" });
      expect((await pages.call("DELETE", `/${file.id}`)).status).toBe(204);
      expect(await world.service.assets.store.get(parseIdOrNull("ast", file.id)!)).toBeNull();
      expect((await pages.call("DELETE", `/${file.id}`)).status).toBe(404);
    });

    test("a foreign file answers as a missing one, byte for byte", async () => {
      const foreign = await pages.upload("image", PNG, await world.foreignKey());
      const expired = await pages.upload("image", PNG);
      await expire(expired.id);
      const missing = await pages.call("DELETE", `/${MISSING}`);
      expect(missing.status).toBe(404);
      for (const id of [foreign.id, expired.id, "ast_x", channel.id, "%00"])
        expect(await pages.call("DELETE", `/${id}`)).toMatchObject({ status: 404, body: missing.body });
    });
  });

  describe("attaching", () => {
    test("a duplicate has the files of its model, and keeps them when the model is deleted", async () => {
      const image = await pages.upload("image", PNG);
      const audio = await pages.upload("audio", MP3);
      const fields = { layout: "image", image_asset_id: image.id, audio_asset_id: audio.id };
      const model = (await create(fields)).body;
      const path = { pusher_id: channel.id, alert_id: model.id };
      const { status, body } = await world.rest("duplicate_alert", path);
      expect(status).toBe(201);
      expect(body).toMatchObject({ ...fields, image_asset_url: image.url, audio_asset_url: audio.url });
      expect((await world.rest("delete_alert", path)).status).toBe(204);
      const files = await world.sql<{ reference_count: number }>(
        "select reference_count from asset where id in (?, ?)",
        [parseIdOrNull("ast", image.id), parseIdOrNull("ast", audio.id)],
      );
      expect(files).toEqual([{ reference_count: 1 }, { reference_count: 1 }]);
      // An html page comes with what handsets show of it.
      const page = await pages.upload("html", HTML);
      const html = (await create({ layout: "html", html_asset_id: page.id })).body;
      const copy = await world.rest("duplicate_alert", { pusher_id: channel.id, alert_id: html.id });
      expect(copy.body).toMatchObject({ html_asset_id: page.id, asset_html: html.asset_html });
      expect(copy.body.blocked).toEqual(html.blocked);
    });

    // rules#alert-assets
    test("an alert takes a picture and a sound, and every read shows where they are", async () => {
      const image = await pages.upload("image", PNG);
      const audio = await pages.upload("audio", MP3);
      const fields = { layout: "image", image_asset_id: image.id, audio_asset_id: audio.id };
      const made = (await create({ ...fields, send: true })).body;
      const shown = { ...fields, image_asset_url: image.url, audio_asset_url: audio.url };
      expect(made).toMatchObject({ ...shown, html: null, asset_html: null });
      expect(made.notes).toContainEqual(expect.objectContaining({ field: "audio_asset_id" }));
      const path = { pusher_id: channel.id, alert_id: made.id };
      expect((await world.rest("get_alert", path)).body).toMatchObject(shown);
      expect((await world.mcp("get_alert", path)).body).toMatchObject(shown);
      expect((await world.rest("list_alerts", { pusher_id: channel.id, limit: 1 })).body.data[0]).toMatchObject(shown);
      const device = await world.device(channel.handle);
      expect((await world.handset("GET", "/inbox", device)).body.data[0]).toMatchObject(shown);
      expect(await rowOf(image.id)).toMatchObject({ reference_count: 1, expires_at: null });
      // A sent alert is frozen, its file with it.
      expect((await edit(made, { image_asset_id: null })).status).toBe(409);
    });

    test("one file may serve several alerts, and is free again when the last of them is deleted", async () => {
      const { id } = await pages.upload("image", PNG);
      const alerts = await Promise.all([1, 2, 3].map(() => create({ image_asset_id: id })));
      expect(await rowOf(id)).toMatchObject({ reference_count: 3, expires_at: null });
      const twice = await edit(alerts[0]!.body, { image_asset_id: id, title: "Again" });
      expect(twice.status).toBe(200);
      expect((await rowOf(id)).reference_count).toBe(3);
      await edit(alerts[0]!.body, { image_asset_id: null });
      await Promise.all(
        alerts.slice(1).map(({ body }) => world.rest("delete_alert", { pusher_id: channel.id, alert_id: body.id })),
      );
      const row = await rowOf(id);
      expect(row).toMatchObject({ reference_count: 0, attached_at: null });
      expect(new Date(row.expires_at).getTime()).toBeGreaterThan(Date.now() + 86_000_000);
    });

    test("deleting a channel sets its files free", async () => {
      const { id } = await pages.upload("audio", MP3);
      const other = await world.pusher();
      await world.alert(other.id, { audio_asset_id: id, send: true });
      expect((await world.rest("delete_pusher", { pusher_id: other.id })).status).toBe(204);
      expect(await rowOf(id)).toMatchObject({ reference_count: 0, attached_at: null });
    });

    test("a missing, foreign, expired or unreadable id is 422 on its field, with the same message", async () => {
      const foreign = await pages.upload("image", PNG, await world.foreignKey());
      const expired = await pages.upload("image", PNG);
      await expire(expired.id);
      const draft = (await create({})).body;
      const missing = await create({ image_asset_id: MISSING });
      expect(missing).toMatchObject({
        status: 422,
        body: { error: { type: "invalid_request", param: "image_asset_id" } },
      });
      for (const id of [foreign.id, expired.id, "nonsense", "", channel.id]) {
        expect(await create({ image_asset_id: id })).toMatchObject({ status: 422, body: missing.body });
        expect(await edit(draft, { image_asset_id: id })).toMatchObject({ status: 422, body: missing.body });
        const { error } = missing.body;
        const args = { pusher_id: channel.id, title: "x", image_asset_id: id };
        expect((await world.mcp("create_alert", args)).body.error).toEqual({
          ...error,
          message: `Nothing was changed. ${error.message}`,
        });
      }
    });

    test("the alert's own state comes first", async () => {
      const sent = (await create({ send: true })).body;
      expect((await edit(sent, { image_asset_id: MISSING })).status).toBe(409);
      expect((await edit({ ...sent, id: "alr_x" }, { image_asset_id: MISSING })).status).toBe(404);
      const lost = { pusher_id: "psh_x", title: "x", image_asset_id: MISSING };
      expect((await world.rest("create_alert", lost)).status).toBe(404);
      const paused = await world.pusher();
      await world.rest("update_pusher", { pusher_id: paused.id, status: "paused" });
      const refused = { pusher_id: paused.id, title: "x", send: true, image_asset_id: MISSING };
      expect((await world.rest("create_alert", refused)).status).toBe(409);
    });

    test("each field takes its own kind", async () => {
      const made = {
        image_asset_id: (await pages.upload("image", PNG)).id,
        audio_asset_id: (await pages.upload("audio", MP3)).id,
        html_asset_id: (await pages.upload("html", HTML)).id,
      };
      for (const field of Object.keys(made))
        for (const [other, id] of Object.entries(made).filter(([other]) => other !== field)) {
          const { status, body } = await create({ [field]: id });
          expect([field, other, status, body.error.param]).toEqual([field, other, 422, field]);
          expect(body.error.message).toMatch(/Wrong file type/);
        }
      expect((await create(made)).status).toBe(201);
    });

    test("picture and address exclude each other, page and markup too", async () => {
      const image = (await pages.upload("image", PNG)).id;
      const html = (await pages.upload("html", HTML)).id;
      const url = "https://example.org/a.png";
      const pairs = [
        [{ image_asset_id: image, image_url: url }, "image_asset_id"],
        [{ html_asset_id: html, html: "<p>x</p>" }, "html_asset_id"],
      ] as const;
      for (const [fields, param] of pairs) {
        expect((await create(fields)).body.error?.param).toBe(param);
        const [first, second] = Object.entries(fields).map(([name, value]) => ({ [name]: value }));
        const alert = (await create(first!)).body;
        expect((await edit(alert, second!)).body.error?.param).toBe(param);
        const cleared = Object.fromEntries(Object.keys(first!).map((name) => [name, null]));
        expect((await edit(alert, { ...cleared, ...second })).status).toBe(200);
      }
    });

    test("layouts are content with a file", async () => {
      const image = (await pages.upload("image", PNG)).id;
      const html = (await pages.upload("html", HTML)).id;
      expect((await create({ layout: "image" })).body.error.param).toBe("image_url");
      expect((await create({ layout: "document" })).body.error.param).toBe("html");
      const picture = (await create({ layout: "image", image_asset_id: image })).body;
      expect((await edit(picture, { image_asset_id: null })).body.error.param).toBe("image_url");
      for (const layout of ["html", "document"])
        expect((await create({ layout, html_asset_id: html })).status).toBe(201);
    });

    test("restricted members and keys of one channel attach files of their own member", async () => {
      const shared = (await pages.upload("image", PNG)).id;
      const keys = {
        restricted: await world.memberKey("editor", [channel.id]),
        bound: await world.memberKey("editor", undefined, { pusher: channel.id }),
      };
      for (const key of Object.values(keys)) {
        const own = (await pages.upload("image", PNG, key)).id;
        const missing = await create({ image_asset_id: MISSING }, key);
        expect(await create({ image_asset_id: shared }, key)).toMatchObject({ status: 422, body: missing.body });
        expect((await create({ image_asset_id: own }, key)).status).toBe(201);
        expect((await create({ image_asset_id: own })).status).toBe(201);
      }
      // The alert's present file is not requested again.
      const alert = (await create({ image_asset_id: shared })).body;
      expect((await edit(alert, { image_asset_id: shared, title: "x" }, keys.restricted)).status).toBe(200);
    });

    test("an idempotent retry attaches once", async () => {
      const { id } = await pages.upload("image", PNG);
      const args = { pusher_id: channel.id, title: "x", image_asset_id: id, idempotency_key: `k-${id}` };
      const first = await world.mcp("create_alert", args);
      expect((await world.mcp("create_alert", args)).body).toEqual(first.body);
      expect((await rowOf(id)).reference_count).toBe(1);
    });

    test("attaching and expiring at once never leave an alert without its file", async () => {
      for (let round = 0; round < 8; round++) {
        const { id } = await pages.upload("image", PNG);
        const [made, deleted] = await Promise.all([create({ image_asset_id: id }), pages.call("DELETE", `/${id}`)]);
        expect([
          [201, 409],
          [422, 204],
        ]).toContainEqual([made.status, deleted.status]);
        const bytes = await world.service.assets.store.get(parseIdOrNull("ast", id)!);
        expect(bytes !== null).toBe(made.status === 201);
      }
    });
  });

  describe("pages", () => {
    const PAGE = Buffer.from(
      '<!doctype html><style>p{color:red}</style><p onclick="x()">Tide <b>high</b><script>alert(1)</script></p>',
    );

    // rules#alert-html-asset
    test("phones are shown the sanitised text, the file stays as written", async () => {
      const file = await pages.upload("html", PAGE);
      const made = (await create({ layout: "html", html_asset_id: file.id, send: true })).body;
      const preview = (await world.rest("preview_html", { html: PAGE.toString() })).body;
      expect(made).toMatchObject({
        html: null,
        html_asset_id: file.id,
        html_length: 0,
        asset_html: preview.html,
        blocked: preview.blocked,
      });
      expect(made.asset_html).not.toMatch(/script|onclick|style/);
      const device = await world.device(channel.handle);
      const { html, html_asset_id } = (await world.handset("GET", "/inbox", device)).body.data[0];
      expect({ html, html_asset_id }).toEqual({ html: preview.html, html_asset_id: file.id });
      expect(Buffer.from(await (await fetchFile(file.url)).arrayBuffer())).toEqual(PAGE);
    });

    test("a document is kept whole, and is sanitised when it becomes a fragment", async () => {
      const file = await pages.upload("html", PAGE);
      const alert = (await create({ layout: "document", html_asset_id: file.id })).body;
      expect(alert).toMatchObject({ asset_html: PAGE.toString(), blocked: [] });
      const fragment = (await edit(alert, { layout: "html" })).body;
      expect(fragment.asset_html).not.toMatch(/script|style/);
      expect(fragment.blocked).not.toEqual([]);
      expect((await edit(alert, { title: "Same page" })).body).toMatchObject({
        asset_html: fragment.asset_html,
        blocked: fragment.blocked,
      });
      expect((await edit(alert, { layout: "document" })).body.asset_html).toBe(PAGE.toString());
      expect((await edit(alert, { layout: "text", html_asset_id: null })).body.asset_html).toBeNull();
      expect((await edit(alert, { layout: "html", html: "<i>x</i>" })).body).toMatchObject({
        html: "<i>x</i>",
        asset_html: null,
      });
    });

    test("the length of the layout also applies to the text of a file", async () => {
      const long = await pages.upload("html", appendPadding(PAGE, 60_001));
      expect((await create({ layout: "html", html_asset_id: long.id })).body.error.param).toBe("html_asset_id");
      const alert = (await create({ layout: "document", html_asset_id: long.id })).body;
      expect(alert.asset_html.length).toBe(60_001);
      expect((await edit(alert, { layout: "html" })).body.error.param).toBe("html_asset_id");
    });
  });

  describe("expiry", () => {
    // rules#uploads-expire
    test("an expired file is unavailable at once, its bytes after the housekeeping", async () => {
      const file = await pages.upload("image", PNG);
      const id = parseIdOrNull("ast", file.id)!;
      const kept = await pages.upload("image", PNG);
      await create({ image_asset_id: kept.id });
      await expire(file.id);
      expect((await fetchFile(file.url)).status).toBe(404);
      expect((await pages.call("GET", "?limit=100")).body.data.map((row: any) => row.id)).not.toContain(file.id);
      expect(await world.service.assets.store.get(id)).not.toBeNull();
      await world.service.housekeeping.round("unused_files");
      expect(await world.service.assets.store.get(id)).toBeNull();
      expect(await rowOf(file.id)).toBeUndefined();
      expect((await fetchFile(kept.url)).status).toBe(200);
    });

    test("the operator clears everything, and what the store refuses is found again", async () => {
      const file = await pages.upload("image", PNG);
      await expire(file.id);
      const { store } = world.service.assets;
      const { remove } = store;
      store.remove = async () => {
        throw new Error("store away");
      };
      await expect(world.service.assets.removeExpired(1000)).rejects.toThrow("store away");
      store.remove = remove;
      expect(await rowOf(file.id)).toMatchObject({ stored: false });
      expect(await world.service.assets.removeExpired(1000)).toBeGreaterThanOrEqual(1);
      expect(await rowOf(file.id)).toBeUndefined();
      expect(await world.service.assets.removeExpired(1000)).toBe(0);
    });

    test("an upload whose process died is also removed", async () => {
      const file = await pages.upload("image", PNG);
      await world.sql("update asset set stored = false where id = ?", [parseIdOrNull("ast", file.id)]);
      expect((await fetchFile(file.url)).status).toBe(404);
      expect((await create({ image_asset_id: file.id })).status).toBe(422);
      await expire(file.id);
      await world.service.assets.removeExpired(1000);
      expect(await world.service.assets.store.get(parseIdOrNull("ast", file.id)!)).toBeNull();
    });

    test("every file has a row and every row a file, counted right", async () => {
      await world.service.assets.removeExpired(1000);
      const found = await world.sql(
        `select a.id, a.reference_count, (select count(*)::int from alert where image_asset_id = a.id)
           + (select count(*)::int from alert where audio_asset_id = a.id)
           + (select count(*)::int from alert where html_asset_id = a.id) as counted from asset a order by id`,
      );
      expect(found.filter(({ reference_count, counted }) => reference_count !== counted)).toEqual([]);
      const kept = readdirSync(joinPath(dataDir(), "assets")).sort();
      expect(kept).toEqual(found.map(({ id }) => id).sort());
    });
  });

  describe("serving", () => {
    const COMMON = {
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "cross-origin",
      "content-security-policy": "default-src 'none'; sandbox",
      "cache-control": "public, max-age=31536000, immutable",
      "referrer-policy": "no-referrer",
    };
    const headersOf = (response: Response) => Object.fromEntries(response.headers);

    test("a picture, with nothing left to guess", async () => {
      const { url } = await pages.upload("image", PNG, world.owner, 'a "b".png');
      const response = await fetchFile(url);
      expect(response.status).toBe(200);
      expect(headersOf(response)).toMatchObject({
        ...COMMON,
        "content-type": "image/png",
        "content-length": `${PNG.length}`,
        "content-disposition": `inline; filename="a__b_.png"; filename*=UTF-8''a%20%22b%22.png`,
      });
      expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG);
      const etag = response.headers.get("etag")!;
      for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
        const again = await fetchFile(url, { "if-none-match": tag });
        expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
      }
      expect((await fetchFile(url, { "if-none-match": '"other"' })).status).toBe(200);
      const ranged = await fetchFile(url, { range: "bytes=0-1" });
      expect([ranged.status, ranged.headers.get("accept-ranges")]).toEqual([200, null]);
    });

    test("a page is a download, and inert in a frame", async () => {
      const { url, frame_url } = await pages.upload("html", HTML, world.owner, "tide.exe");
      expect(frame_url).toBe(`${url}/frame`);
      expect(headersOf(await fetchFile(url))).toMatchObject({
        ...COMMON,
        "content-type": "text/html; charset=utf-8",
        "content-disposition": `attachment; filename="tide.exe.html"; filename*=UTF-8''tide.exe.html`,
      });
      const frame = await fetchFile(frame_url);
      expect(headersOf(frame)).toMatchObject({
        ...COMMON,
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": "sandbox; default-src 'none'; img-src https:; style-src 'unsafe-inline'",
      });
      expect(frame.headers.get("content-disposition")).toBeNull();
      const image = await pages.upload("image", PNG);
      expect((await fetchFile(`${image.url}/frame`)).status).toBe(404);
    });

    test("a sound in the ranges that players request", async () => {
      const { url, bytes } = await pages.upload("audio", MP3);
      const whole = await fetchFile(url);
      expect(headersOf(whole)).toMatchObject({ ...COMMON, "content-type": "audio/mpeg", "accept-ranges": "bytes" });
      const etag = whole.headers.get("etag")!;
      const last = bytes - 1;
      for (const [range, from, to] of [
        ["bytes=0-99", 0, 99],
        ["bytes=100-", 100, last],
        ["bytes=-10", bytes - 10, last],
        ["bytes=-99999", 0, last],
        [`bytes=5-99999`, 5, last],
        [`bytes=${last}-${last}`, last, last],
      ] as const) {
        const part = await fetchFile(url, { range, "if-range": etag });
        expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes ${from}-${to}/${bytes}`]);
        expect(Buffer.from(await part.arrayBuffer())).toEqual(MP3.subarray(from, to + 1));
      }
      for (const range of [`bytes=${bytes}-`, "bytes=-0", "bytes=99999-100000"]) {
        const part = await fetchFile(url, { range });
        expect([part.status, part.headers.get("content-range")]).toEqual([416, `bytes */${bytes}`]);
        expect(((await part.json()) as any).error.type).toBe("invalid_request");
      }
      for (const headers of [
        { range: "bytes=0-1,5-6" },
        { range: "bytes=9-5" },
        { range: "bytes=-" },
        { range: "lines=0-1" },
        { range: "bytes=0-1", "if-range": '"old"' },
      ])
        expect((await fetchFile(url, headers as Record<string, string>)).status).toBe(200);
    });

    test("another token, another id or none is a missing file, byte for byte", async () => {
      const { id, url } = await pages.upload("image", PNG);
      const other = (await pages.upload("image", PNG)).url as string;
      const token = url.split("/").at(-1)!;
      const missing = await fetchFile(`http://x/assets/${MISSING}/${token}`);
      const body = await missing.text();
      expect(missing.status).toBe(404);
      for (const path of [
        `${id}/${token.slice(0, -1)}`,
        `${id}/${token}A`,
        `${id}/${other.split("/").at(-1)}`,
        `${id}/${"é".repeat(43)}`,
        `${id.toUpperCase()}/${token}`,
        `${parseIdOrNull("ast", id)}/${token}`,
      ]) {
        const response = await fetchFile(`http://x/assets/${path}`);
        expect([response.status, await response.text()]).toEqual([404, body]);
        expect(response.headers.get("cache-control")).toBe("private, no-cache");
      }
      expect((await fetchFile(`http://x/assets/${id}`)).status).toBe(404);
      const posted = await fetchFile(url, {}, "POST");
      expect([posted.status, posted.headers.get("allow")]).toEqual([404, "GET, HEAD"]);
      expect((await fetchFile(url, {}, "HEAD")).headers.get("content-length")).toBe(`${PNG.length}`);
    });

    test("a file that the store lost is a fault, not a short answer", async () => {
      const { id, url } = await pages.upload("image", PNG);
      await world.service.assets.store.remove(parseIdOrNull("ast", id)!);
      expect((await fetchFile(url)).status).toBe(500);
      await expire(id);
    });

    test("a scheduled alert's file can be fetched before it is sent by its owner's address alone", async () => {
      const { id } = await pages.upload("image", PNG);
      const alert = (await create({ image_asset_id: id, send: true, send_at: timeInSeconds(600) })).body;
      expect((await fetchFile(alert.image_asset_url)).status).toBe(200);
    });
  });
});
