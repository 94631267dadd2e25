// The creator of a webhook is shown wherever the webhook is. The dependents of a key are shown before and after it is
// revoked. On request, its webhooks end with it. Without a browser.

import { expect, test } from "vitest";
import { runOperatorOperation } from "../../src/identity/operator/operator_operations.ts";
import { createKey } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { signInOwner } from "../support/console_site.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld();
const owner = await signInOwner(world);
const base = `/console/${world.workspace.id}/`;

const em = () => world.service.orm.em.fork();
const operator = (operation: "revoke_key", args: Record<string, unknown>): Promise<any> =>
  runOperatorOperation(em(), { operation, args }, new Date());
const hooks = async (): Promise<any[]> => (await world.rest("list_webhooks")).body.data;

/** A key for one channel that registered a webhook and scheduled an alert. */
async function used(name: string) {
  const pusher = await world.pusher();
  const wish = { workspace: world.workspace.id, scopes: "all", pusher: pusher.id, name };
  const { id, key } = await createKey(em(), wish, new Date());
  const url = `https://1.1.1.1/${name.replaceAll(" ", "-")}`;
  const hook = (await world.rest("create_webhook", { url, events: ["alert.sent"] }, key)).body;
  const send_at = new Date(Date.now() + 86_400_000).toISOString();
  const wanted = { pusher_id: pusher.id, title: `Later, by ${name}`, send_at, send: true };
  const alert = (await world.rest("create_alert", wanted, key)).body;
  expect(alert.status).toBe("scheduled");
  return { id, key, hook, alert, pusher, url };
}

// rules#webhook-maker
test("a webhook names the key or the member that registered it, or neither", async () => {
  const { id, hook, url } = await used("river robot");
  expect(hook.made_by).toEqual({ id, name: "river robot" });
  const own = await owner.post(`${base}webhooks`, { url: "https://1.1.1.1/own", events: ["alert.sent"] });
  expect(own.status).toBe(200);
  await world.sql(
    "update webhook_endpoint set created_by_id = null, created_by_name = null where url = 'https://1.1.1.1/own'",
  );
  const listed = await hooks();
  expect(listed.find((row) => row.id === hook.id).made_by).toEqual({ id, name: "river robot" });
  expect(listed.find((row) => row.url === "https://1.1.1.1/own").made_by).toBeNull();
  const { body } = await world.mcp("list_webhooks", {});
  expect(body.data.find((row: any) => row.id === hook.id).made_by).toEqual({ id, name: "river robot" });
  const page = (await owner.get(`${base}webhooks`)).text;
  expect(page).toContain("Added by river robot");
  expect(page).toContain("Added by unknown");
  const mine = await owner.post(`${base}webhooks`, { url: "https://1.1.1.1/mine", events: ["alert.sent"] });
  expect(mine.status).toBe(200);
  expect((await hooks()).find((row) => row.url.endsWith("/mine")).made_by).toMatchObject({
    id: expect.stringMatching(/^mem_/),
    name: "Owner",
  });
  expect(url).toContain("river");
});

// rules#key-leaves
test("the page that revokes a key lists what continues, and without the tick it does", async () => {
  const { id, key, hook, alert, url } = await used("gone quietly");
  const page = await owner.get(`${base}keys/${id}/revoke`);
  for (const said of [url, alert.title, "These stay active without the key", "Also delete the key’s webhook"])
    expect(page.text).toContain(said);
  expect((await owner.post(`${base}keys/${id}/revoke`, {})).status).toBe(303);
  expect((await world.rest("get_me", {}, key)).status).toBe(401);
  expect((await hooks()).some((row) => row.id === hook.id)).toBe(true);
});

// rules#key-leaves
test("with the tick its webhooks end, each with a line in the audit log, and nobody else's", async () => {
  const other = await used("another one");
  const { id, hook } = await used("gone with all");
  expect((await owner.post(`${base}keys/${id}/revoke`, { end_webhooks: "yes" })).status).toBe(303);
  const left = (await hooks()).map((row) => row.id);
  expect(left).not.toContain(hook.id);
  expect(left).toContain(other.hook.id);
  const { data } = (await world.rest("list_audit_events", { limit: 2 })).body;
  expect(data.map((line: any) => [line.operation, line.subject_id])).toEqual([
    ["revoke_key", id],
    ["delete_webhook", hook.id],
  ]);
});

// rules#key-leaves
test("the operator's result names what continues, and the same command ends it afterwards", async () => {
  const { id, hook, alert, pusher, url } = await used("of the operator");
  const first = await operator("revoke_key", { key: id });
  expect(first).toMatchObject({
    id,
    webhooks: [{ id: hook.id, url }],
    scheduled_alerts: [{ id: alert.id, pusher_id: pusher.id, title: alert.title }],
    ended_webhooks: 0,
  });
  await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: alert.id });
  expect(await operator("revoke_key", { key: id, end_webhooks: true })).toEqual({
    ...first,
    webhooks: [],
    scheduled_alerts: [],
    ended_webhooks: 1,
  });
  expect((await hooks()).some((row) => row.id === hook.id)).toBe(false);
});

// rules#key-leaves
test("a key without dependents has the usual confirmation", async () => {
  const wish = { workspace: world.workspace.id, scopes: "pushers:read", name: "idle" };
  const { id } = await createKey(em(), wish, new Date());
  const { text } = await owner.get(`${base}keys/${id}/revoke`);
  expect(text).not.toContain("These stay active");
});
