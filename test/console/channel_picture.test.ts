// A channel's picture that was uploaded here (rules#channel-picture-held): by the form with a script and without one.
// It is kept as long as the channel has it, and no other account can use it.

import { request } from "node:http";
import { createServer as createTls } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { ConsoleSite, HttpVisitor, launchBrowser, signIn } from "../support/console_site.ts";
import { describeInBrowser } from "../support/in_browser.ts";
import { createCertificate } from "../support/loopback_receivers.ts";
import { openWorld } from "../support/open_world.ts";
import { isMissing } from "../support/requirements.ts";
import { PNG as DOT, MP3 } from "../support/sample_files.ts";
import { createHandle, World } from "../support/world.ts";

const OWNER = { name: "Ada Owner", email: "owner@example.org", password: "correct horse battery" };
const HTTPS = "https://alerts.example.org";
const picture = () => new File([DOT], "quay.png");

async function ownerOf(world: World, url: string): Promise<HttpVisitor> {
  const [{ id }] = await world.sql("select id from member where email = ?", [OWNER.email]);
  const owner = new HttpVisitor(world, url);
  await owner.join(await world.service.people.newLink(id), OWNER);
  return owner;
}

const world = await openWorld({ settings: { PUBLIC_URL: HTTPS } });
const owner = await ownerOf(world, HTTPS);
const base = `/console/${world.workspace.id}`;

describe("a channel's picture", () => {
  const upload = async (kind: string, file: File) =>
    JSON.parse((await owner.send(`${base}/files/upload`, { kind }, { file })).text);
  const uses = async (url: string) => {
    const [{ reference_count, expires_at }] = await world.sql(
      `select reference_count, expires_at from asset where id = (select id from asset order by created_at desc
        limit 1)`,
    );
    expect(url).toMatch(/\/assets\/ast_\w+\/[\w-]{43}$/);
    return { reference_count, expires: expires_at !== null };
  };
  const typed = () => ({
    handle: createHandle(),
    ...{ name: "Harbour", category: "community", description: "Tides", is_public: "true", once: "" },
  });

  test("a form without a script opens a channel with it; it is shown, and stays while the channel has it", async () => {
    const fields = { ...typed(), once: createHandle() };
    const opened = await owner.send(`${base}/channels/new`, fields, { picture_file: picture() });
    expect(opened.status).toBe(303);
    const { data } = (await world.rest("list_pushers", { handle: fields.handle })).body;
    const { id, image_url } = (await world.rest("get_pusher", { pusher_id: data[0].id })).body;
    expect(image_url).toMatch(`${HTTPS}/assets/`);
    expect(await uses(image_url)).toEqual({ reference_count: 1, expires: false });
    const shown = `<img class="face l" src="${image_url.slice(HTTPS.length)}" alt="">`;
    expect((await owner.get(`${base}/channels/${id}/edit`)).text).toContain(shown);
    expect((await owner.get(`/c/${fields.handle}`)).text).toContain(shown);
    expect((await owner.get(image_url.slice(HTTPS.length))).headers.get("content-type")).toBe("image/png");
    expect((await owner.get(`${base}/files`)).text).toContain("In use");
    // Sent back unchanged, it is not a change; taken out, the file expires in a day.
    const same = await world.rest("update_pusher", { pusher_id: id, image_url, city: "Porto" });
    expect(same.status).toBe(200);
    expect(await uses(image_url)).toEqual({ reference_count: 1, expires: false });
    await world.rest("update_pusher", { pusher_id: id, image_url: null });
    expect(await uses(image_url)).toEqual({ reference_count: 0, expires: true });
    await world.rest("update_pusher", { pusher_id: id, image_url });
    await world.rest("delete_pusher", { pusher_id: id });
    expect(await uses(image_url)).toEqual({ reference_count: 0, expires: true });
  });

  test("a file that is not a picture is reported at its field, and nothing typed is lost", async () => {
    const fields = { ...typed(), name: "Not yet" };
    const wrong = await owner.send(`${base}/channels/new`, fields, { picture_file: new File(["no"], "a.png") });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('id="picture_file-wrong"');
    expect(wrong.text).toContain('value="Not yet"');
    expect((await world.rest("list_pushers", { handle: fields.handle })).body.data).toEqual([]);
    const channel = await world.pusher({ name: "Pier" });
    const edit = `${base}/channels/${channel.id}/edit`;
    const seen = /name="seen" value="([^"]+)"/.exec((await owner.get(edit)).text)![1]!;
    const again = await owner.send(edit, { seen, act: "save" }, { picture_file: new File(["no"], "a.png") });
    expect([again.status, again.text.includes('id="picture_file-wrong"')]).toEqual([422, true]);
  });

  test("an address of no file of one's own is refused, and one of another server is only an address", async () => {
    const { id: pusher_id } = await world.pusher({ name: "Quay" });
    const [{ url: own }, { url: sound }] = [
      await upload("image", picture()),
      await upload("audio", new File([new Uint8Array(MP3)], "horn.mp3")),
    ];
    const key = await world.foreignKey();
    const theirs = await world.pusher({ name: "Theirs" }, key);
    const change = async (image_url: string, id = pusher_id, as = world.owner) => {
      const { status, body } = await world.rest("update_pusher", { pusher_id: id, image_url }, as);
      return [status, status === 200 ? null : body.error.param];
    };
    const refused = [422, "image_url"];
    expect(await change(sound)).toEqual(refused);
    expect(await change(`${own.slice(0, -1)}!`)).toEqual(refused);
    expect(await change(own, theirs.id, key)).toEqual(refused);
    expect(await change(own.replace(HTTPS, "https://other.example"))).toEqual([200, null]);
    expect(await uses(own)).toMatchObject({ reference_count: 0 });
    expect(await change(own)).toEqual([200, null]);
  });

  test("a server without https offers no upload, since a channel has no such address", async () => {
    const plain = await World.open();
    const visitor = await ownerOf(plain, "http://localhost:8787");
    const { text } = await visitor.get(`/console/${plain.workspace.id}/channels/new`);
    expect(text).toContain('id="image_url"');
    expect(text).not.toContain("picture_file");
    await plain.close();
  });
});

