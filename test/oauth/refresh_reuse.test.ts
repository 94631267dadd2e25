// A used refresh token that is sent again. Within a minute each use gives valid tokens, on any process and over a
// restart. A later use is treated as theft and ends the connection. Either leaves a line in the audit log.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatId } from "../../src/model/domain/type_ids.ts";
import type { HttpVisitor } from "../support/console_site.ts";
import { disconnect } from "../support/member_sessions.ts";
import {
  connectAssistant,
  OAUTH,
  type OAuthAnswer,
  openWorldWithOwner,
  registerClient,
  SERVER_ORIGIN,
  sendForm,
  USUAL_CLIENT,
} from "../support/oauth_flow.ts";
import { type RunningServer, startServer, temporaryFolder } from "../support/processes.ts";
import type { World } from "../support/world.ts";

let world: World;
let owner: HttpVisitor;
openWorldWithOwner((...opened) => {
  [world, owner] = opened;
});

const form = (client: string, token: string, more: Record<string, string> = {}) => ({
  grant_type: "refresh_token",
  client_id: client,
  refresh_token: token,
  resource: `${SERVER_ORIGIN}/mcp`,
  ...more,
});
const refresh = (client: string, token: string, more: Record<string, string> = {}, at = world) =>
  sendForm(at, `${OAUTH}/token`, form(client, token, more));
const lives = async (access: string) => (await world.mcp("get_me", {}, access)).status === 200;

/** A connection, with its first refresh token, and the statuses that the log has of reuse, the newest first. */
async function connected() {
  const { client_id } = (await registerClient(world, { ...USUAL_CLIENT, client_name: "Scribe" })).body;
  const { tokens } = await connectAssistant(world, owner, { client_id }, { scope: "pushers:read alerts:write" });
  const [{ id }] = await world.sql("select id from connection where client_id = ?", [client_id]);
  const noted = async () =>
    (
      await world.sql(
        `select status from audit_event where operation = 'reuse_refresh_token' and actor_id = ? order by created_at
          desc`,
        [formatId("con", id)],
      )
    ).map(({ status }: any) => status);
  return { client_id, id, first: tokens.body.refresh_token as string, tokens: tokens.body, noted };
}

/** Every answer is a success, and nothing that it gave is dead. */
async function allWork(client: string, answers: readonly OAuthAnswer[]): Promise<void> {
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  for (const { body } of answers) expect(await lives(body.access_token)).toBe(true);
  for (const { body } of answers) expect((await refresh(client, body.refresh_token)).status).toBe(200);
  for (const { body } of answers) expect(await lives(body.access_token)).toBe(true);
}

/** Moves the first uses of a client's tokens back by this number of seconds. */
const later = (client: string, seconds: number) =>
  world.sql(
    `update auth."oauthRefreshToken" set "rotatedAt" = "rotatedAt" - ? * interval '1 second' where "clientId" = ?`,
    [seconds, client],
  );

async function isOver({ client_id }: { client_id: string }, access: string, live: string) {
  expect(await lives(access)).toBe(false);
  expect((await refresh(client_id, live)).body).toMatchObject({ error: "invalid_grant" });
}

// rules#refresh-reuse
test("a client that repeats a request gets working tokens each time, and the log notes it once", async () => {
  const its = await connected();
  const answers = [];
  for (let i = 0; i < 4; i += 1) answers.push(await refresh(its.client_id, its.first));
  expect(await its.noted()).toEqual([null]);
  const { data } = (await world.rest("list_audit_events", { limit: 1 })).body;
  expect(data[0]).toMatchObject({
    operation: "reuse_refresh_token",
    actor: { type: "oauth", name: "Scribe" },
    transport: "mcp",
    status: null,
  });
  expect(data[0].actor.id).toMatch(/^con_/);
  await allWork(its.client_id, answers);
});

