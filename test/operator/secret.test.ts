// The server secret belongs to its database. Another one is refused at start. A rotation changes all encrypted data,
// completely or not at all.

import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signatureProblem } from "../../examples/webhooks/verify.ts";
import { createAssetUrls } from "../../src/effects/assets/asset_urls.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { getVerifiedServerSecret } from "../../src/program/boot/first_start.ts";
import { openServiceWithoutListening } from "../../src/program/boot/service.ts";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { startHttpReceiver } from "../support/loopback_receivers.ts";
import { runBelfry, temporaryFolder } from "../support/processes.ts";
import { joinWithPush } from "../support/push_handsets.ts";
import { startPushService } from "../support/push_service.ts";
import { waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

/** Receivers of webhooks and push notifications are on this machine. */
const RECEIVERS = {
  WEBHOOK_ALLOW_HOSTS: "127.0.0.1",
  WEB_PUSH: "on",
  WEB_PUSH_CONTACT: "mailto:ops@example.org",
  WEB_PUSH_ALLOW_HOSTS: "127.0.0.1",
};
const OTHER = "another secret of the tests, just as long";
const HERE = "https://alerts.example.org";
const folder = temporaryFolder();
afterAll(() => folder.remove());

// Several services on one database, one after the other.
describe("on a service", () => {
  let world: World;
  let open: World | null;
  beforeAll(async () => {
    world = await World.open({ settings: RECEIVERS });
    open = world;
  });
  afterAll(async () => {
    await open?.leave();
    await world.remove();
  });

  const start = (secret: string) =>
    openServiceWithoutListening(
      loadConfig({
        LOG_LEVEL: "silent",
        REDIS_URL: "",
        ...world.settings,
        SECRET: secret,
        WEBHOOK_ALLOW_HOSTS: "127.0.0.1",
      }),
    );
  const refused = /^SECRET does not match this database/;

  // rules#secret-belongs
  test("another secret is refused at start, by name", async () => {
    await expect(start(OTHER)).rejects.toThrow(refused);
    const { code, stderr } = await runBelfry(["serve"], { ...world.settings, SECRET: OTHER, PORT: "0" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^belfry: SECRET does not match .*rotate.*\n$/);
    const again = await start(world.settings.SECRET!);
    await again.close();
  });

  test("an earlier database takes the secret at its next start, unless another one encrypted its data", async () => {
    await world.sql("delete from server_secret");
    await (await start(world.settings.SECRET!)).close();
    expect(await world.sql("select 1 from server_secret")).toHaveLength(1);
    await world.rest("create_webhook", { url: "http://127.0.0.1:9/", events: ["alert.sent"] });
    await world.sql("delete from server_secret");
    await expect(start(OTHER)).rejects.toThrow(refused);
    expect(await world.sql("select 1 from server_secret")).toHaveLength(0);
    await (await start(world.settings.SECRET!)).close();
    await expect(start(OTHER)).rejects.toThrow(refused);
  });

  test("a rotation seals everything again, and is refused while a service runs", async () => {
    const sink = await startHttpReceiver((_request, response) => response.end());
    const { body: hook } = await world.rest("create_webhook", {
      url: `http://127.0.0.1:${sink.port}/`,
      events: ["alert.sent"],
    });
    const channel = await world.pusher();
    const args = { pusher_id: channel.id, title: "Once", idempotency_key: "kept" };
    const first = (await world.rest("create_alert", args)).body;
    const device = await world.device(channel.handle);
    const etag = (await world.handset("GET", "/inbox", device)).headers.get("etag")!;
    expect((await world.request("GET", "/api/auth/jwks")).status).toBe(200);
    const pushed = await startPushService();
    await joinWithPush(world, channel.handle, pushed.endpoint("rotated"));
    // The tests above removed the row of the key, so another start makes it.
    const started = await world.replica(RECEIVERS);
    const pushKey = (await started.handset("GET", "/push", device)).body.public_key;
    await started.leave();
    const sealed = await symmetricEncrypt({ key: world.settings.SECRET!, data: "what an app makes codes of" });
    await world.sql(
      `insert into auth."user" (id, name, email, "emailVerified") values ('two', 'Two', 'two@example.org', false)`,
    );
    await world.sql(
      `insert into auth."twoFactor" (id, secret, "backupCodes", "userId", verified) values ('two', ?, ?, 'two', true)`,
      [sealed, sealed],
    );
    // A channel's picture that was uploaded (rules#channel-picture-held).
    const picture = randomUUID();
    await world.sql(
      `insert into asset (id, workspace_id, kind, content_type, bytes, sha256, name, stored)
        values (?, ?, 'image', 'image/png', 1, '', 'quay.png', true)`,
      [picture, parseIdOrNull("wsp", world.workspace.id)],
    );
    await world.sql("update pusher set image_asset_id = ?, image_url = ? where handle = ?", [
      ...[picture, `${HERE}/assets/ast_old/token`],
      channel.handle,
    ]);
    const environment = { ...world.settings, NEW_SECRET: OTHER };

    const early = await runBelfry(["secret", "rotate"], environment);
    expect(early).toMatchObject({ code: 1, refusal: { error: { type: "conflict" } } });
    await world.leave();
    open = null;
    expect(
      (await runBelfry(["secret", "rotate"], { ...environment, SECRET: `${OTHER}!` })).refusal.error,
    ).toMatchObject({ type: "invalid_request", param: "from" });
    expect(await runBelfry(["secret", "rotate"], { ...environment, NEW_SECRET: "" })).toMatchObject({ code: 2 });
    const done = await runBelfry(["secret", "rotate"], environment);
    expect(done, done.stderr).toMatchObject({
      code: 0,
      json: { webhook_secrets: 2, signing_keys: 1, push_endpoints: 1, push_keys: 1, second_factors: 1 },
    });
    expect(done.json.idempotent_answers).toBeGreaterThanOrEqual(1);
    expect(done.stdout + done.stderr).not.toContain(OTHER);
    await expect(start(world.settings.SECRET!)).rejects.toThrow(refused);

    Object.assign(world.settings, { SECRET: OTHER });
    open = await world.replica(RECEIVERS);
    expect((await open.rest("create_alert", args)).body).toEqual(first);
    await open.alert(channel.id, { send: true });
    await waitFor(() => expect(sink.requests).toHaveLength(1));
    const { headers, body } = sink.requests[0]!;
    const header = String(headers["x-webhook-signature"]);
    expect(signatureProblem(header, body, hook.secret)).toBeNull();
    const [key] = await open.sql('select "privateKey" as key from auth.jwks');
    expect(JSON.parse(await symmetricDecrypt({ key: OTHER, data: JSON.parse(key.key) }))).toHaveProperty("kty");
    const [factor] = await open.sql('select secret, "backupCodes" as codes from auth."twoFactor"');
    for (const data of [factor.secret, factor.codes])
      expect(await symmetricDecrypt({ key: OTHER, data })).toBe("what an app makes codes of");
    expect((await open.rest("get_pusher", { pusher_id: channel.id })).body.image_url).toBe(
      createAssetUrls(OTHER, HERE).urlOf(picture),
    );
    // Browsers' subscriptions depend on the key, so it stays.
    await waitFor(() => expect(pushed.count("rotated")).toBe(1));
    expect(pushed.received[0]!.key).toBe(pushKey);
    pushed.close();
    // The addresses of files are new, so no inbox is "not modified".
    const poll = await open.handset("GET", "/inbox", device, undefined, { "if-none-match": etag });
    expect(poll.status).toBe(200);
    sink.close();
  });

  test("a rotation of the file that ended half-way is finished by the next start", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "belfry-secret-"));
    const config = { ...loadConfig({ ...world.settings, DATABASE_URL: "" }), secret: null, dataDir };
    writeFileSync(join(dataDir, "secret"), "the secret before, which is long enough\n");
    await expect(
      getVerifiedServerSecret(open!.service.orm, config, "the secret before, which is long enough"),
    ).rejects.toThrow(/^SECRET in .*secret does not match/);
    writeFileSync(join(dataDir, "secret.next"), `${OTHER}\n`);
    expect(await getVerifiedServerSecret(open!.service.orm, config, "the secret before, which is long enough")).toBe(
      OTHER,
    );
    expect(readFileSync(join(dataDir, "secret"), "utf8").trim()).toBe(OTHER);
  });
});
