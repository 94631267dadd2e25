// The parts that the sanitiser removed from an alert are stored with the alert, text by text, for its reviewers.

import { beforeEach, expect, test } from "vitest";
import { alertArguments } from "../cases/fixtures.ts";
import { parseUuid } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { openConsoleUploads } from "../support/sample_files.ts";
import { timeInSeconds } from "../support/world.ts";

let pusher: { id: string; handle: string };
const world = await openWorld();
beforeEach(async () => {
  pusher = await world.pusher();
});

const row = (kind: string, name: string, count = 1) => ({ kind, name, count });
const SCRIPT = row("element", "script");
const JOINER = row("character", "zero-width");
const HIDING = { title: "Qu\u200bay", html: "<p>Hi</p><script>1</script>" };

const read = async (alert: { id: string; pusher_id: string }) =>
  (await world.rest("get_alert", alertArguments(alert))).body;

// rules#blocked-kept
test("reading an alert lists what its texts lost, over both transports like its creation", async () => {
  const made = await world.alert(pusher.id, HIDING);
  expect(made.blocked).toEqual([SCRIPT, JOINER]);
  for (const face of ["rest", "mcp"] as const)
    expect((await world[face]("get_alert", alertArguments(made))).body.blocked).toEqual(made.blocked);
  expect((await world.alert(pusher.id)).blocked).toEqual([]);
});

// rules#blocked-kept
test("markup that an earlier version stored in another spelling keeps its report when it is sent again", async () => {
  const alert = await world.alert(pusher.id, HIDING);
  const stored = "<table><tr><td>Hi</td></tr></table>";
  await world.sql("update alert set html = ? where id = ?", [stored, parseUuid(alert.id)]);
  const { body } = await world.rest("update_alert", alertArguments(alert, { html: stored }));
  expect(body.html).toBe("<table><tbody><tr><td>Hi</td></tr></tbody></table>");
  expect(body.blocked).toEqual([SCRIPT, JOINER]);
});

// rules#blocked-kept
test("an edit lets go of what the texts that it replaces had lost, and of nothing else", async () => {
  const alert = await world.alert(pusher.id, HIDING);
  const edit = async (fields: Record<string, unknown>) => {
    const { body } = await world.rest("update_alert", alertArguments(alert, fields));
    expect((await read(alert)).blocked).toEqual(body.blocked);
    return body.blocked;
  };
  expect(await edit({})).toEqual([SCRIPT, JOINER]);
  expect(await edit({ body: "Six" })).toEqual([SCRIPT, JOINER]);
  // Text that is sent back as stored was not changed.
  expect(await edit({ title: "Quay", html: "<p>Hi</p>" })).toEqual([SCRIPT, JOINER]);
  expect(await edit({ title: "Quay", html: HIDING.html })).toEqual([SCRIPT, JOINER]);
  expect(await edit({ tts_text: "Quay\u200b" })).toEqual([SCRIPT, row("character", "zero-width", 2)]);
  expect(await edit({ title: "Pier" })).toEqual([SCRIPT, JOINER]);
  expect(await edit({ tts_text: null })).toEqual([SCRIPT]);
  const open = (label: string) => ({ actions: [{ type: "open_url", label, url: "https://x.example" }] });
  expect(await edit(open("Go\u200b"))).toEqual([SCRIPT, JOINER]);
  expect(await edit(open("Go"))).toEqual([SCRIPT, JOINER]);
  expect(await edit({ actions: [] })).toEqual([SCRIPT]);
  expect(await edit({ html: "<p onclick=a()>Hi</p>" })).toEqual([row("attribute", "onclick")]);
  expect(await edit({ layout: "text", html: null })).toEqual([]);
});

// rules#blocked-kept
test("parts that a document loses in a conversion are added, and stay when it is converted back", async () => {
  const alert = await world.alert(pusher.id, { layout: "document", html: "<p>Hi</p><script>1</script>" });
  expect(alert.blocked).toEqual([]);
  for (const layout of ["html", "document", "text"]) {
    const { body } = await world.rest("update_alert", alertArguments(alert, { layout }));
    expect(body.blocked).toEqual([SCRIPT]);
  }
});

// rules#blocked-kept
test("of an uploaded page it is what its file lost, for as long as the alert has the file", async () => {
  const page = Buffer.from("<!doctype html><p>Hi</p><script>1</script>");
  const file = (await openConsoleUploads(world).upload("html", page)).id;
  const alert = await world.alert(pusher.id, { layout: "html", html_asset_id: file });
  expect(alert.blocked).toContainEqual(SCRIPT);
  expect((await read(alert)).blocked).toEqual(alert.blocked);
  const { body } = await world.rest("update_alert", alertArguments(alert, { layout: "text", html_asset_id: null }));
  expect(body.blocked).toEqual([]);
});

// rules#blocked-kept
test("a copy has it, and so has what was sent; handsets, receivers of events and lists have not", async () => {
  const token = await world.device(pusher.handle);
  const alert = await world.alert(pusher.id, HIDING);
  const copy = (await world.rest("duplicate_alert", alertArguments(alert))).body;
  expect(copy.blocked).toEqual(alert.blocked);
  expect((await read(copy)).blocked).toEqual(alert.blocked);
  await world.rest("schedule_alert", alertArguments(alert, { send_at: timeInSeconds(3600) }));
  await world.rest("send_alert", alertArguments(alert));
  expect((await read(alert)).blocked).toEqual(alert.blocked);
  const inbox = await world.handset("GET", "/inbox", token);
  const list = await world.rest("list_alerts", { pusher_id: pusher.id });
  expect([inbox.body.data.length, list.body.data.length]).toEqual([1, 2]);
  expect(JSON.stringify([inbox.body, list.body, world.events])).not.toMatch(/blocked/);
});

/** Attributes that every reader of HTML knows and none of which stays. */
const HANDLERS = `
  abort activate afterprint afterscriptexecute afterupdate animationcancel animationend
  animationiteration animationstart auxclick beforeactivate beforecopy beforecut beforedeactivate
  beforeinput beforematch beforepaste beforeprint beforescriptexecute beforetoggle beforeunload begin
  blur bounce cancel canplay canplaythrough change click close command
  contentvisibilityautostatechange contextlost contextmenu contextrestored copy cuechange cut
  dataavailable datasetchanged datasetcomplete dblclick drag dragend dragenter dragexit dragleave
  dragover dragstart drop durationchange emptied end ended error errorupdate filterchange finish focus
  focusin focusout formdata fullscreenchange fullscreenerror gesturechange gestureend gesturestart
  gotpointercapture hashchange help input invalid keydown keypress keyup languagechange layoutcomplete
  load loadeddata loadedmetadata loadend loadstart losecapture lostpointercapture message messageerror
  mousedown mouseenter mouseleave mousemove mouseout mouseover mouseup mousewheel move moveend
  movestart offline online pagehide pagereveal pageshow pageswap paste pause play playing
  pointercancel pointerdown pointerenter`
  .trim()
  .split(/\s+/);

// rules#blocked-kept
test("a report with too many kinds of markup lists a hundred of them, and no count is lost", async () => {
  expect(HANDLERS.length).toBe(110);
  const html = `<p ${HANDLERS.map((name) => `on${name}=x`).join(" ")}>Hi</p>`;
  const alert = await world.alert(pusher.id, { html });
  expect(alert.blocked).toHaveLength(101);
  expect(alert.blocked).toContainEqual(row("attribute", "unknown", 10));
  const { body } = await world.rest("preview_html", { html });
  expect(body.blocked).toHaveLength(110);
  expect((await read(alert)).blocked).toEqual(alert.blocked);
});