// rules#refresh-reuse
test("50 uses at once, over three processes, all get working tokens", async () => {
  const count = 50;
  const its = await connected();
  const replicas = [await world.replica(), await world.replica()];
  const at = [world, ...replicas];
  for (const token of [its.first, (await refresh(its.client_id, its.first)).body.refresh_token]) {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, i) => refresh(its.client_id, token, {}, at[i % 3])),
    );
    await allWork(its.client_id, answers);
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(count);
  }
  for (const replica of replicas) await replica.leave();
});

// rules#refresh-reuse
test("an earlier token of a chain works after its successors were used, and they go on", async () => {
  const { client_id, first } = await connected();
  const b = await refresh(client_id, first);
  const c = await refresh(client_id, b.body.refresh_token);
  const again = [await refresh(client_id, first), await refresh(client_id, b.body.refresh_token)];
  await allWork(client_id, [c, ...again]);
  // Each answer has a life of its own: none is used up by what another one does later.
  const [kept] = again as [OAuthAnswer, OAuthAnswer];
  const next = await refresh(client_id, kept.body.refresh_token);
  await later(client_id, 3600);
  expect((await refresh(client_id, next.body.refresh_token)).status).toBe(200);
});

// rules#refresh-reuse
test("a minute counts from the first use, for any number of later uses", async () => {
  const its = await connected();
  const { body } = await refresh(its.client_id, its.first);
  await later(its.client_id, 50);
  expect((await refresh(its.client_id, its.first)).status).toBe(200);
  await later(its.client_id, 11);
  expect((await refresh(its.client_id, its.first)).body).toMatchObject({ error: "invalid_grant" });
  await isOver(its, body.access_token, body.refresh_token);
  expect(await its.noted()).toEqual(["failed", null]);
});

// rules#refresh-reuse
test("a use after its time ends the connection and nothing else, with a text in the console", async () => {
  const its = await connected();
  const other = await connected();
  const { body } = await refresh(its.client_id, its.first);
  await later(its.client_id, 61);
  expect((await refresh(its.client_id, its.first)).body).toMatchObject({ error: "invalid_grant" });
  await isOver(its, body.access_token, body.refresh_token);
  expect(await lives(other.tokens.access_token)).toBe(true);
  const { text } = await owner.get(`/console/${world.workspace.id}/audit`);
  expect(text).toContain("was disconnected because an old refresh token was reused");
  for (const token of [its.first, body.refresh_token, body.access_token]) expect(text).not.toContain(token);
});

// rules#refresh-reuse
test("another client with a used token ends the connection; one that is not registered does not", async () => {
  const its = await connected();
  const { body } = await refresh(its.client_id, its.first);
  expect((await refresh("nosuchclient", its.first)).status).toBe(401);
  expect(await lives(body.access_token)).toBe(true);
  const other = (await registerClient(world)).body.client_id;
  expect((await refresh(other, its.first)).body).toMatchObject({ error: "invalid_grant" });
  await isOver(its, body.access_token, body.refresh_token);
  expect(await its.noted()).toEqual(["failed"]);
});

// rules#refresh-reuse
test("a refusal uses nothing up: a wrong secret, a foreign resource, another client", async () => {
  const client = (await registerClient(world, { ...USUAL_CLIENT, token_endpoint_auth_method: "client_secret_post" }))
    .body;
  const { tokens } = await connectAssistant(world, owner, client);
  const { refresh_token: token } = tokens.body;
  const { client_id, client_secret } = client;
  expect((await refresh(client_id, token, { client_secret: "wrong" })).status).toBe(401);
  expect((await refresh(client_id, token)).status).toBe(401);
  const foreign = { client_secret, resource: "https://other.example/mcp" };
  expect((await refresh(client_id, token, foreign)).body).toMatchObject({ error: "invalid_target" });
  const other = (await registerClient(world)).body.client_id;
  expect((await refresh(other, token)).body).toMatchObject({ error: "invalid_grant" });
  expect(await world.sql(`select 1 from auth."oauthRefreshToken" where "clientId" = ?`, [client_id])).toHaveLength(1);
  await world.sql(`update auth."oauthRefreshToken" set "createdAt" = now() - interval '2 hours'`);
  expect((await refresh(client_id, token, { client_secret })).status).toBe(200);
});

