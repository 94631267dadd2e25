// An owner's channels in the console, without a browser and so without a script. Every field has its control. Values
// that are sent back unchanged change nothing. Two people never overwrite one another unseen. Destructive actions
// require confirmation.

import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { CHANNEL_FIELDS, REQUESTABLE_DEVICE_PERMISSIONS } from "../../src/model/fields/channel.ts";
import { CHANNEL_FIELD_LABELS } from "../../src/pages/console/channel_form_values.ts";
import { HttpVisitor, OWNER, signInMember, signInOwner, type WatchedPage } from "../support/console_site.ts";
import { readFormControls } from "../support/form_controls.ts";
import { joinNewHandset, suspend } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { createHandle, timeInSeconds } from "../support/world.ts";

const world = await openWorld();
const base = `/console/${world.workspace.id}/`;
const owner = await signInOwner(world);

describe("channels in the console", () => {
  async function member(role: string, email: string, pushers?: string[]): Promise<HttpVisitor> {
    const em = world.service.orm.em.fork() as never;
    await addWorkspaceMember(em, { workspace: world.workspace.id, email, role, pushers });
    return signInMember(world, { ...OWNER, email });
  }

  const channel = async (pusher_id: string) => (await world.rest("get_pusher", { pusher_id })).body;

  /** Sends the unchanged form of a page, but for `changes`. */
  async function send(
    visitor: HttpVisitor,
    path: string,
    page: WatchedPage,
    changes: Record<string, string | string[]> = {},
  ) {
    const form = readFormControls(page, "channel");
    const fields: Record<string, string[]> = {};
    for (const name of new Set(form.keys())) fields[name] = form.getAll(name);
    return visitor.post(path, { ...fields, act: "save", ...changes }, { token: fields.form_token![0]! });
  }

  const FULL = {
    name: "Ferries <b> & co",
    description: 'It says "when"',
    long: "\nTwo\n\nparagraphs",
    site: "https://ferries.example/?a=1&b=2",
    city: "Porto",
    lat: 41.1496,
    lon: -8.6109,
    radius_km: 0.5,
    loc_rule: "inside",
    requested_perms: ["notify", "tts"],
    alert_types: ["Delays, long", "Fog"],
    tags: ["ferry", "a, b"],
    is_public: false,
    image_url: "https://ferries.example/a.png",
    gradient_from: "#102030",
    gradient_to: "#405060",
    initials: "F&C",
    category: "travel",
  };

  test("every field that an operation takes has a control, and its label", async () => {
    const { id } = await world.pusher(FULL);
    const inputOf = (name: string) => Object.keys(OPERATIONS.find((tool) => tool.name === name)!.input.shape);
    const has = (page: WatchedPage, field: string) =>
      page.text.includes(` name="${field}"`) &&
      new RegExp(`for="${field}"|<legend>${CHANNEL_FIELD_LABELS[field as never]}`).test(page.text);
    const settings = await owner.get(`${base}channels/${id}/edit`);
    // Its handle is shown and never changes; its status has buttons of its own, and a version is for programs.
    const others = ["pusher_id", "handle", "status", "expected_updated_at"];
    expect(inputOf("update_pusher").filter((field) => !others.includes(field) && !has(settings, field))).toEqual([]);
    expect(settings.text).toMatch(/name="act"\s+value="pause"/);
    const opening = await owner.get(`${base}channels/new`);
    expect(inputOf("create_pusher").filter((field) => !has(opening, field))).toEqual([]);
    expect(Object.keys(CHANNEL_FIELD_LABELS).sort()).toEqual([...Object.keys(CHANNEL_FIELDS), "handle"].sort());
    for (const name of REQUESTABLE_DEVICE_PERMISSIONS) expect(opening.text).toContain(`value="${name}"`);
  });

  test("a form that is sent back as it was changes nothing, and one control changes one field", async () => {
    const { id } = await world.pusher(FULL);
    const before = await channel(id);
    const path = `${base}channels/${id}/edit`;
    const page = await owner.get(path);
    expect((await send(owner, path, page)).status).toBe(303);
    expect(await channel(id)).toEqual(before);
    const changed: Record<string, [typed: string | string[], kept: unknown]> = {
      name: ["Fog horn", "Fog horn"],
      category: ["emergency", "emergency"],
      description: ["Another line", "Another line"],
      long: ["", null],
      site: ["", null],
      city: [" Gaia", " Gaia"],
      lat: ["41,2", 41.2],
      lon: ["-8.5", -8.5],
      radius_km: ["12", 12],
      loc_rule: ["", null],
      requested_perms: [
        ["notify", "sound"],
        ["notify", "sound"],
      ],
      alert_types: ["Fog\r\n\r\nIce", ["Fog", "Ice"]],
      tags: ["", []],
      is_public: ["true", true],
      image_url: ["https://ferries.example/b.png", "https://ferries.example/b.png"],
      gradient_from: ["#ffffff", "#ffffff"],
      gradient_to: ["#000000", "#000000"],
      initials: ["FH", "FH"],
      retention_days: ["30", 30],
    };
    expect(Object.keys(changed).sort()).toEqual(Object.keys(CHANNEL_FIELDS).sort());
    for (const [field, [typed, kept]] of Object.entries(changed)) {
      const was = await channel(id);
      expect((await send(owner, path, await owner.get(path), { [field]: typed })).status, field).toBe(303);
      const now = await channel(id);
      expect(now).toEqual({ ...was, [field]: kept, updated_at: now.updated_at });
    }
  });

  // rules#console-edits-what-changed
  test("an editor keeps another person's concurrent changes, and sees them before overwriting", async () => {
    const { id } = await world.pusher({ name: "Before", description: "A line", city: "Porto" });
    const path = `${base}channels/${id}/edit`;
    const page = await owner.get(path);
    await world.rest("update_pusher", { pusher_id: id, name: "Theirs <i>", city: null });
    // Another field: both keep theirs.
    expect((await send(owner, path, page, { description: "Mine" })).status).toBe(303);
    expect(await channel(id)).toMatchObject({ name: "Theirs <i>", city: null, description: "Mine" });
    // The same field: refused, and its present value is shown.
    const refused = await send(owner, path, page, { name: "Mine", category: "travel" });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("Theirs &lt;i&gt;");
    expect(refused.text).toMatch(/<input type="text" value="Mine" id="name"[^>]* aria-invalid="true" autofocus/);
    expect(await channel(id)).toMatchObject({ name: "Theirs <i>", category: "community" });
    // Once more, knowing it.
    expect((await send(owner, path, refused)).status).toBe(303);
    expect(await channel(id)).toMatchObject({ name: "Mine", category: "travel", city: null, description: "Mine" });
  });

  test("a channel is opened with what was typed, and what was left open is made for it", async () => {
    const path = `${base}channels/new`;
    const handle = createHandle();
    const made = await send(owner, path, await owner.get(path), {
      name: "Harbour Watch",
      handle,
      description: "Tides",
    });
    expect(made.status).toBe(303);
    const id = /channels\/(psh_\w+)/.exec(made.headers.get("location")!)![1]!;
    const { gradient_from } = await world.pusher({ handle: createHandle() });
    expect(gradient_from).toMatch(/^#/);
    expect(await channel(id)).toMatchObject({
      handle,
      initials: "HW",
      requested_perms: ["notify", "sound"],
      is_public: true,
      lat: null,
      tags: [],
    });
    // Sent twice by a slip: one channel, one answer.
    const page = await owner.get(path);
    const twice = { name: "Twice", handle: createHandle(), description: "x" };
    const answers = [await send(owner, path, page, twice), await send(owner, path, page, twice)];
    expect(answers.map(({ headers }) => headers.get("location"))).toEqual(
      Array(2).fill(answers[0]!.headers.get("location")),
    );
    // Taken: reported at the handle, and nothing typed is lost.
    const taken = await send(owner, path, await owner.get(path), { ...twice, handle, long: "kept\r\nwhole" });
    expect(taken.status).toBe(409);
    expect(taken.text).toMatch(/id="handle"[^>]* aria-invalid="true" autofocus/);
    expect(taken.text).toContain("kept\r\nwhole</textarea>");
  });

  test("every wrong field is named, in the terms and the order of the form, and the first has the focus", async () => {
    const path = `${base}channels/new`;
    const wrong = await send(owner, path, await owner.get(path), {
      name: "",
      handle: "A",
      description: "x".repeat(201),
      site: "http://plain.example",
      lat: "north",
      tags: Array.from({ length: 21 }, (_, n) => `tag ${n}`).join("\r\n"),
      initials: "ABCD",
    });
    expect(wrong.status).toBe(422);
    const links = [...wrong.text.matchAll(/<li><a\s+href="#(\w+)">([^<]+)</g)].map(([, field, words]) => [
      field,
      words,
    ]);
    expect(links.map(([field]) => field)).toEqual(["name", "handle", "description", "site", "tags", "lat", "initials"]);
    for (const [field, words] of links)
      expect(words).toMatch(new RegExp(`^${CHANNEL_FIELD_LABELS[field as never]} (must|is missing|has)`));
    expect(wrong.text.match(/ autofocus/g)).toHaveLength(1);
    expect(wrong.text).toMatch(/id="name"[^>]* autofocus/);
    expect(wrong.text).toContain('value="north"');
    // Two of three numbers are not a circle.
    const half = await send(owner, path, await owner.get(path), {
      name: "x",
      handle: createHandle(),
      description: "x",
      lat: "1",
      lon: "2",
    });
    expect(half.text).toMatch(/id="radius_km"[^>]* aria-invalid="true"/);
  });

  test("a channel without requested permissions shows the consequences", async () => {
    const { id } = await world.pusher({ requested_perms: ["notify"] });
    const path = `${base}channels/${id}/edit`;
    expect((await send(owner, path, await owner.get(path), { requested_perms: [] })).status).toBe(303);
    expect((await owner.get(path)).text).toContain("without a banner or sound");
  });

  test("the drawings follow what is typed, escape it and keep nothing", async () => {
    const path = `${base}channels/shown`;
    const token = await owner.token(`${base}channels/new`);
    const typed = { name: "<i>Quay", handle: "quay", lat: "41.1", lon: "-8.6", radius_km: "2,5" };
    const drawn = await owner.post(path, typed, { token });
    expect(drawn.text).toContain("&lt;i&gt;Quay");
    expect(drawn.text).toContain("A circle with a radius of 2.5 km around 41.1000° N, 8.6000° W");
    const half = await owner.post(path, { ...typed, radius_km: "", colours: "own", gradient_from: 'red"' }, { token });
    expect(half.text).toContain("No area");
    expect(half.text).not.toContain("red");
    const stranger = new HttpVisitor(world);
    expect((await stranger.post(path, typed, { token })).status).toBe(401);
  });

  test("pausing shows what is still delivered, and a channel resumes", async () => {
    const { id, handle } = await world.pusher();
    await world.alert(id, { send: true, send_at: timeInSeconds(3600) });
    const path = `${base}channels/${id}/edit`;
    const press = async (act: string) => owner.post(path, { act }, { from: path });
    expect((await owner.get(path)).text).toContain("One scheduled alert will still be sent");
    expect((await press("pause")).status).toBe(303);
    const paused = await owner.get(path);
    expect((await channel(id)).status).toBe("paused");
    expect(paused.text).toContain("One scheduled alert will still be sent");
    expect((await press("resume")).status).toBe(303);
    expect((await channel(id)).status).toBe("active");
    expect((await press("constructor")).status).toBe(404);
    await suspend(world, handle);
    const suspended = await owner.get(path);
    expect(suspended.text).toContain("until the operator reinstates it");
    expect(suspended.text).not.toContain('value="resume"');
    expect((await press("resume")).status).toBe(403);
    // Everything else is still edited.
    expect((await send(owner, path, suspended, { city: "Gaia" })).status).toBe(303);
  });

  test("a channel is deleted after a confirmation, and not while it has subscribers", async () => {
    const { id, handle } = await world.pusher();
    const path = `${base}channels/${id}/delete`;
    const asked = await owner.get(path);
    expect(asked.text).toContain("becomes available to others");
    const token = await owner.token(path);
    const { token: handset } = await joinNewHandset(world, handle);
    const kept = await owner.get(path);
    expect(kept.text).toContain("Pause it instead");
    expect(kept.text).not.toContain(`method="post" action="${path}`);
    expect((await owner.post(path, {}, { token })).status).toBe(409);
    expect((await channel(id)).handle).toBe(handle);
    await world.handset("DELETE", `/subscriptions/${handle}`, handset);
    expect((await owner.post(path, {}, { from: path })).status).toBe(303);
    expect((await world.rest("get_pusher", { pusher_id: id })).status).toBe(404);
    expect((await owner.get(path)).status).toBe(404);
  });

  test("the list finds by text and by state", async () => {
    const one = await world.pusher({ name: "Lighthouse <b>", tags: ["lamp"], city: "Foz" });
    const two = await world.pusher({ name: "Lighthouse two" });
    await world.rest("update_pusher", { pusher_id: two.id, status: "paused" });
    const find = async (query: string) =>
      [...(await owner.get(`${base}channels?${query}`)).text.matchAll(/<div><a\s+href="[^"]*\/(psh_\w+)"/g)].map(
        ([, id]) => id,
      );
    expect(await find("q=LIGHTHOUSE")).toEqual([two.id, one.id]);
    expect(await find("q=lighthouse&status=paused")).toEqual([two.id]);
    const { text } = await owner.get(`${base}channels?q=lighthouse`);
    // Its state is in the cell of its name.
    expect(text.split('<th role="rowheader"').map((row) => row.includes('<span class="badge">paused</span>'))).toEqual([
      ...[false, true, false],
    ]);
    for (const q of ["lamp", "foz", one.handle]) expect(await find(`q=${q}`)).toEqual([one.id]);
    const none = await owner.get(`${base}channels?q=${encodeURIComponent('"><script>')}`);
    expect(none.text).toContain("No matching channels");
    expect(none.text).not.toContain('"><script>');
    expect(await find("q=lighthouse&page=99&status=nothing")).toHaveLength(2);
  });

  test("roles and other workspaces: what may not be done is neither offered nor done", async () => {
    const mine = await world.pusher({ is_public: false });
    const invite = (await world.rest("create_invite", { pusher_id: mine.id })).body;
    const viewer = await member("viewer", "viewer@example.org");
    const paths = ["edit", "invites", `invites/${invite.id}`].map((path) => `${base}channels/${mine.id}/${path}`);
    for (const path of paths) {
      const { status, text } = await viewer.get(path);
      expect(status).toBe(200);
      expect(text.replace(/<form method="post" action="\/console\/sign-out">/, "")).not.toContain('method="post"');
    }
    const token = await viewer.token("/console/account");
    expect((await viewer.get(`${base}channels/new`)).status).toBe(403);
    const edit = { act: "save", name: "x", seen: "" };
    expect((await viewer.post(paths[0]!, edit, { token })).status).toBe(403);
    expect((await viewer.post(paths[1]!, { life: "never" }, { token })).status).toBe(403);
    expect((await viewer.post(`${paths[2]}/revoke`, { evict: "yes" }, { token })).status).toBe(403);
    expect((await viewer.get(`${base}channels/${mine.id}/delete`)).text).toContain("Only workspace admins");
    // A person who sees one channel can create none, and does not see the others.
    const other = await world.pusher();
    const narrow = await member("editor", "narrow@example.org", [other.id]);
    expect((await narrow.get(`${base}channels/new`)).status).toBe(403);
    for (const path of [...paths, `${paths[2]}/qr.svg`, `${base}channels/${mine.id}/qr.png`])
      expect((await narrow.get(path)).status, path).toBe(404);
    expect((await narrow.get(`${base}channels`)).text).not.toContain(mine.id);
  });
});
