// Destructive actions require confirmation. A refused form names all errors and keeps the list below it. Without a
// browser, and so without a script.

import { describe, expect, test } from "vitest";
import { formatId } from "../../src/model/domain/type_ids.ts";
import { ALL_SCOPES } from "../../src/model/scopes.ts";
import { HttpVisitor, OWNER, signInOwner } from "../support/console_site.ts";
import { openWorld } from "../support/open_world.ts";
import { PNG } from "../support/sample_files.ts";

const world = await openWorld();
const base = `/console/${world.workspace.id}/`;
const owner = await signInOwner(world);

describe("forms of the console", () => {
  /** Sends a file as the page's form does. */
  async function upload(file: File | null) {
    const form = new FormData();
    form.append("form_token", await owner.token(`${base}files`));
    form.append("file", file ?? new File([], ""));
    const cookie = [...owner.cookies].map((pair) => pair.join("=")).join("; ");
    const response = await world.service.app.fetch(
      new Request(`http://localhost:8787${base}files`, {
        method: "POST",
        headers: { cookie, origin: "http://localhost:8787" },
        body: form,
      }),
      "127.0.0.1",
    );
    return { status: response.status, text: await response.text() };
  }

  /** The addresses that a list's dangerous links lead to. */
  async function dangers(path: string): Promise<string[]> {
    const { text } = await owner.get(path);
    // Nothing in a list ends anything by itself.
    expect(text).not.toMatch(/<button class="danger"/);
    return [...text.matchAll(/<a (?=[^>]*class="(?:button )?danger")[^>]*href="([^"]+)"/g)].map(([, href]) => href!);
  }

  test("keys, files, assistants and sessions end only after a second word", async () => {
    const key = await world.key({ name: "deploys <b>", scopes: "pushers:read" });
    expect((await upload(new File([PNG], "<i>quay.png"))).status).toBe(303);
    const [{ id: member, user_id: user }] = await world.sql("select id, user_id from member");
    await world.sql(
      "insert into connection (id, user_id, client_id, member_id, scopes) values (gen_random_uuid(), ?, 'gone', ?, " +
        "'{}')",
      [user, member],
    );
    const elsewhere = new HttpVisitor(world);
    await elsewhere.post("/console/sign-in", OWNER);

    const counted = async () => ({
      keys: (await world.rest("get_me", {}, key)).status,
      files: (await world.sql("select 1 from asset")).length,
      assistants: (await world.sql("select 1 from connection")).length,
      sessions: (await world.sql("select 1 from auth.session")).length,
    });
    const before = await counted();
    expect(before).toMatchObject({ keys: 200, files: 1, assistants: 1, sessions: 2 });
    const asked = [];
    for (const path of [`${base}keys`, `${base}files`, `${base}assistants`, "/console/account"]) {
      // own_workspaces.test.ts leaves workspaces and closes accounts.
      const links = (await dangers(path)).filter((link) => !/\/(leave|close)$/.test(link));
      expect(links.length, path).toBeGreaterThan(0);
      for (const link of links) {
        const page = await owner.get(link);
        expect(page.status).toBe(200);
        expect(page.text).toContain(`<form method="post" action="${link}">`);
        expect(page.text).toContain(`href="${path}">Cancel</a>`);
        expect(page.text).not.toMatch(/<b>|<i>/);
        asked.push(link);
      }
    }
    expect(await counted()).toEqual(before);
    for (const link of asked) expect((await owner.post(link, {})).status).toBe(303);
    expect(await counted()).toEqual({ keys: 401, files: 0, assistants: 0, sessions: 1 });
    // A deleted item and an unknown one have no confirmation page.
    for (const link of asked) expect((await owner.get(link)).status).toBe(404);
  });

  test("another account's item has no confirmation page", async () => {
    await world.foreignKey();
    const [{ id }] = await world.sql("select max(id::text) as id from api_key");
    expect((await owner.get(`${base}keys/${formatId("key", id)}/revoke`)).status).toBe(404);
    const session = new HttpVisitor(world);
    await session.get("/console/sign-in");
    for (const path of [`${base}keys/key_x/revoke`, "/console/account/sessions/x/end"])
      expect((await session.get(path)).headers.get("location")).toContain("/console/sign-in");
  });

  test("a key has the rights of its preset, or of the boxes where each is chosen", async () => {
    const page = await owner.get(`${base}keys`);
    expect(page.text).toMatch(/name="preset" value="read" checked/);
    const looks = ALL_SCOPES.filter((scope) => scope.endsWith(":read") && scope !== "account:read");
    const all = ALL_SCOPES.filter((scope) => scope !== "account:read");
    const wanted = {
      read: looks,
      draft: [...looks, "alerts:write"],
      publish: [...looks, "alerts:write", "alerts:send"],
      everything: all,
      own: ["invites:read"],
    };
    for (const [preset, scopes] of Object.entries(wanted)) {
      const made = await owner.post(`${base}keys`, { name: preset, life: "7d", preset, scope: "invites:read" });
      expect(made.status).toBe(200);
      const [row] = await world.sql("select scopes from api_key where name = ?", [preset]);
      expect(row.scopes.filter((scope: string) => scope !== "account:read").sort()).toEqual([...scopes].sort());
    }
    const none = await owner.post(`${base}keys`, { name: "none", life: "7d", preset: "own" });
    expect(none.text).toContain("Select at least one permission.");
  });

  test("every wrong field is named at once, the first takes the focus, and lists stay", async () => {
    await world.key({ name: "a key that is listed" });
    const keys = await owner.post(`${base}keys`, { name: " ", life: "for ever" });
    expect(keys.status).toBe(422);
    for (const field of ["name", "life", "scope"]) expect(keys.text).toContain(`class="wrong" id="${field}-wrong"`);
    expect(keys.text).toContain('href="#name"');
    expect(keys.text).toContain('href="#scope-webhooks:read"');
    expect(keys.text.match(/ autofocus/g)).toHaveLength(1);
    expect(keys.text).toMatch(/<input id="name"[^>]* aria-invalid="true" autofocus/);
    expect(keys.text).toContain("a key that is listed");
    // A channel of another workspace also leaves the list.
    await world.foreignKey();
    const [{ id }] = await world.sql("select id from workspace order by created_at desc limit 1");
    const foreign = await world.pusher({}, await world.key({ workspace: formatId("wsp", id) }));
    const elsewhere = await owner.post(`${base}keys`, {
      name: "x",
      life: "7d",
      pusher: foreign.id,
      scope: "pushers:read",
    });
    expect(elsewhere.status).toBe(404);
    expect(elsewhere.text).toContain("a key that is listed");

    // The kind of a file is that of its name.
    expect((await upload(new File([PNG], "listed.png"))).status).toBe(303);
    expect((await upload(new File(["<p>Tides</p>"], "tides.HTM"))).status).toBe(303);
    expect((await world.sql("select kind from asset where name = 'tides.HTM'"))[0].kind).toBe("html");
    for (const name of ["tides.png", "tides.mp3"])
      expect((await upload(new File(["<p>Tides</p>"], name))).status).toBe(422);
    const none = await upload(null);
    expect(none.status).toBe(422);
    for (const words of ["Choose a file.", "listed.png"]) expect(none.text).toContain(words);
    const large = await upload(new File([new Uint8Array(6_000_000)], "large.png"));
    expect(large.status).toBe(422);
    expect(large.text).toContain("listed.png");
    expect(large.text).toContain('role="alert"');

    const account = await owner.post(
      "/console/account/password",
      { present: "wrong", next: "short" },
      { from: "/console/account" },
    );
    expect(account.status).toBe(422);
    expect(account.text).toContain("The current password is incorrect.");
    expect(account.text).toContain("The password must be 10 to 128 characters long.");
    expect(account.text).toMatch(/<input id="present"[^>]* autofocus/);
    expect(account.text).toContain("Where you are signed in");
    // Only the last section is destructive.
    const sections = account.text.match(/<section class="card setting[^"]*"/g)!;
    expect(sections.findIndex((tag) => tag.includes("danger"))).toBe(sections.length - 1);
  });

  test("a refusal speaks to people: no word of an argument or of a format that programs send", async () => {
    const key = await world.key();
    const pusher = await world.pusher({}, key);
    const { body: alert } = await world.rest("create_alert", { pusher_id: pusher.id, title: "Tides" }, key);
    const at = `${base}channels/${pusher.id}/alerts`;
    const page = await owner.get(`${at}/${alert.id}`);
    const version = /name="version" value="([^"]+)"/.exec(page.text)![1]!;
    const past = await owner.post(`${at}/${alert.id}`, { act: "schedule", version, send_at: "2020-01-01T10:00" });
    expect(past.status).toBe(422);
    expect(past.text).toContain("The time must be in the future. To send the alert now, choose Send.");
    const days = await owner.get(`${base}stats?from=2026-11-20&to=2026-11-01`);
    expect(days.text).toContain("The last day must not be before the first.");
    for (const { text } of [past, days]) expect(text).not.toMatch(/omit it|send_at must|to must/);
  });
});
