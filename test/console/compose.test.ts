// Writing an alert in the console, without a browser and so without a script: every field, each button, refusals, two
// people at one draft, and the preview.

import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { ALERT_FIELDS } from "../../src/model/fields/alert.ts";
import { createChangeSchemas } from "../../src/model/fields/field_table.ts";
import { REPLY_CONTROL_NAMES } from "../../src/pages/console/pages/compose_form_values.ts";
import { OWNER, signInMember, signInOwner } from "../support/console_site.ts";
import { openWorld } from "../support/open_world.ts";
import { PNG } from "../support/sample_files.ts";
import { timeInSeconds } from "../support/world.ts";

/** A day ahead, as a person types it. */
const TOMORROW = timeInSeconds(86_400).slice(0, 16);
const LATER = timeInSeconds(2 * 86_400).slice(0, 16);

/** Every field, but for files and what excludes another one. */
const WHOLE = {
  title: "Pier 3 <is> shut",
  body: "Use pier 4.\r\nMind the gap.",
  layout: "html",
  html: "<p>Use <b>pier 4</b></p>",
  image_url: "https://example.org/pier.png",
  priority: "important",
  sound: "bell",
  audio_url: "https://example.org/bell.mp3",
  vibrate: "double",
  requires_ack: "yes",
  tts_text: "Pier three is shut",
  tts_lang: "en",
  when: "later",
  send_at: TOMORROW,
  expires_at: LATER,
  lat: "38.7",
  lon: "-9.1",
  radius_km: "2.5",
  geo_rule: "inside",
  "actions.1.label": "Map",
  "actions.1.url": "https://example.org/map",
  source_url: "https://example.org/more",
  collapse_key: "pier-3",
  review_note: "The harbour called.",
};

/** The address of a form that was not opened yet. */
const fresh = (alerts: string) => `${alerts}/new?once=${randomUUID()}`;

const world = await openWorld();
const owner = await signInOwner(world);
const pusher = await world.pusher({ name: "Ferries", requested_perms: ["notify"] });
const base = `/console/${world.workspace.id}/channels/${pusher.id}/alerts`;

