// Pages of the console with unusual content in Chromium: text without spaces, the largest numbers, full pages of rows,
// empty lists. Each page fits all widths and passes axe. test/console/page_accessibility.test.ts visits every page with
// usual content.

import { beforeAll, expect, test } from "vitest";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import type { HttpVisitor } from "../support/console_site.ts";
import { parseUuid, registerHandset, joinChannel as subscribe } from "../support/handsets.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { checkPageWidths } from "../support/page_checks.ts";
import { PNG } from "../support/sample_files.ts";
import { timeInSeconds, type World } from "../support/world.ts";

const WORD = "w".repeat(80);

/** Fills a channel with all that it can show. Returns its pages. */
async function fullChannel(world: World): Promise<string[]> {
  const pusher = await world.pusher({
    name: WORD,
    long: "A line.\n".repeat(400),
    lat: 51.5,
    lon: -1.25,
    radius_km: 4,
    tags: Array.from({ length: 20 }, (_, n) => `${"t".repeat(37)}${n}`),
  });
  const device = await registerHandset(world, { timezone: "America/Argentina/Buenos_Aires", locale: "zh-Hant-TW" });
  await subscribe(world, device.token, pusher.handle);
  const sent = await world.alert(pusher.id, { title: "t".repeat(120), tts_text: "Pier", send: true });
  await world.handset("POST", "/reports", device.token, { reports: [{ alert_id: sent.id, kind: "read" }] });
  const draft = await world.alert(pusher.id, { title: WORD, priority: "urgent", review_note: WORD.repeat(4) });
  await world.alert(pusher.id, { send: true, send_at: timeInSeconds(3600), priority: "important" });
  await world.sql(
    `insert into channel_day (pusher_id, day, published, reads, acks)
     select ?, current_date - n, 1000 + n, 12345678 / n, 999999 / n from generate_series(1, 370) n`,
    [parseUuid(pusher.id)],
  );
  const channel = `channels/${pusher.id}`;
  return [
    channel,
    `${channel}?status=cancelled`,
    `${channel}/edit`,
    `${channel}/invites`,
    `${channel}/alerts/${sent.id}`,
    `${channel}/alerts/${draft.id}`,
    `${channel}/alerts/${draft.id}/edit`,
    `${channel}/alerts/new`,
    `${channel}/subscribers`,
    ...[7, 364].map((days) => `${channel}/stats?days=${days}`),
    `${channel}/stats?from=x&to=2026-11-01`,
  ];
}

/** Makes a private, paused channel without alerts and with an invite. Returns its pages. */
async function emptyChannel(world: World): Promise<string[]> {
  const { id } = await world.pusher({ name: "Private", is_public: false });
  const invite = await world.rest("create_invite", { pusher_id: id, label: WORD, max_uses: 3 });
  await world.rest("update_pusher", { pusher_id: id, status: "paused" });
  return ["", "/edit", "/stats", "/subscribers", "/invites", `/invites/${invite.body.id}`].map(
    (page) => `channels/${id}${page}`,
  );
}

/** Makes a webhook with a long address and a full page of deliveries. Returns its pages. */
async function fullWebhook(world: World): Promise<string[]> {
  const url = `https://93.184.216.34/${"long".repeat(60)}`;
  const events = ["alert.sent", "alert.scheduled", "alert.cancelled", "subscriber.created"];
  const { body: hook } = await world.rest("create_webhook", { url, events });
  await world.rest("rotate_webhook_secret", { webhook_id: hook.id });
  await world.sql(
    `insert into webhook_delivery (id, endpoint_id, event_id, event, body, ok, status, failure, duration_ms)
     select gen_random_uuid(), ?, gen_random_uuid(), 'alert.sent', '{}', n % 3 = 0,
       case when n % 3 = 0 then 204 end, case when n % 3 > 0 then (array['timeout','tls'])[n % 3] end, n * 100
     from generate_series(1, 60) n`,
    [parseUuid(hook.id)],
  );
  return ["webhooks", `webhooks/${hook.id}`];
}

/** Gives the workspace, a member and a file names without a space. Returns their pages. */
async function longNames(world: World, owner: HttpVisitor): Promise<string[]> {
  const workspace = world.workspace.id;
  await world.sql("update workspace set name = ?", [WORD]);
  const email = `${"long".repeat(14)}@${"example".repeat(9)}.org`;
  const { id } = await addWorkspaceMember(world.service.orm.em.fork() as never, { workspace, email, role: "viewer" });
  const file = new File([PNG], `${"quay".repeat(20)}.png`, { type: "image/png" });
  await owner.send(`/console/${workspace}/files`, { kind: "image" }, { file });
  return ["members", `members/${id}`, "keys", "assistants", "files", "../account"];
}

describeInBrowser("unusual content", () => {
  const its = openSiteAsOwner();
  const paths = ["", "channels", "channels?q=nothing+is+so", "drafts", "stats", "audit", "audit?channel=psh_none"];
  beforeAll(async () => {
    for (const make of [fullChannel, emptyChannel, fullWebhook, longNames])
      paths.push(...(await make(its.site.world, its.owner)));
  });

  test("fits all widths and passes axe, and no page sends requests to another server or is heavy", async () => {
    const { context, page, faults } = await its.visit();
    await checkPageWidths(page, its.base, paths);
    expect(faults).toEqual([]);
    await context.close();
  });
});
