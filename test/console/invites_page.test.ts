// Invites in the console. They are created with an end and a limit, read back from their QR codes, and revoked with and
// without their joined devices. Without a browser, and so without a script.

import { describe, expect, test } from "vitest";
import { signInOwner } from "../support/console_site.ts";
import { joinNewHandset } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { readQr } from "../support/public_pages.ts";
import { timeInSeconds } from "../support/world.ts";

const world = await openWorld();
const base = `/console/${world.workspace.id}/`;
const owner = await signInOwner(world);

describe("invites in the console", () => {
  test("an invite is made, shown as a code that cameras read, and handed out as files", async () => {
    const pusher = await world.pusher({ is_public: false });
    const list = `${base}channels/${pusher.id}/invites`;
    const made = await owner.post(
      list,
      { label: "At the <b>pier", max_uses: "2", life: "day", once: "a-form" },
      { from: list },
    );
    expect(made.status).toBe(303);
    const path = made.headers.get("location")!;
    const [invite] = (await world.rest("list_invites", { pusher_id: pusher.id })).body.data;
    expect(invite).toMatchObject({ label: "At the <b>pier", max_uses: 2 });
    const day = new Date(invite.expires_at).getTime() - new Date(invite.created_at).getTime();
    expect(Math.abs(day - 86_400_000)).toBeLessThan(600_000);
    const { text } = await owner.get(path);
    expect(text).toContain("At the &lt;b&gt;pier");
    expect(text).toContain("This address works only on this computer.");
    expect(text.replaceAll("<wbr>", "")).toContain(`<code>${invite.url}</code>`);
    expect(readQr(/<svg class="qr"[\s\S]*?<\/svg>/.exec(text)![0])).toBe(invite.url);
    const svg = await owner.get(`${path}/qr.svg`);
    expect(svg.headers.get("content-type")).toBe("image/svg+xml");
    expect(svg.headers.get("content-disposition")).toBe(`attachment; filename="${pusher.handle}-${invite.id}.svg"`);
    expect(readQr(svg.text)).toBe(invite.url);
    const png = await owner.get(`${path}/qr.png`);
    expect(png.headers.get("content-type")).toBe("image/png");
    expect(png.headers.get("cache-control")).toBe("no-store");
    expect(png.status).toBe(200);

    const wrong = await owner.post(
      list,
      { label: "x".repeat(81), max_uses: "many", life: "own", expires_at: "soon" },
      { from: list },
    );
    expect(wrong.status).toBe(422);
    for (const words of ["Note must", "Maximum devices must", "Expires must"]) expect(wrong.text).toContain(words);
    for (const kept of ['value="many"', "x".repeat(81), "At the &lt;b&gt;pier"]) expect(wrong.text).toContain(kept);
    const minute = timeInSeconds(7200).slice(0, 16);
    expect((await owner.post(list, { life: "own", expires_at: minute }, { from: list })).status).toBe(303);
    const [own] = (await world.rest("list_invites", { pusher_id: pusher.id })).body.data;
    expect(own).toMatchObject({ label: null, max_uses: null, expires_at: `${minute}:00.000000Z` });
  });

  const channelOf = async (pusher_id: string) => (await world.rest("get_pusher", { pusher_id })).body;

  test("an invite is revoked with or without its joined devices, with a preview of each", async () => {
    const pusher = await world.pusher({ is_public: false });
    const invite = async () => (await world.rest("create_invite", { pusher_id: pusher.id })).body;
    const [gentle, strict] = [await invite(), await invite()];
    for (const { code } of [gentle, strict]) await joinNewHandset(world, pusher.handle, code);
    const pathOf = ({ id }: { id: string }) => `${base}channels/${pusher.id}/invites/${id}`;
    const asked = await owner.get(`${pathOf(gentle)}/revoke`);
    expect(asked.text).toContain("Joined so far: one device");
    for (const words of ["stay subscribed", "will be unsubscribed without notice"]) expect(asked.text).toContain(words);
    const revoke = (one: { id: string }, evict: string) =>
      owner.post(`${pathOf(one)}/revoke`, { evict }, { from: `${pathOf(one)}/revoke` });
    expect((await revoke(gentle, "no")).status).toBe(303);
    expect((await channelOf(pusher.id)).subscribers).toBe(2);
    expect((await revoke(strict, "yes")).status).toBe(303);
    expect((await channelOf(pusher.id)).subscribers).toBe(1);
    // A revoked one has no code any more; who came by it may still be sent away.
    const closed = await owner.get(pathOf(gentle));
    expect(closed.text).not.toContain(gentle.url);
    expect(closed.text).toContain("no longer works");
    expect((await owner.get(`${pathOf(gentle)}/revoke`)).text).not.toContain('value="no"');
    expect((await revoke(gentle, "yes")).status).toBe(303);
    expect((await channelOf(pusher.id)).subscribers).toBe(0);
    expect((await owner.get(`${pathOf(gentle).slice(0, -5)}00000`)).status).toBe(404);
  });

  test("the use of an invite is above its form, also if it admits no new device", async () => {
    const above = async (is_public: boolean) => {
      const { id } = await world.pusher({ is_public });
      const { text } = await owner.get(`${base}channels/${id}/invites`);
      return text.slice(text.indexOf("New invite"), text.indexOf('name="label"'));
    };
    expect(await above(true)).toContain("create an invite first");
    expect(await above(false)).toContain("joins are counted per invite");
  });
});
