// The search above the console's lists of alerts: by text, state, channel and author, in the address.

import { expect, test } from "vitest";
import { signInOwner } from "../support/console_site.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld();
const owner = await signInOwner(world);
const base = `/console/${world.workspace.id}/`;
const river = await world.pusher({ name: "River" });
const town = await world.pusher({ name: "Town" });
const robot = await world.key({ name: "Tide robot" });
await world.rest("create_alert", { pusher_id: river.id, title: "Ferry late", send: true }, robot);
await world.alert(river.id, { title: "Ferry draft" });
await world.alert(town.id, { title: "Ferry market" });

const titles = async (path: string) => {
  const { status, text } = await owner.get(base + path);
  expect(status).toBe(200);
  return ["Ferry late", "Ferry draft", "Ferry market"].filter((title) => text.includes(`>${title}</a>`));
};

// rules#console-lists rules#find-words rules#find-writer
test("alerts are found by text, state, channel and author", async () => {
  const { text } = await owner.get(`${base}alerts?q=ferr`);
  const [, robot] = /<option value="(key_[^"]+)">Tide robot \(key\)/.exec(text) ?? [];
  expect(await titles("alerts?q=ferr")).toEqual(["Ferry late", "Ferry draft", "Ferry market"]);
  expect(await titles("drafts?q=ferr")).toEqual(["Ferry draft", "Ferry market"]);
  expect(await titles(`drafts?q=ferr&channel=${river.id}`)).toEqual(["Ferry draft"]);
  expect(await titles(`alerts?writer=${robot}`)).toEqual(["Ferry late"]);
  expect(await titles(`channels/${river.id}?q=ferr`)).toEqual(["Ferry late", "Ferry draft"]);
  expect(await titles(`channels/${river.id}?q=ferr&status=draft`)).toEqual(["Ferry draft"]);
  expect(await titles("cancelled?q=ferr")).toEqual([]);
  // The other states keep what is looked for.
  expect(text).toContain('/sent?q=ferr"');
});

// rules#console-for-people
test("an invalid search is reported above the empty list", async () => {
  for (const path of ["sent", "alerts", `channels/${river.id}`]) {
    const { status, text } = await owner.get(`${base}${path}?q=%3F%21`);
    expect([status, text.includes("Your input must contain at least one letter or digit.")]).toEqual([200, true]);
  }
  expect((await owner.get(`${base}alerts?q=submarine`)).text).toContain("No matching alerts");
});