describeInBrowser("a channel's picture in a browser", () => {
  test("it is uploaded at once with its progress, the avatar shows it, and it is saved with the form", async ({
    skip,
  }) => {
    skip(isMissing("openssl"));
    const { key, cert } = createCertificate("localhost");
    let inner = 0;
    const outer = createTls({ key, cert }, (from, to) => {
      const { method, url, headers } = from;
      const on = request({ host: "127.0.0.1", port: inner, path: url, method, headers }, (answer) => {
        to.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(to);
      });
      from.pipe(on);
    });
    await new Promise<void>((resolve) => outer.listen(0, "127.0.0.1", resolve));
    const server = `https://localhost:${(outer.address() as AddressInfo).port}`;
    const site = await ConsoleSite.open({ settings: { PUBLIC_URL: server } });
    inner = Number(new URL(site.url).port);
    const browser = await launchBrowser();
    await ownerOf(site.world, server);
    const { id } = await site.world.pusher({ name: "Harbour Watch" });
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => {
      if (/Content Security|Refused/.test(message.text())) faults.push(message.text());
    });
    await page.goto(`${server}/console/sign-in`);
    await signIn(page, OWNER);
    await page.waitForURL(/wsp_/);
    await page.goto(`${server}/console/${site.world.workspace.id}/channels/${id}/edit`);
    await page.locator("summary", { hasText: "Upload a picture" }).click();
    const file = page.getByLabel("Upload a picture");
    await file.setInputFiles({ name: "quay.png", mimeType: "image/png", buffer: Buffer.from("no") });
    await page.locator(".uploading .wrong").waitFor();
    await file.setInputFiles({ name: "quay.png", mimeType: "image/png", buffer: DOT });
    await page.getByText("quay.png uploaded and selected.").waitFor();
    const shown = page.locator("#channel-shown img.face");
    await shown.waitFor();
    await expect.poll(() => shown.evaluate((face: any) => face.naturalWidth)).toBe(1);
    expect(await page.getByLabel("Picture URL").inputValue()).toContain(`${server}/assets/`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".channel-head img.face").waitFor();
    const { body } = await site.world.rest("get_pusher", { pusher_id: id });
    expect(body.image_url).toContain(`${server}/assets/`);
    expect(faults).toEqual([]);
    await browser.close();
    await site.close();
    outer.closeAllConnections();
    outer.close();
  });
});
