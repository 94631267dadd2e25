// The members' pages. A contradiction about channels is reported and never becomes more access. Every wrong field is
// named at once, next to the list. Removing requires confirmation. Names are one line. Chromium runs without script
// here.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addWorkspaceMember,
  createEmptyWorkspace,
  createKey,
} from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { getNameFailure } from "../../src/model/domain/account_input_validation.ts";
import { formatId, parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import {
  ConsoleSite,
  type HttpVisitor,
  launchBrowser,
  OWNER,
  openWatchedPage,
  signIn,
  signInOwner,
} from "../support/console_site.ts";
import { describeInBrowser } from "../support/in_browser.ts";
import type { World } from "../support/world.ts";

// Every password costs its time on purpose, and the machine may be busy.

interface Channel {
  id: string;
  handle: string;
}

describe("members", () => {
  let site: ConsoleSite;
  let world: World;
  let owner: HttpVisitor;
  let from: string;
  let channels: Channel[];
  let people = 0;

  const add = (fields: Record<string, string | string[]>) =>
    owner.post(from, { email: `m${++people}@example.org`, role: "viewer", ...fields });
  const last = async () =>
    (await world.sql("select id, email, pusher_ids from member order by created_at desc limit 1"))[0];
  const checked = (text: string) =>
    [...text.matchAll(/<input type="(?:radio|checkbox)" id="([^"]+)"[^>]* checked/g)].map(([, id]) => id);

  beforeAll(async () => {
    site = await ConsoleSite.open();
    world = site.world;
    owner = await signInOwner(world, site.url);
    from = `/console/${world.workspace.id}/members`;
    channels = [await world.pusher({ name: "Harbour" }), await world.pusher({ name: "Lighthouse" })];
  });
  afterAll(() => site?.close());

  test("every channel together with a ticked one is a contradiction, with the typed values kept", async () => {
    const before = await last();
    const [one] = channels as [Channel];
    const email = "contradiction@example.org";
    const answer = await add({ email, role: "editor", sees: "all", pusher: one.id });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain("Choose either all channels or individual channels");
    expect(answer.text).toContain(`value="${email}"`);
    expect(answer.text).toContain('<option value="editor" selected');
    // Ticked boxes stay; the person decides which of the two is meant.
    expect(checked(answer.text)).toEqual([`new-${one.id}`]);
    expect((await last()).id).toBe(before.id);

    const member = await addWorkspaceMember(world.service.orm.em.fork() as never, {
      workspace: world.workspace.id,
      email: "narrow@example.org",
      role: "viewer",
      pushers: [one.id],
    });
    const at = `${from}/${member.id}`;
    const changed = await owner.post(at, { role: "viewer", sees: "all", pusher: one.id });
    expect(changed.status).toBe(422);
    expect(checked(changed.text)).toEqual([`member-${one.id}`]);
    expect((await last()).pusher_ids).toEqual([parseIdOrNull("psh", one.id)]);
  });

  test("a ticked channel alone means only this one; nothing at all means nothing", async () => {
    const [one] = channels as [Channel];
    const page = await owner.get(from);
    // A new form has a preset, and a submitted one keeps its choice.
    expect(checked(page.text)).toEqual(["new-all"]);
    expect((await add({ pusher: one.id })).status).toBe(200);
    expect((await last()).pusher_ids).toEqual([parseIdOrNull("psh", one.id)]);
    expect((await add({ sees: "some", pusher: one.id })).status).toBe(200);
    expect((await add({ sees: "all" })).status).toBe(200);
    expect((await last()).pusher_ids).toBeNull();
    const before = await last();
    for (const sees of [[], "some", "everything"]) {
      const answer = await add({ sees });
      expect(answer.status).toBe(422);
      expect(answer.text).toContain("Choose all channels, or select at least one.");
    }
    const restricted = await add({ role: "owner", pusher: one.id });
    expect(restricted.text).toContain("Owners can access all channels.");
    expect((await last()).id).toBe(before.id);
  });

  test("a member who has not joined has a link to a new invitation, which a joined one has not", async () => {
    const { text } = await owner.get(from);
    const { id } = await last();
    const links = [...text.matchAll(/href="([^"]+#link)"/g)].map(([, href]) => href!);
    expect(links).toContain(`${from}/${formatId("mem", id)}#link`);
    const rows = text.split('<tr role="row">').slice(2);
    const isInvited = (row: string) => row.includes("Invite again");
    expect(rows.map(isInvited)).toEqual(rows.map((row) => !row.includes(">active</span>")));
    expect((await owner.get(links[0]!.replace("#link", ""))).text).toContain('id="link"');
  });

  test("every wrong field is named at once, the first has the focus, and the list stays", async () => {
    const answer = await add({ email: "nowhere", role: "king" });
    expect(answer.status).toBe(422);
    expect([...answer.text.matchAll(/<li><a\s+href="#([\w-]+)">/g)].map(([, id]) => id)).toEqual([
      "email",
      "role",
      "new-sees",
    ]);
    expect(answer.text).toMatch(/id="email"[^>]* autofocus/);
    expect(answer.text.match(/ autofocus/g)).toHaveLength(1);
    expect(answer.text).toContain("owner@example.org");
    const twice = await add({ email: "owner@example.org", sees: "all" });
    expect(twice.status).toBe(409);
    expect(twice.text).toContain("already has a member with that e-mail address");
    for (const email of ["a\u0007@example.org", "a@example.org\u202e", "a b@example.org", `${"a".repeat(65)}@x.org`])
      expect((await add({ email, sees: "all" })).status).toBe(422);
  });

  test("removing requires confirmation and shows the effects", async () => {
    expect((await add({ sees: "all" })).status).toBe(200);
    const { id, email } = await last();
    const row = (await owner.get(from)).text.match(/members\/(mem_\w+)">/g)!;
    const at = `${from}/${/mem_\w+/.exec(row.at(-1)!)![0]}`;
    const asked = await owner.get(`${at}/remove`);
    expect(asked.text).toContain(`<h1>Remove ${email} from Test workspace?</h1>`);
    expect(asked.text).toContain("The member’s keys, assistants and webhooks stop working immediately.");
    expect(asked.text).toContain(">Cancel</a>");
    expect((await last()).id).toBe(id);
    // No form on the member's page removes at once.
    expect((await owner.get(at)).text).not.toContain(`action="${at}/remove"`);
    expect((await owner.post(`${at}/remove`, {}, { from: `${at}/remove` })).status).toBe(303);
    expect((await last()).id).not.toBe(id);
  });

  test("names are one line without control characters", async () => {
    const em = world.service.orm.em.fork() as never;
    for (const name of ["Two\nlines", "Bell\u0007", "Turned\u202eround", "Line\u2028end", " ", "x".repeat(81)]) {
      expect(getNameFailure(name, "The name")).not.toBeNull();
      await expect(createEmptyWorkspace(em, { name })).rejects.toMatchObject({
        type: "invalid_request",
        param: "name",
      });
      const key = { workspace: world.workspace.id, scopes: "all", name };
      await expect(createKey(em, key, new Date())).rejects.toMatchObject({ param: "name" });
      const wish = { name, scope: "pushers:read", life: "7d", pusher: "" };
      expect((await owner.post(`/console/${world.workspace.id}/keys`, wish)).status).toBe(422);
    }
    for (const name of ["Café Łódź", "東京 🗼", "नमस्ते", "Zoë O’Neil-Smith", "می‌خواهم"])
      expect(getNameFailure(name, "The name")).toBeNull();
  });

  describeInBrowser("in a browser without script", () => {
    test("ticks, confirms, removes", async ({ onTestFinished }) => {
      // With a second member, the form is closed at first.
      await add({ sees: "all" });
      const browser = await launchBrowser();
      onTestFinished(() => browser.close());
      const { page, faults } = await openWatchedPage(browser, site, { javaScriptEnabled: false });
      await page.goto(`${site.url}/console/sign-in`);
      await signIn(page, OWNER);
      await page.goto(site.url + from);
      const [one] = channels as [Channel];
      // The form is behind its button, and open again after an error.
      expect(await page.getByLabel("E-mail address").isVisible()).toBe(false);
      await page.locator("summary", { hasText: "Add member" }).click();
      // With "every channel" there is nothing to tick.
      await page.getByLabel("All channels").check();
      expect(await page.getByLabel(one.handle).isVisible()).toBe(false);
      await page.getByLabel("Only these:").check();
      await page.getByLabel(one.handle).check();
      await page.getByLabel("All channels").check();
      await page.getByLabel("E-mail address").fill("browser@example.org");
      await page.getByRole("button", { name: "Add and show link" }).click();
      expect(await page.getByRole("alert").textContent()).toContain(
        "Choose either all channels or individual channels",
      );
      expect(await page.getByLabel(one.handle).isChecked()).toBe(true);
      await page.getByLabel("Only these:").check();
      await page.getByRole("button", { name: "Add and show link" }).click();
      await page.getByRole("heading", { name: "A link to send" }).waitFor();
      expect((await last()).pusher_ids).toEqual([parseIdOrNull("psh", one.id)]);

      // The link that is shown is followed by pasting it.
      const link = (await page.locator("pre").textContent())!;
      const other = await openWatchedPage(browser, site, { javaScriptEnabled: false });
      await other.page.goto(link);
      await other.page.getByLabel("Your link").fill(link);
      await other.page.getByRole("button", { name: "Continue" }).click();
      expect(await other.page.getByLabel("E-mail address").inputValue()).toBe("browser@example.org");

      await page.goto(site.url + from);
      await page.getByRole("link", { name: "browser@example.org", exact: true }).click();
      await page.getByRole("link", { name: "Remove browser@example.org" }).click();
      await page.getByRole("heading", { name: "Remove browser@example.org from Test workspace?" }).waitFor();
      await page.getByRole("button", { name: "Remove browser@example.org" }).click();
      expect(await page.getByRole("status").textContent()).toContain("The member was removed");
      expect(await page.content()).not.toContain("browser@example.org");
      expect([...faults, ...other.faults]).toEqual([]);
    });
  });
});