// rules#refresh-reuse
test("a repeat with other scopes is answered with what was granted of them", async () => {
  const { client_id, first } = await connected();
  const scopeOf = async (scope: string) => (await refresh(client_id, first, { scope })).body.scope.split(" ").sort();
  expect(await scopeOf("pushers:read alerts:send nope")).toEqual(["offline_access", "pushers:read"]);
  expect(await scopeOf("alerts:send")).toEqual(["alerts:write", "offline_access", "pushers:read"]);
  const { body } = await refresh(client_id, first, { scope: "pushers:read" });
  // The scope for refreshing is not a scope of the service, so a narrower request keeps it.
  expect((await refresh(client_id, body.refresh_token)).body.refresh_token).toEqual(expect.any(String));
});

// rules#assistant-disconnect
test("a minute gives nothing after the person disconnected", async () => {
  const its = await connected();
  const { body } = await refresh(its.client_id, its.first);
  await disconnect(world, its.id);
  expect((await refresh(its.client_id, its.first)).body).toMatchObject({ error: "invalid_grant" });
  await isOver(its, body.access_token, body.refresh_token);
});

// rules#refresh-reuse
test("a server error between new tokens and the response uses nothing up, also an hour later", async () => {
  const its = await connected();
  await world.sql(
    `create function auth.no_use() returns trigger language plpgsql as $$ begin raise 'the process ends here'; end $$`,
  );
  const [{ hash }] = await world.sql(`select token as hash from auth."oauthRefreshToken" where "clientId" = ?`, [
    its.client_id,
  ]);
  await world.sql(
    `create trigger no_use before update on auth."oauthRefreshToken" for each row
      when (old.token = '${hash}') execute function auth.no_use()`,
  );
  expect((await refresh(its.client_id, its.first)).status).toBe(500);
  await world.sql("drop function auth.no_use() cascade");
  await later(its.client_id, 3600);
  await allWork(its.client_id, [await refresh(its.client_id, its.first)]);
  expect(await its.noted()).toEqual([]);
});

test("no token and no answer is stored, in clear or sealed", async () => {
  const { client_id, first } = await connected();
  const answers = [await refresh(client_id, first), await refresh(client_id, first)];
  const rows = await world.sql(
    `select t::text as row, "rotationReplayResponse" as answer from auth."oauthRefreshToken" t`,
  );
  const kept = JSON.stringify(rows) + JSON.stringify(await world.sql("select a::text from audit_event a"));
  for (const token of [first, ...answers.map(({ body }) => body.refresh_token)]) expect(kept).not.toContain(token);
  expect(rows.every(({ answer }) => answer === null)).toBe(true);
});

describe("on two worker processes", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let server: RunningServer | undefined;
  beforeAll(() => {
    folder = temporaryFolder();
  });
  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });

  const start = () =>
    startServer(folder.path, {
      settings: { ...world.settings, DATA_DIR: folder.path, PUBLIC_URL: SERVER_ORIGIN, WORKERS: "2", REDIS_URL: "" },
    });
  /** Each on a connection of its own, so that every process answers some. */
  const atServer = async (client: string, token: string): Promise<OAuthAnswer> => {
    const answer = await fetch(`${server!.url}${OAUTH}/token`, {
      method: "POST",
      headers: { connection: "close" },
      body: new URLSearchParams(form(client, token)),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };

  // rules#refresh-reuse
  test("uses at once, and again after a restart, all get working tokens", async () => {
    const { client_id, first } = await connected();
    server = await start();
    const firstUse = performance.now();
    const before = await Promise.all(Array.from({ length: 12 }, () => atServer(client_id, first)));
    await server.stop("SIGKILL");
    server = await start();
    // A start can take longer than the minute of reuse on a busy machine, so the first use moves by as much.
    await later(client_id, Math.round((firstUse - performance.now()) / 1000));
    const after = await Promise.all(Array.from({ length: 3 }, () => atServer(client_id, first)));
    await allWork(client_id, [...before, ...after]);
    expect(server.log()).not.toContain(first);
  });
});
