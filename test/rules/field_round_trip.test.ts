// An accepted field is returned: by create and update, by every read, and to the handset where the card has it. Fields
// are taken from the operations themselves, so a new one fails here until it has its sample.

import { describe, expect, test } from "vitest";
import { channelCardSchema, inboxItem } from "../../src/handset/handset_schemas.ts";
import { openWorld } from "../support/open_world.ts";
import { HTML, M4A, MP3, openConsoleUploads, PNG } from "../support/sample_files.ts";
import { createHandle, findOperation, timeInSeconds } from "../support/world.ts";

/**
 * Two values of a field, so that an update differs from the created value; `with` contains other fields that the field
 * needs.
 */
interface Sample {
  values: [unknown, unknown];
  with?: Record<string, unknown>;
}

/** Fields that are not stored, and why. */
const NOT_KEPT: Record<string, string> = {
  pusher_id: "names the channel",
  alert_id: "names the alert",
  to_pusher_id: "names the channel (test/cases/duplicates.ts)",
  cancel_original: "decides about the original; its status shows it",
  send: "decides about the alert; its status shows it",
  following: "selects other alerts to cancel; their statuses show it",
  view: "chooses the form of the answer",
  expected_updated_at: "selects the expected version",
};

const world = await openWorld();
const { upload } = openConsoleUploads(world);
const both = async (kind: string, one: Uint8Array, other: Uint8Array): Promise<[string, string]> => [
  (await upload(kind, one)).id,
  (await upload(kind, other)).id,
];
const files: Record<"image" | "audio" | "html", [string, string]> = {
  image: await both("image", PNG, PNG),
  audio: await both("audio", MP3, M4A),
  html: await both("html", HTML, HTML),
};

const circle = { lat: 1, lon: 2, radius_km: 3 };
const soon = [timeInSeconds(3600), timeInSeconds(7200)].map((at) => at.replace("Z", "000Z")) as [string, string];
const later = [timeInSeconds(86_400), timeInSeconds(90_000)].map((at) => at.replace("Z", "000Z")) as [string, string];

const ALERT = (): Record<string, Sample> => ({
  title: { values: ["Tide at noon", "Tide at one"] },
  body: { values: ["Keep off\nthe pier", "Keep off"] },
  priority: { values: ["important", "urgent"] },
  layout: { values: ["text", "image"], with: { image_url: "https://example.org/a.png" } },
  source_url: { values: ["https://example.org/tides", "https://example.org/tides?day=2"] },
  image_url: { values: ["https://example.org/a.png", "https://example.org/b.png"] },
  image_asset_id: { values: files.image },
  audio_asset_id: { values: files.audio },
  html_asset_id: { values: files.html },
  html: { values: ["<p>One</p>", "<p>Two</p>"] },
  actions: {
    values: [
      [{ type: "open_url", label: "Map", url: "https://example.org/map" }],
      [{ type: "reply", label: "Who goes?", url: "", choices: ["I go", "Not me"] }],
    ],
  },
  requires_ack: { values: [true, false] },
  repeat_until_acked: { values: [true, false] },
  send_at: { values: soon },
  recurrence: { values: ["FREQ=DAILY;COUNT=3 Europe/Lisbon", "FREQ=WEEKLY;BYDAY=MO,TH;UNTIL=20991231 Asia/Tokyo"] },
  expires_at: { values: later },
  sound: { values: ["bell", "silent"] },
  audio_url: { values: ["https://example.org/a.mp3", "https://example.org/b.mp3"] },
  vibrate: { values: ["short", "sos"] },
  tts_text: { values: ["High water", "Low water"] },
  tts_lang: { values: ["en", "pt-BR"] },
  lat: { values: [10, 11], with: circle },
  lon: { values: [20, 21], with: circle },
  radius_km: { values: [0.5, 7], with: circle },
  geo_rule: { values: ["inside", "outside"] },
  collapse_key: { values: ["tide", "wind"] },
  review_note: { values: ["The harbour office called", "Confirmed\nby two gauges"] },
});

const PUSHER: Record<string, Sample> = {
  handle: { values: ["chosen-by-the-test", "chosen-by-the-test"] },
  name: { values: ["Harbour", "Port"] },
  category: { values: ["community", "events"] },
  description: { values: ["Tides", "Tides and wind"] },
  long: { values: ["All\nof it", "More"] },
  site: { values: ["https://example.org/", "https://example.com/"] },
  city: { values: ["Lisboa", "Porto"] },
  lat: { values: [10, 11], with: circle },
  lon: { values: [20, 21], with: circle },
  radius_km: { values: [0.5, 7], with: circle },
  loc_rule: { values: ["inside", "outside"] },
  requested_perms: { values: [["notify", "sound"], ["notify"]] },
  alert_types: { values: [["tide"], ["wind", "fog"]] },
  tags: { values: [["sea"], ["coast", "sea"]] },
  is_public: { values: [true, false] },
  image_url: { values: ["https://example.org/a.png", "https://example.org/b.png"] },
  gradient_from: { values: ["#102030", "#405060"] },
  gradient_to: { values: ["#102030", "#405060"] },
  initials: { values: ["HB", "PT"] },
  retention_days: { values: [30, 0] },
  status: { values: ["active", "paused"] },
};

const INVITE: Record<string, Sample> = {
  label: { values: ["At the door", ""] },
  max_uses: { values: [3, 1] },
  expires_at: { values: later },
};

