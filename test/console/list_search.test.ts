// The search above the console's lists of alerts: by text, state, channel and author, in the address.

import { expect, test } from "vitest";
import { signInOwner } from "../support/console_site.ts";
import { openWorld } from "../support/open_world.ts";
import { timeInSeconds } from "../support/world.ts";

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
  const answer = await owner.get(base + path);
  expect(answer.status).toBe(200);
  const text = answer.text.replaceAll(/<\/?mark>/g, "");
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
  // The found letters are marked.
  expect(text).toContain("<mark>Ferr</mark>y late</a>");
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

test("an empty search of one state has a link to the same search of all states", async () => {
  const found = async (path: string) => {
    const { text } = await owner.get(base + path);
    return /<a href="([^"]+)">Search all states/.exec(text)?.[1]?.replaceAll("&amp;", "&");
  };
  const all = await found(`cancelled?q=ferr&channel=${river.id}`);
  expect(all).toBe(`${base}alerts?q=ferr&channel=${river.id}`);
  expect(await titles(all!.slice(base.length))).toEqual(["Ferry late", "Ferry draft"]);
  expect(await found(`channels/${river.id}?q=ferr&status=cancelled`)).toBe(`${base}channels/${river.id}?q=ferr`);
  expect(await found("alerts?q=submarine")).toBeUndefined();
});

test("a scheduled alert has the rest of the time until it is sent", async () => {
  for (const [title, hours] of [
    ["Soon", 3.5],
    ["Tomorrow", 30],
    ["Later", 80],
  ] as const) {
    const alert = await world.alert(river.id, { title, send_at: timeInSeconds(hours * 3600) });
    await world.rest("schedule_alert", { pusher_id: river.id, alert_id: alert.id });
  }
  const { text } = await owner.get(`${base}scheduled?channel=${river.id}`);
  expect([...text.matchAll(/data-label="Sends">(.*?)<\/td>/g)].map(([, rest]) => rest)).toEqual([
    ...["in 3 h", "in 1 day", "in 3 days"],
  ]);
});
