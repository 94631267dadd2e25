// The members' pages. A contradiction about channels is reported and never becomes more access. Every wrong field is
// named at once, next to the list. Removing requires confirmation. Names are one line.

import { describe, expect, test } from "vitest";
import {
  addWorkspaceMember,
  createEmptyWorkspace,
  createKey,
} from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { getNameFailure } from "../../src/model/domain/account_input_validation.ts";
import { formatId, parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { signInOwner } from "../support/console_site.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld();
const owner = await signInOwner(world);
const from = `/console/${world.workspace.id}/members`;
const one = await world.pusher({ name: "Harbour" });
await world.pusher({ name: "Lighthouse" });

describe("members", () => {
  let people = 0;

  const add = (fields: Record<string, string | string[]>) =>
    owner.post(from, { email: `m${++people}@example.org`, role: "viewer", ...fields });
  const last = async () =>
    (await world.sql("select id, email, pusher_ids from member order by created_at desc limit 1"))[0];
  const checked = (text: string) =>
    [...text.matchAll(/<input type="(?:radio|checkbox)" id="([^"]+)"[^>]* checked/g)].map(([, id]) => id);

  test("every channel together with a ticked one is a contradiction, with the typed values kept", async () => {
    const before = await last();
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
});