const WEBHOOK: Record<string, Sample> = {
  url: { values: ["https://192.0.66.2/hook", "https://192.0.66.2/other"] },
  events: { values: [["alert.sent"], ["alert.sent", "alert.cancelled"]] },
};

const fieldsOf = (tool: string) =>
  Object.keys((findOperation(tool).input as unknown as { shape: object }).shape).filter((name) => !(name in NOT_KEPT));

/** Every field of these operations has a sample, and every sample its field. */
function expectSamples(samples: Record<string, Sample>, ...tools: string[]) {
  const accepted = new Set(tools.flatMap(fieldsOf));
  const missing = [...accepted].filter((name) => !(name in samples));
  expect(missing, `give each a sample in test/rules/field_round_trip.test.ts (or a reason in NOT_KEPT)`).toEqual([]);
  expect(Object.keys(samples).filter((name) => !accepted.has(name))).toEqual([]);
}

const done = async (tool: string, args: Record<string, unknown>) => {
  const { status, body } = await world.rest(tool, args);
  expect(status, `${tool}: ${JSON.stringify(body)}`).toBeLessThan(300);
  return body;
};

test("every field of every operation that keeps something has its sample", () => {
  expectSamples(ALERT(), "create_alert", "update_alert", "duplicate_alert");
  expectSamples(PUSHER, "create_pusher", "update_pusher");
  expectSamples(INVITE, "create_invite");
  expectSamples(WEBHOOK, "create_webhook");
});

describe("an alert's field", () => {
  test.each(fieldsOf("create_alert"))("%s", async (name) => {
    const { values, with: beside = {} } = ALERT()[name]!;
    const pusher = await world.pusher();
    const made = await done("create_alert", { pusher_id: pusher.id, title: "T", ...beside, [name]: values[0] });
    expect(made[name]).toEqual(values[0]);
    const path = { pusher_id: pusher.id, alert_id: made.id };
    expect((await done("get_alert", path))[name]).toEqual(values[0]);
    const changed = await done("update_alert", { ...path, [name]: values[1] });
    expect(changed[name]).toEqual(values[1]);
    expect((await done("get_alert", path))[name]).toEqual(values[1]);
    for (const list of ["list_alerts", "list_account_alerts"]) {
      const { data } = await done(list, list === "list_alerts" ? { pusher_id: pusher.id } : {});
      const row = data.find(({ id }: any) => id === made.id);
      if (name === "html") expect(row.html_length).toBe((values[1] as string).length);
      else expect(row[name]).toEqual(values[1]);
    }

    const copy = await done("duplicate_alert", path);
    expect(copy[name]).toEqual(/^(send_at|expires_at|recurrence)$/.test(name) ? null : values[1]);
    expect((await done("duplicate_alert", { ...path, [name]: values[0] }))[name]).toEqual(values[0]);

    const token = await world.device(pusher.handle);
    await done("send_alert", path);
    expect((await done("get_alert", path))[name]).toEqual(/^(send_at|recurrence)$/.test(name) ? null : values[1]);
    const { body } = await world.handset("GET", "/inbox", token);
    if (name in inboxItem.shape) expect(body.data[0][name]).toEqual(values[1]);
    else expect(body.data[0]).not.toHaveProperty(name);
  });
});

describe("a channel's field", () => {
  const fields = [...new Set([...fieldsOf("create_pusher"), ...fieldsOf("update_pusher")])];
  test.each(fields)("%s", async (name) => {
    const { values, with: beside = {} } = PUSHER[name]!;
    const given = fieldsOf("create_pusher").includes(name) ? { [name]: values[0] } : {};
    const made = await world.pusher({ handle: createHandle(), ...beside, ...given });
    expect(made[name]).toEqual(values[0]);
    const path = { pusher_id: made.id };
    expect((await done("get_pusher", path))[name]).toEqual(values[0]);
    const token = await world.device(made.handle);
    const changed = await done("update_pusher", { ...path, [name]: values[1] });
    expect(changed[name]).toEqual(values[1]);
    expect((await done("get_pusher", path))[name]).toEqual(values[1]);
    const listed = (await done("list_pushers", {})).data.find(({ id }: any) => id === made.id);
    expect(listed[name]).toEqual(values[1]);
    const card = (await world.handset("GET", `/channels/${made.handle}`, token)).body;
    if (name in channelCardSchema.shape) expect(card[name]).toEqual(values[1]);
    else expect(card).not.toHaveProperty(name);
  });
});

test.each(fieldsOf("create_invite"))("an invite's %s", async (name) => {
  const pusher = await world.pusher();
  for (const value of INVITE[name]!.values) {
    const made = await done("create_invite", { pusher_id: pusher.id, [name]: value });
    expect(made[name]).toEqual(value);
    const { data } = await done("list_invites", { pusher_id: pusher.id });
    expect(data.find(({ id }: any) => id === made.id)[name]).toEqual(value);
  }
});

test.each(fieldsOf("create_webhook"))("a webhook endpoint's %s", async (name) => {
  for (const value of WEBHOOK[name]!.values) {
    const args = { url: WEBHOOK.url!.values[0], events: WEBHOOK.events!.values[0], [name]: value };
    const made = await done("create_webhook", args);
    expect(made[name]).toEqual(value);
    const { data } = await done("list_webhooks", {});
    expect(data.find(({ id }: any) => id === made.id)[name]).toEqual(value);
    await done("delete_webhook", { webhook_id: made.id });
  }
});
