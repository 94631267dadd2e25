// The same files with an S3-compatible provider in place of the data directory.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { findFreePort } from "../../src/program/boot/http_server.ts";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { ConfigError } from "../../src/store/config/setting_types.ts";
import { type S3Server, s3Settings, startS3Server } from "../support/s3_server.ts";
import { MP3, openConsoleUploads, PNG } from "../support/sample_files.ts";
import { nextTick, waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

let provider: S3Server;

describe("an S3-compatible store", () => {
  let world: World;
  let pages: ReturnType<typeof openConsoleUploads>;
  const settings = () => ({ ...s3Settings("ASSETS_S3", provider), ASSETS_S3_BUCKET: "belfry-files" });

  beforeAll(async () => {
    provider = await startS3Server();
    world = await World.open({ settings: settings() });
    pages = openConsoleUploads(world);
  });
  afterAll(async () => {
    await world?.close();
    await provider.close();
  });

  test("an object that is stored only after the refusal is removed again", async () => {
    const { store } = world.service.assets;
    const asked = () => provider.calls.filter((call) => call.endsWith("/late"));
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.held = promise;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const put = expect(store.put("late", PNG)).rejects.toThrow("did not respond in time");
      while (asked().length === 0) await nextTick();
      await vi.advanceTimersByTimeAsync(30_000);
      await put;
    } finally {
      vi.useRealTimers();
      provider.held = null;
      resolve();
    }
    await waitFor(() => expect(asked()).toEqual(["PUT", "DELETE"].map((verb) => `${verb} /belfry-files/late`)));
    expect(provider.objects.has("/belfry-files/late")).toBe(false);
  });

  test("stores the bytes under the row's id, and nothing is in the data directory", async () => {
    const { id, url } = await pages.upload("audio", MP3);
    const key = `/belfry-files/${parseIdOrNull("ast", id)}`;
    expect(provider.objects.get(key)).toEqual(MP3);
    expect(existsSync(join(world.dataDir, "assets"))).toBe(false);
    const path = new URL(url).pathname;
    const get = (headers: Record<string, string> = {}) =>
      world.service.app.fetch(new Request(`http://localhost${path}`, { headers }));
    const whole = await get();
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(MP3);
    const part = await get({ range: "bytes=1-3" });
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, MP3.subarray(1, 4)]);
    const before = provider.calls.length;
    expect((await get({ "if-none-match": whole.headers.get("etag")! })).status).toBe(304);
    expect(provider.calls.length).toBe(before);
    expect((await pages.call("DELETE", `/${id}`)).status).toBe(204);
    expect(provider.objects.has(key)).toBe(false);
    expect(await world.service.assets.store.get(parseIdOrNull("ast", id)!)).toBeNull();
  });

  test("a deleted object may be removed again", async () => {
    const { id } = await pages.upload("image", PNG);
    provider.objects.clear();
    expect((await pages.call("DELETE", `/${id}`)).status).toBe(204);
    expect(await world.sql("select id from asset")).toEqual([]);
  });

  // rules#unavailable
  test.each([403, 507, 503])("a provider that answers %i refuses the upload whole, for a while", async (status) => {
    provider.failing = status;
    const answer = await pages.call("POST", "?kind=image", { body: PNG });
    expect(answer).toMatchObject({
      status: 503,
      body: { error: { type: "server_error", message: expect.stringMatching(/^The file storage /) } },
    });
    expect(answer.headers.get("retry-after")).toBe("10");
    expect(JSON.stringify(answer.body)).not.toContain("its own words");
    // The log names the store and the cause, and no key.
    const failure = await world.service.assets.store.put("x", PNG).catch((error) => error.message);
    expect(failure).toMatch(/^the file store http:\/\/127\.0\.0\.1:\d+\/belfry-files failed: PUT returned \d+$/);
    expect(failure).not.toContain("not-a-secret");
    // A store that every replica shares takes none of them out of service.
    await expect
      .poll(async () => (await world.request("GET", "/readyz")).body)
      .toEqual({ status: "ready", degraded: ["files"] });
    provider.failing = 0;
    await world.service.assets.store.get("00000000-0000-0000-0000-000000000001");
    // A result of a check is valid for half a second.
    await expect.poll(async () => (await world.request("GET", "/readyz")).body).toEqual({ status: "ready" });
    // Its row is not visible to any caller, takes none of the member's places, and is deleted with the next clean-up.
    const [row] = await world.sql("select stored, expires_at <= clock_timestamp() as over from asset");
    expect(row).toEqual({ stored: false, over: true });
    expect((await pages.call("GET", "")).body.data).toEqual([]);
    expect(await world.service.assets.removeExpired(1000)).toBe(1);
    expect(await world.sql("select id from asset")).toEqual([]);
  });

  // rules#unavailable
  test("an unreachable provider is not reported as the database", async () => {
    const port = await findFreePort("127.0.0.1");
    const away = await World.open({ settings: { ...settings(), ASSETS_S3_ENDPOINT: `http://127.0.0.1:${port}` } });
    const answer = await openConsoleUploads(away).call("POST", "?kind=image", { body: PNG });
    expect([answer.status, answer.body.error.message]).toEqual([
      503,
      expect.stringMatching(/^The file storage is not available/),
    ]);
    await away.close();
  });

  test("its settings go together and are checked", () => {
    const read = (change: Record<string, string>) => () => loadConfig({ DATA_DIR: "x", ...settings(), ...change }, {});
    expect(read({})()).toMatchObject({ assetsS3Bucket: "belfry-files", assetsS3Region: "auto" });
    for (const name of Object.keys(settings())) {
      expect(read({ [name]: "" })).toThrow(ConfigError);
      expect(read({ [name]: "" })).toThrow(name);
      expect(read({ [name]: "a b\n" })).toThrow(name);
    }
    expect(loadConfig({ DATA_DIR: "x" }, {}).assetsS3Endpoint).toBeNull();
  });
});
