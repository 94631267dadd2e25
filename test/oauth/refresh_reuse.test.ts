// A refresh token that was exchanged and comes again: answered once more where the answer may have been lost on the way, and
// otherwise taken for stolen, which ends the connection. Either leaves a line in the audit log.

import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, OAUTH, ORIGIN, register, sendForm, USUAL } from "../support/oauth.ts";
import { ownerOf, type Visitor } from "../support/site.ts";
import { World } from "../support/world.ts";

let world: World;
let owner: Visitor;
beforeAll(async () => {
  world = await World.open();
  owner = await ownerOf(world);
});
afterAll(() => world?.close());

const refresh = (client: string, token: string, more: Record<string, string> = {}) =>
  sendForm(world, `${OAUTH}/token`, {
    grant_type: "refresh_token",
    client_id: client,
    refresh_token: token,
    resource: `${ORIGIN}/mcp`,
    ...more,
  });
const lives = async (access: string) => (await world.mcp("get_me", {}, access)).status === 200;

/** A connection whose token was exchanged once, and what the log says of reuse since. */
async function exchanged() {
  const { client_id } = (await register(world, { ...USUAL, client_name: "Scribe" })).body;
  const more = { scope: "pushers:read offline_access" };
  const { tokens } = await connect(world, owner, { client_id }, more);
  const spent: string = tokens.body.refresh_token;
  const next = (await refresh(client_id, spent)).body;
  expect(next.refresh_token).not.toBe(spent);
  const [{ id }] = await world.sql("select id from connection where client_id = ?", [client_id]);
  const told = async () =>
    (
      await world.sql(
        `select a.operation, a.status, a.actor_type, a.actor_name, a.transport from audit_event a
          where a.operation = 'reuse_refresh_token' and a.member_id = (select id from member where email = 'owner@example.org')
          order by a.created_at desc limit 2`,
      )
    ).map(({ status }: any) => status);
  return { client_id, spent, next, id, told };
}

const ended = async ({ next, client_id }: { next: any; client_id: string }) => {
  expect(await lives(next.access_token)).toBe(false);
  expect((await refresh(client_id, next.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
};

// docs/rules.md#refresh-reuse
test("the same client is answered once more, and that is noted", async () => {
  const { client_id, spent, next } = await exchanged();
  const again = await refresh(client_id, spent);
  expect(again.body).toMatchObject({ access_token: next.access_token, refresh_token: next.refresh_token });
  const { data } = (await world.rest("list_audit_events", { limit: 1 })).body;
  expect(data[0]).toMatchObject({
    operation: "reuse_refresh_token",
    actor: { type: "oauth", name: "Scribe" },
    transport: "mcp",
    status: null,
  });
  expect(data[0].actor.id).toMatch(/^con_/);
  expect(await lives(next.access_token)).toBe(true);
  expect((await refresh(client_id, next.refresh_token)).status).toBe(200);
});

// docs/rules.md#refresh-reuse
test("a second time ends the connection", async () => {
  const its = await exchanged();
  expect((await refresh(its.client_id, its.spent)).status).toBe(200);
  expect((await refresh(its.client_id, its.spent)).body).toMatchObject({ error: "invalid_grant" });
  await ended(its);
  expect(await its.told()).toEqual(["failed", null]);
});

// docs/rules.md#refresh-reuse
test("another client ends the connection", async () => {
  const its = await exchanged();
  const other = (await register(world)).body.client_id;
  expect((await refresh(other, its.spent)).body).toMatchObject({ error: "invalid_grant" });
  await ended(its);
  expect((await its.told())[0]).toBe("failed");
});

// docs/rules.md#refresh-reuse
test("after its time it ends the connection, and nothing else of the client", async () => {
  const its = await exchanged();
  const other = await exchanged();
  await world.sql(
    `update auth."oauthRefreshToken" set "rotationReplayExpiresAt" = now() - interval '1 second'
      where "clientId" = ? and "rotatedAt" is not null`,
    [its.client_id],
  );
  expect((await refresh(its.client_id, its.spent)).body).toMatchObject({ error: "invalid_grant" });
  await ended(its);
  expect(await lives(other.next.access_token)).toBe(true);
});

// docs/rules.md#refresh-reuse
test("a repeat that asks for something else is refused, and uses nothing up", async () => {
  const { client_id, spent, next } = await exchanged();
  const more = { scope: "account:read pushers:read alerts:send" };
  expect((await refresh(client_id, spent, more)).status).toBe(400);
  expect((await refresh(client_id, spent)).body.refresh_token).toBe(next.refresh_token);
});

// docs/rules.md#refresh-reuse
test("two exchanges at once are one rotation, and both know the same new token", async () => {
  const { client_id, next } = await exchanged();
  const both = await Promise.all([1, 2].map(() => refresh(client_id, next.refresh_token)));
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect(new Set(both.map(({ body }) => body.refresh_token)).size).toBe(1);
  const [{ body }] = both as [any, any];
  expect(await lives(body.access_token)).toBe(true);
  expect((await refresh(client_id, body.refresh_token)).status).toBe(200);
});

// docs/rules.md#refresh-reuse
test("of many repeats at once, over two processes, one is answered at most, and the connection ends", async () => {
  const its = await exchanged();
  const replica = await world.replica();
  const at = [world, replica];
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      sendForm(at[i % 2] as World, `${OAUTH}/token`, {
        grant_type: "refresh_token",
        client_id: its.client_id,
        refresh_token: its.spent,
        resource: `${ORIGIN}/mcp`,
      }),
    ),
  );
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  expect(answers.every(({ status }) => status < 500)).toBe(true);
  await ended(its);
  await replica.leave();
});
