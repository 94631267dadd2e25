// Single rows through the entity manager, which sees what the caller sees. Rows outside of its filter are not found,
// and forgetting to set the caller never hides rows silently.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { describe, expect, test } from "vitest";
import { Channel, ChannelInvite, type VisibilityFilter } from "../../src/model/tables/channel.ts";
import { WebhookEndpoint } from "../../src/model/tables/webhook.ts";
import { createFilteredEntityManager } from "../../src/operation/access_checks.ts";
import { callConcurrently, countStatuses } from "../support/concurrent_calls.ts";
import { parseUuid } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld({ settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1:9" } });

const endpoint = async (key?: string) => {
  const args = { url: "http://127.0.0.1:9/", events: ["alert.sent"] };
  return (await world.rest("create_webhook", args, key)).body.id as string;
};
const manager = (visible: VisibilityFilter | null): SqlEntityManager =>
  createFilteredEntityManager(world.service.orm, visible, null);

describe("a query without a caller", () => {
  test.each([
    ["channels", Channel],
    ["invites", ChannelInvite],
    ["webhook endpoints", WebhookEndpoint],
  ])("throws: %s", async (_, entity) => {
    const id = "00000000-0000-7000-8000-000000000000";
    await expect(manager(null).findOne(entity as typeof Channel, { id })).rejects.toThrow();
  });
});

test("an invite is found with its channel only, and not for another channel", async () => {
  const [mine, other] = [await world.pusher({ is_public: false }), await world.pusher()];
  const { body } = await world.rest("create_invite", { pusher_id: mine.id });
  const visible = {
    workspace_id: parseUuid(world.workspace.id),
    member_id: parseUuid(world.workspace.id),
    bound_pusher_id: null,
  };
  const find = (pusher_ids: string[] | null, workspace_id = visible.workspace_id) =>
    manager({ ...visible, workspace_id, pusher_ids }).findOne(ChannelInvite, { id: parseUuid(body.id) });
  expect(await find(null)).toMatchObject({ code: body.code });
  expect(await find([parseUuid(mine.id)])).toMatchObject({ code: body.code });
  expect(await find([parseUuid(other.id)])).toBeNull();
  expect(await find([])).toBeNull();
  expect(await find(null, parseUuid(mine.id))).toBeNull();
  const elsewhere = { pusher_id: other.id, invite_id: body.id };
  const { error } = (await world.rest("revoke_invite", elsewhere)).body;
  const missing = (await world.rest("revoke_invite", { ...elsewhere, invite_id: "inv_none" })).body.error;
  expect({ ...error, message: "" }).toEqual({ ...missing, message: "" });
  // The caller sees both channels, so the refusal names the right one.
  expect(error.message).toContain(mine.id);
});

test("an endpoint's secret is read only where it signs", async () => {
  const id = parseUuid(await endpoint());
  const visible = { workspace_id: parseUuid(world.workspace.id), member_id: id, bound_pusher_id: null };
  const row = await manager({ ...visible, pusher_ids: null }).findOne(WebhookEndpoint, { id });
  expect(row).toMatchObject({ id, failure_count: 0 });
  expect(row!.secret).toBeUndefined();
});

test("of ten that remove one endpoint at the same time one does, and the others find nothing", async () => {
  for (let round = 0; round < 5; round++) {
    const webhook_id = await endpoint();
    const answers = await callConcurrently(10, () => world.rest("delete_webhook", { webhook_id }));
    expect(countStatuses(answers)).toEqual({ 204: 1, 404: 9 });
  }
});

test("a workspace's limit on endpoints counts those that the caller does not see", async () => {
  const { body } = await world.rest("list_webhooks");
  for (let n = body.data.length; n < 20; n++) await endpoint();
  const channel = await world.pusher();
  const restricted = await world.memberKey("editor", [channel.id]);
  expect((await world.rest("list_webhooks", {}, restricted)).body).toEqual({ data: [] });
  const refused = await world.rest(
    "create_webhook",
    { url: "http://127.0.0.1:9/", events: ["alert.sent"] },
    restricted,
  );
  expect(refused).toMatchObject({ status: 409, body: { error: { type: "conflict" } } });
});