describe("writing an alert in the console", () => {
  const now = async (id: string) => (await world.rest("get_alert", { pusher_id: pusher.id, alert_id: id })).body;
  const alerts = async () => (await world.rest("list_alerts", { pusher_id: pusher.id })).body.data;
  const sendNew = (fields: Record<string, string>, files = {}) =>
    owner.send(`${base}/new`, { layout: "text", priority: "normal", when: "now", ...fields }, files);
  const idOf = ({ headers }: { headers: Headers }) => /alr_\w+/.exec(headers.get("location") ?? "")?.[0] ?? "";
  /** The data that the unchanged form of this page would send. */
  function filled(text: string): Record<string, string> {
    const decode = (value: string) =>
      value.replace(
        /&(lt|gt|quot|#39|amp);/g,
        (_, name) => ({ lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" })[name as "lt"],
      );
    const fields: Record<string, string> = {};
    for (const [tag] of text.matchAll(/<input[^>]*>/g)) {
      const name = / name="([^"]*)"/.exec(tag)?.[1];
      if (!name || /type="file"/.test(tag) || (/type="(radio|checkbox)"/.test(tag) && !/ checked/.test(tag))) continue;
      fields[name] = decode(/ value="([^"]*)"/.exec(tag)?.[1] ?? "");
    }
    for (const [, name, value] of text.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>\n([^<]*)</g))
      fields[name!] = decode(value!);
    for (const [, name, options] of text.matchAll(/<select[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/gs))
      fields[name!] = /<option value="([^"]*)" selected/.exec(options!)?.[1] ?? "";
    return fields;
  }

  test("the form has a control for every field that an edit takes", async () => {
    const { text } = await owner.get(fresh(base));
    const controls = new Set(
      [...text.matchAll(/<(?:input|select|textarea)[^>]* name="([^"]+)"/g)].map(([, name]) => name),
    );
    for (const field of Object.keys(createChangeSchemas(ALERT_FIELDS)))
      expect(controls, field).toContain(field === "actions" ? "actions.0.label" : field);
    for (const name of REPLY_CONTROL_NAMES) expect(controls).toContain(name);
    // In the order of the card: text, picture and actions, then the rest.
    const order = ["title", "body", "image_url", "requires_ack", "actions.0.label", "priority", "send_at", "sound"];
    expect([...controls].filter((name) => order.includes(name!))).toEqual(order);
  });

  test("typed values are stored, and an edit that changes nothing is not one", async () => {
    const saved = await sendNew({ ...WHOLE, act: "save" });
    expect(saved.status).toBe(303);
    const alert = await now(idOf(saved));
    const { when: _, "actions.1.label": __, "actions.1.url": ___, ...fields } = WHOLE;
    expect(alert).toMatchObject({
      ...fields,
      status: "draft",
      body: "Use pier 4.\nMind the gap.",
      requires_ack: true,
      send_at: `${TOMORROW}:00.000000Z`,
      expires_at: `${LATER}:00.000000Z`,
      lat: 38.7,
      lon: -9.1,
      radius_km: 2.5,
      actions: [{ type: "open_url", label: "Map", url: "https://example.org/map" }],
    });
    const page = await owner.get(`${base}/${alert.id}/edit`);
    const again = await owner.send(`${base}/${alert.id}/edit`, { ...filled(page.text), act: "save" });
    expect(again.status).toBe(303);
    expect((await now(alert.id)).updated_at).toBe(alert.updated_at);
    // A time with seconds, as a program gives it, stays when the form shows it to the minute.
    const at = timeInSeconds(90_061).replace(/\.\d+Z/, "Z");
    await world.rest("update_alert", { pusher_id: pusher.id, alert_id: alert.id, send_at: at });
    const shown = filled((await owner.get(`${base}/${alert.id}/edit`)).text);
    await owner.send(`${base}/${alert.id}/edit`, { ...shown, body: "", act: "save" });
    expect(await now(alert.id)).toMatchObject({ body: null, send_at: at.replace("Z", ".000000Z") });
  });

  test("a refused form names every wrong field by what it is called, and keeps what was typed", async () => {
    const count = (await alerts()).length;
    const wrong = await sendNew({
      ...WHOLE,
      title: "",
      tts_lang: "not a language",
      "actions.1.url": "http://example.org",
      act: "save",
    });
    expect(wrong.status).toBe(422);
    for (const part of [
      'href="#title">Title is missing',
      'href="#tts_lang">Language of the text must',
      'href="#actions.0.url">Button 1 link must',
      'value="not a language"',
      "Mind the gap.",
      'value="2.5"',
    ])
      expect(wrong.text).toContain(part);
    expect(await alerts()).toHaveLength(count);
  });

  // rules#console-once
  test("a form that is sent twice makes one alert", async () => {
    const { once } = filled((await owner.get(fresh(base))).text);
    const fields = { title: "Only once", once: once!, act: "send" };
    expect(idOf(await sendNew(fields))).toBe(idOf(await sendNew(fields)));
    expect((await alerts()).filter(({ title }: any) => title === "Only once")).toHaveLength(1);
    const other = await sendNew({ ...fields, title: "Another text" });
    expect(other.status).toBe(409);
    expect(other.text).toContain("already created an alert");
    expect(filled(other.text)).toMatchObject({ title: "Another text" });
  });

  // rules#console-urgent
  test("sent now is sent now, with any value in the field of the other choice; urgent only with the box", async () => {
    const urgent = { title: "The quay floods", priority: "urgent", when: "later", send_at: TOMORROW, act: "send" };
    const unsure = await sendNew(urgent);
    expect(unsure.status).toBe(422);
    expect(unsure.text).toMatch(/id="sure"[^>]*aria-invalid="true"/);
    expect(unsure.text).not.toMatch(/id="sure"[^>]* checked/);
    const sent = await sendNew({ ...urgent, sure: "yes" });
    expect(await now(idOf(sent))).toMatchObject({ status: "sent", send_at: null });
    // An alert that cannot be edited any more leads to its page.
    const page = await owner.get(`${base}/${idOf(sent)}/edit`);
    expect(page.headers.get("location")).toBe(`${base}/${idOf(sent)}`);
  });

  // rules#console-urgent
  test("nothing is scheduled without a time, and so nothing is sent by mistake", async () => {
    const count = (await alerts()).length;
    const without = await sendNew({ title: "When?", act: "schedule" });
    expect(without.status).toBe(422);
    expect(without.text).toContain("Choose a send time");
    expect(await alerts()).toHaveLength(count);
    const planned = await sendNew({ title: "Then", send_at: TOMORROW, act: "schedule" });
    const alert = await now(idOf(planned));
    expect(alert).toMatchObject({ status: "scheduled", send_at: `${TOMORROW}:00.000000Z` });
    // Saved without a time it is a draft again.
    const fields = filled((await owner.get(`${base}/${alert.id}/edit`)).text);
    await owner.send(`${base}/${alert.id}/edit`, { ...fields, when: "now", act: "save" });
    expect((await now(alert.id)).status).toBe("draft");
  });

  // rules#console-two-writers
  test("the slower person sees both texts, keeps their own, and takes over untouched fields", async () => {
    const alert = await world.alert(pusher.id, { title: "Old title", body: "Old text", sound: "bell" });
    const fields = filled((await owner.get(`${base}/${alert.id}/edit`)).text);
    const key = await world.key({ name: "Tide robot" });
    await world.rest(
      "update_alert",
      { pusher_id: pusher.id, alert_id: alert.id, title: "Their title", sound: "siren" },
      key,
    );
    const mine = { ...fields, title: "My title", body: "My text", act: "save" };
    const slower = await owner.send(`${base}/${alert.id}/edit`, mine);
    expect(slower.status).toBe(409);
    for (const part of ["Tide robot", "My title", "Their title", "Fields that you had not changed were updated: Sound"])
      expect(slower.text).toContain(part);
    expect(await now(alert.id)).toMatchObject({ title: "Their title", body: "Old text" });
    const merged = filled(slower.text);
    expect(merged).toMatchObject({ title: "My title", body: "My text", sound: "siren" });
    expect((await owner.send(`${base}/${alert.id}/edit`, { ...merged, act: "save" })).status).toBe(303);
    expect(await now(alert.id)).toMatchObject({ title: "My title", body: "My text", sound: "siren" });
  });

  // rules#console-two-writers
  test("an alert that was sent during an edit is not changed, and the text becomes a new alert", async () => {
    const alert = await world.alert(pusher.id, { title: "Going out" });
    const fields = filled((await owner.get(`${base}/${alert.id}/edit`)).text);
    await world.rest("send_alert", { pusher_id: pusher.id, alert_id: alert.id });
    const late = await owner.send(`${base}/${alert.id}/edit`, { ...fields, title: "Too late", act: "save" });
    expect(late.status).toBe(409);
    expect(late.text).toContain(`action="${base}/new?once=`);
    expect(filled(late.text)).toMatchObject({ title: "Too late" });
    expect((await now(alert.id)).title).toBe("Going out");
  });

  test("a draft that loses markup when it is saved shows the loss", async () => {
    const saved = await sendNew({ title: "M", layout: "html", html: "<p>a</p><script>x</script>", act: "save" });
    expect(saved.status).toBe(200);
    expect(saved.text).toContain("Removed content");
    expect(filled(saved.text)).toMatchObject({ html: "<p>a</p>" });
  });

  // rules#one-sanitiser
  test("the preview shows the card, removed parts and unrequested permissions, and stores nothing", async () => {
    const count = (await alerts()).length;
    const typed = {
      title: "A <b> title",
      layout: "html",
      html: '<p onclick="x">a</p><script>x</script>',
      sound: "siren",
      priority: "urgent",
      when: "now",
    };
    const whole = await sendNew({ ...typed, act: "preview" });
    const token = await owner.token(fresh(base));
    const part = await owner.post(`${base}/preview`, typed, { token });
    for (const { status, text } of [whole, part]) {
      expect(status).toBe(200);
      for (const shown of [
        "A &lt;b&gt; title",
        "<code>&lt;script&gt;</code>",
        "<code>onclick</code>",
        "Without this permission, sounds and recordings are not played.",
        "Use the full screen.",
        "0 devices subscribed",
      ])
        expect(text).toContain(shown);
    }
    const framed = await owner.post(`${base}/page`, typed, { token });
    expect(framed.text).toContain("<p>a</p>");
    expect(framed.text).not.toContain("<script");
    expect(framed.headers.get("content-security-policy")).toMatch(/^default-src 'none'; sandbox;/);
    expect(await alerts()).toHaveLength(count);
    const large = await owner.post(`${base}/preview`, { ...typed, html: `<p>${"é".repeat(59_000)}</p>` }, { token });
    expect(large.status).toBe(200);
  });

  // rules#circle-on-device
  test("the circle is drawn to scale, and without one the form shows the effect of the channel's", async () => {
    const plain = await owner.get(fresh(base));
    expect(plain.text).toContain("No area: the alert applies everywhere.");
    expect(plain.headers.get("permissions-policy")).toContain("geolocation=(self)");
    const at = await world.pusher({ name: "Harbour", lat: 41.5, lon: -8.61, radius_km: 12 });
    const own = `/console/${world.workspace.id}/channels/${at.id}/alerts`;
    const none = await owner.get(fresh(own));
    expect(none.text).toMatch(/The channel’s area,\s+12 km around 41\.5000° N, 8\.6100° W/);
    expect(none.text).not.toContain('class="circle"');
    const typed = { title: "Here", layout: "text", lat: "41,5", lon: "-8.61", radius_km: "0.4" };
    const token = await owner.token(fresh(own));
    const drawn = "A circle with a radius of 400 m around 41.5000° N, 8.6100° W";
    expect((await owner.post(`${own}/preview`, typed, { token })).text).toContain(drawn);
    const saved = await owner.send(`${own}/new`, { priority: "normal", when: "now", ...typed, act: "save" });
    const { body } = await world.rest("get_alert", { pusher_id: at.id, alert_id: idOf(saved) });
    expect(body).toMatchObject({ lat: 41.5, lon: -8.61, radius_km: 0.4 });
    expect((await owner.get(`${own}/${body.id}`)).text).toContain(drawn);
    // Two of three are not a circle, and the third is named.
    const half = await owner.send(`${own}/new`, {
      ...{ priority: "normal", when: "now", ...typed },
      ...{ radius_km: "", act: "save" },
    });
    expect(half.status).toBe(422);
    expect(half.text).toContain('id="radius_km-wrong"');
  });

  test("a file is uploaded with the form, and its error is shown at the field", async () => {
    const file = new File([PNG], "quay.png");
    const alone = `/console/${world.workspace.id}/files/upload`;
    const saved = await sendNew({ title: "See", layout: "image", act: "save" }, { image_file: file });
    const alert = await now(idOf(saved));
    expect(alert.image_asset_id).toMatch(/^ast_/);
    const page = await owner.get(`${base}/${alert.id}/edit`);
    expect(filled(page.text)).toMatchObject({ image_asset_id: alert.image_asset_id });
    const wrong = await sendNew(
      { title: "See", layout: "image", act: "send" },
      { image_file: new File(["no"], "a.png") },
    );
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('id="image_file-wrong"');
    const one = await owner.send(alone, { kind: "image" }, { file });
    expect(JSON.parse(one.text)).toEqual({
      ...{ id: expect.stringMatching(/^ast_/), name: "quay.png" },
      url: expect.stringContaining("/assets/ast_"),
    });
    const refused = await owner.send(alone, { kind: "audio" }, { file });
    expect([refused.status, JSON.parse(refused.text)]).toEqual([422, { message: expect.any(String) }]);
  });

  test("a viewer does not write, and a foreign channel is not found", async () => {
    const em = world.service.orm.em.fork() as never;
    const email = "viewer@example.org";
    await addWorkspaceMember(em, { workspace: world.workspace.id, email, role: "viewer", pushers: undefined });
    const viewer = await signInMember(world, { ...OWNER, email });
    expect((await viewer.get(fresh(base))).status).toBe(403);
    expect((await viewer.send(`${base}/new`, { title: "x", act: "send" })).status).toBe(403);
    const elsewhere = base.replace(pusher.id, `psh_${"0".repeat(26)}`);
    expect((await owner.get(`${elsewhere}/new`)).status).toBe(404);
    expect((await sendNew({ title: "x", act: "constructor" })).status).toBe(404);
  });
});
