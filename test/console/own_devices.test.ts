// The pages by which a person links own devices, and tries a draft on them (rules#own-devices). Without a browser.

import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpVisitor, signInOwner } from "../support/console_site.ts";
import { joinWithPush } from "../support/push_handsets.ts";
import { startPushService } from "../support/push_service.ts";
import { waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

const DEVICES = "/console/account/devices";

let service: Awaited<ReturnType<typeof startPushService>>;
let world: World;
let owner: HttpVisitor;
let pusher: { id: string; handle: string };
let base: string;

beforeAll(async () => {
  service = await startPushService();
  world = await World.open({
    settings: {
      WEB_PUSH: "on",
      WEB_PUSH_CONTACT: "mailto:ops@example.org",
      WEB_PUSH_ALLOW_HOSTS: new URL(service.endpoint("x")).host,
    },
  });
  owner = await signInOwner(world);
  pusher = await world.pusher({ requested_perms: ["notify"] });
  base = `/console/${world.workspace.id}/channels/${pusher.id}/alerts`;
});
afterAll(async () => {
  await world?.close();
  service?.close();
});

const titles = async (token: string) =>
  (await world.handset("GET", "/inbox", token)).body.data.map(({ title }: any) => title);
/** The form of a new alert, saved and tested. */
const written = (title: string) =>
  owner.post(
    `${base}/new`,
    { title, layout: "text", priority: "normal", act: "test", once: globalThis.crypto.randomUUID() },
    { from: DEVICES },
  );

// rules#own-devices
test("a member without a device gets a link for linking one, and the draft is kept", async () => {
  const form = await owner.get(`${base}/new`);
  const blank = await owner.get(form.headers.get("location")!);
  expect(blank.text).toContain('<a href="/console/account/devices">Add a test device</a>');
  expect(blank.text).not.toContain('value="test"');
  const answer = await written("Kept all the same");
  expect(answer.status).toBe(409);
  expect(answer.text).toContain("You do not have any test devices.");
  const { body } = await world.rest("list_alerts", { pusher_id: pusher.id, status: "draft" });
  expect(body.data.map(({ title }: any) => title)).toEqual(["Kept all the same"]);
});

// rules#own-devices
test("only a device that opened the link is shown a test and notified of it", async () => {
  const page = await owner.post(DEVICES, {});
  const code = /\/app\/#own=(bfo_\w+)/.exec(page.text)![1];
  expect(page.text).toContain('aria-label="QR code for the link"');
  const [own, other] = [
    await joinWithPush(world, pusher.handle, service.endpoint("own")),
    await joinWithPush(world, pusher.handle, service.endpoint("other")),
  ];
  expect((await world.handset("PUT", "/devices/me/owner", own.token, { code })).body).toEqual({ name: "Owner" });
  expect((await owner.get(DEVICES)).text).toContain("android");
  const form = await owner.get(`${base}/new?once=${globalThis.crypto.randomUUID()}`);
  expect(form.text).toContain('value="test">Save and test on your device</button>');
  const answer = await written("Tried first");
  expect(answer.status).toBe(303);
  expect([await titles(own.token), await titles(other.token)]).toEqual([["Tried first"], []]);
  await waitUntil(() => service.count("own") > 0);
  // On the draft's own page, where its history shows it.
  const path = answer.headers.get("location")!;
  const draft = await owner.get(path);
  expect(draft.text).toContain("tested it");
  const version = /name="version" value="([^"]+)"/.exec(draft.text)![1]!;
  expect((await owner.post(path, { act: "test", version }, { from: path })).status).toBe(303);
  expect(await titles(own.token)).toEqual(["Tried first"]);
  expect(service.count("other")).toBe(0);
});

// rules#own-devices
test("a device is unlinked on the page, once", async () => {
  const page = await owner.get(DEVICES);
  const action = /action="([^"]+\/unlink)"/.exec(page.text)![1]!;
  expect((await owner.post(action, {}, { from: DEVICES })).status).toBe(303);
  expect((await owner.get(DEVICES)).text).not.toContain("android");
  expect((await owner.post(action, {}, { from: DEVICES })).status).toBe(404);
});
