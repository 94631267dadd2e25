// Senders in the console. A program is picked and gets a key of its own. The text to paste is shown once and works. Its
// page lists its requests and makes a draft of its sample. Without a browser, and so without a script.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INGEST_SOURCE_PROGRAM_IDS } from "../../src/model/fields/sender_programs.ts";
import { SETUP_SNIPPETS } from "../../src/pages/console/sender_setup.ts";
import { type HttpVisitor, signInOwner } from "../support/console_site.ts";
import { World } from "../support/world.ts";

describe("senders in the console", () => {
  let world: World;
  let owner: HttpVisitor;
  let pusher: any;
  let list: string;

  const connect = async (fields: Record<string, string>) => {
    const made = await owner.post(list, fields, { from: list });
    expect(made.status).toBe(200);
    return {
      text: made.text,
      key: /bfk_\w+/.exec(made.text)![0],
      page: `${list}/${/senders\/(key_\w+)/.exec(made.text)![1]}`,
    };
  };
  const alerts = async () => (await world.rest("list_alerts", { pusher_id: pusher.id })).body.data;

  beforeAll(async () => {
    world = await World.open();
    owner = await signInOwner(world);
    pusher = await world.pusher({ name: "The quay" });
    list = `/console/${world.workspace.id}/channels/${pusher.id}/senders`;
  });
  afterAll(() => world?.close());

  test("without the tick a sender writes drafts, with it it sends, and its page shows the result of each", async () => {
    // The empty list has the form, behind its only button.
    expect((await owner.get(list)).text.match(/class="empty"|No senders yet|<summary class="button">Connect/g)).toEqual(
      [...['class="empty"', "No senders yet", '<summary class="button">Connect']],
    );
    const drafts = await connect({ client_program: "text", name: "Night backup" });
    expect((await owner.get(list)).text).toContain('<span class="badge">not used yet</span>');
    const address = `/api/v1/pushers/${pusher.handle}/ingest?from=text`;
    expect(drafts.text).toContain(`${address}&#39;`);
    const say = (key: string, body: string) => world.request("POST", address, { token: key, body });
    expect((await say(drafts.key, "First")).status).toBe(200);
    expect(await alerts()).toMatchObject([{ title: "First", status: "draft" }]);
    const sends = await connect({ client_program: "text", may_send: "yes" });
    await say(sends.key, "Second");
    await say(sends.key, "");
    expect(await alerts()).toMatchObject([{ title: "Second", status: "sent" }, { title: "First" }]);

    const first = await owner.get(drafts.page);
    expect(first.text).toContain('<span class="badge">draft</span>');
    expect(first.text).not.toContain(drafts.key);
    const second = await owner.get(sends.page);
    for (const words of ["sent</span>", "refused</span>", `alerts/${(await alerts())[0].id}`, "THE-KEY"])
      expect(second.text).toContain(words);
    const all = await owner.get(list);
    expect(all.text).not.toContain("not used yet");
    for (const words of ["Night backup", "Writes drafts", ">Sends</td>"]) expect(all.text).toContain(words);
    expect((await owner.get(`/console/${world.workspace.id}/keys`)).text).toContain(drafts.page);
  });

  test.each(INGEST_SOURCE_PROGRAM_IDS)(
    "the setup of %s has the channel and the key, and its test is a draft",
    async (program) => {
      const { text, key, page } = await connect({ client_program: program, may_send: "yes" });
      expect(text.split(key).length).toBeGreaterThan(1);
      expect(text).toMatch(new RegExp(`${pusher.handle}|/gotify`));
      const before = (await alerts()).length;
      const tested = await owner.post(`${page}/test`, {}, { from: page });
      const [draft, ...others] = await alerts();
      expect(tested.headers.get("location")).toMatch(new RegExp(`/alerts/${draft.id}$`));
      expect([draft.status, others.length]).toEqual(["draft", before]);
    },
  );

  test("the page of a key for all channels lists only the requests to its channel", async () => {
    const other = await world.pusher({ name: "The lock" });
    const key = await world.key({ name: "Both channels" });
    const say = (handle: string, body: string) =>
      world.request("POST", `/api/v1/pushers/${handle}/ingest?from=text`, { token: key, body });
    expect((await say(pusher.handle, "At the quay")).status).toBe(200);
    expect((await say(other.handle, "At the lock")).status).toBe(200);
    expect((await say(other.handle, "")).status).toBe(422);
    const [page] = [...(await owner.get(list)).text.matchAll(/senders\/(key_\w+)">Both channels/g)];
    const requestsOf = async (pusher_id: string) => {
      const at = `${list.replace(pusher.id, pusher_id)}/${page![1]}`;
      return [...(await owner.get(at)).text.matchAll(/<span class="badge[^"]*">(sent|refused)</g)].map(
        ([, done]) => done,
      );
    };
    expect([await requestsOf(pusher.id), await requestsOf(other.id)]).toEqual([["sent"], ["refused", "sent"]]);
  });

  test("where ntfy's API has a host name of its own, what knows only a host is told that one", () => {
    const place = { publicUrl: "https://alerts.example.org", handle: "quay", key: "KEY" };
    const told = (ntfyHost: string | null) => SETUP_SNIPPETS.ntfy({ ...place, ntfyHost }).map(({ text }) => text);
    const shoutrrr = "ntfy://:KEY@alerts.example.org/ntfy/quay";
    const curl = expect.stringContaining("'https://alerts.example.org/ntfy/quay'");
    expect(told(null)).toEqual(["https://alerts.example.org/ntfy", "quay", "KEY", shoutrrr, curl]);
    const apprise = "ntfys://KEY@ntfy.example.org/quay?auth=token";
    expect(told("ntfy.example.org")).toEqual([...["https://ntfy.example.org", "quay", "KEY", apprise, shoutrrr, curl]]);
  });

  test("an unknown program is refused in the form; the page is only for members who may make keys", async () => {
    const wrong = await owner.post(list, { client_program: "telegram", name: "Kept <b>" }, { from: list });
    expect([wrong.status, wrong.text.includes("Kept &lt;b&gt;")]).toEqual([422, true]);
    const other = await world.pusher();
    const { page } = await connect({ client_program: "json" });
    const elsewhere = page.replace(pusher.id, other.id);
    expect((await owner.get(elsewhere)).status).toBe(404);
    await world.sql("update member set role = 'editor' where user_id is not null");
    expect((await owner.get(list)).status).toBe(403);
    expect((await owner.get(list.replace("/senders", ""))).text).not.toContain(list);
    await world.sql("update member set role = 'owner' where user_id is not null");
  });
});
