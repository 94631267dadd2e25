// The first page of a workspace. It explains the first alert with commands that work, and then shows waiting, scheduled
// and sent alerts. Without a browser, and so without a script.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { findFreePort, listenHttp } from "../../src/program/boot/http_server.ts";
import { breakableUrl } from "../../src/ui/build_url.ts";
import { signInOwner, type WatchedPage } from "../support/console_site.ts";
import { unescapeHtml } from "../support/form_controls.ts";
import { openWorld } from "../support/open_world.ts";
import { readQr } from "../support/public_pages.ts";
import { isMissing } from "../support/requirements.ts";
import { timeInSeconds } from "../support/world.ts";

const world = await openWorld();
const base = `/console/${world.workspace.id}/`;
const owner = await signInOwner(world);

describe("the overview", () => {
  const linesOn = ({ text }: WatchedPage) => unescapeHtml(/data-copy="the lines"><code>([^<]+)</.exec(text)![1]!);

  /** Runs the lines of a page in a shell whose curl is answered by this very service. */
  async function run(lines: string): Promise<void> {
    const port = await findFreePort("127.0.0.1");
    const listening = await listenHttp(world.service.app, { host: "127.0.0.1", port });
    try {
      const script = lines
        .replace("<your key>", world.owner)
        .replace(/^API=.*$/m, `API=http://127.0.0.1:${port}/api/v1`);
      await promisify(execFile)("bash", ["-euc", script]);
    } finally {
      await listening.close();
    }
  }

  test("an empty workspace explains three methods, and its shell commands work", async ({ skip }) => {
    skip(isMissing("curl"));
    const empty = await owner.get(base);
    for (const words of ["In the browser", "With an assistant", "With curl", `${base}channels/new`])
      expect(empty.text).toContain(words);
    await run(linesOn(empty));
    const [channel] = (await world.rest("list_pushers", {})).body.data;
    expect(channel).toMatchObject({ handle: "harbour-watch", requested_perms: ["notify", "sound"] });
    const sent = () => world.rest("list_alerts", { pusher_id: channel.id, status: "sent" });
    expect((await sent()).body.data).toHaveLength(1);
    // From now on the lines send on that channel.
    const known = linesOn(await owner.get(base));
    expect(known).toContain(channel.id);
    await run(known);
    expect((await sent()).body.data).toHaveLength(2);
  });

  test("the overview shows waiting, scheduled and sent alerts, and links to each", async () => {
    const pusher = await world.pusher({ name: "Overview <b>" });
    const draft = await world.alert(pusher.id, { title: "Look <i>at this", review_note: "The <u>gauge" });
    const later = await world.alert(pusher.id, { title: "Later", send: true, send_at: timeInSeconds(7200) });
    const sooner = await world.alert(pusher.id, { title: "Sooner", send: true, send_at: timeInSeconds(3600) });
    const sent = await world.alert(pusher.id, { title: "Went out", send: true });
    const { text } = await owner.get(base);
    for (const { id } of [draft, later, sooner, sent]) expect(text).toContain(`channels/${pusher.id}/alerts/${id}"`);
    for (const words of ["Look &lt;i&gt;at this", "The &lt;u&gt;gauge", "Overview &lt;b&gt;"])
      expect(text).toContain(words);
    expect(text.indexOf(sooner.id)).toBeLessThan(text.indexOf(later.id));
    expect(text).not.toMatch(/delivered|\brate\b/i);
    // The waiting list is requested alone while the page is visible.
    const { text: alone } = await owner.get(`${base}?live=1`);
    expect(text).toContain(alone);
    expect(alone).toContain("Look &lt;i&gt;at this");
    expect(alone).not.toContain("Went out");
  });

  test("a new alert begins on any channel that is open", async () => {
    await world.pusher({ name: "Another" });
    const paused = await world.pusher({ name: "Paused" });
    await world.rest("update_pusher", { pusher_id: paused.id, status: "paused" });
    const { data } = (await world.rest("list_pushers", {})).body;
    const { text } = await owner.get(base);
    const [, menu] = /<details class="menu">(.*?)<\/details>/s.exec(text)!;
    const leads = data.map(({ id, status }: any) => [status, menu!.includes(`channels/${id}/alerts/new"`)]);
    expect(leads).toEqual(data.map(({ status }: any) => [status, status === "active"]));
    expect(new Set(data.map(({ status }: any) => status)).size).toBe(2);
  });

  test("the first step is a subscriber: by a code, a link, a text to copy, and an invite if needed", async () => {
    const qr = (text: string) => readQr(/<svg class="qr"[\s\S]*?<\/svg>/.exec(text)![0]);
    const [channel] = (await world.rest("list_pushers", {})).body.data.filter(
      ({ is_public, status }: any) => is_public && status === "active",
    );
    const hidden = await world.pusher({ name: "Behind a door", is_public: false });
    for (const path of [base, `${base}channels/${channel.id}`]) {
      const { text } = await owner.get(path);
      expect(text).toContain("Subscribe your device");
      expect(text).toContain(
        `data-copy="the channel’s address"><code><a href="${channel.url}">${breakableUrl(channel.url)}</a>`,
      );
      expect(qr(text)).toBe(channel.url);
    }
    const page = (await owner.get(`${base}channels/${hidden.id}`)).text;
    expect([page.includes("Subscribe your device"), page.includes('class="qr"')]).toEqual([true, false]);
    expect(page).toContain(`channels/${hidden.id}/invites"`);
    await world.device(channel.handle);
    for (const path of [base, `${base}channels/${channel.id}`])
      expect((await owner.get(path)).text).not.toContain("Subscribe your device");
  });
});
