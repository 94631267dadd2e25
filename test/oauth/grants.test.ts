// The connection between a token and its consent. A later consent gives an earlier token nothing. Any end of a consent
// ends its tokens on the next request of every process. Without a live connection there is neither code nor token.

import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endAssistantConnectionsByFilter } from "../../src/identity/auth/consent_grants.ts";
import { addWorkspaceMember, createEmptyWorkspace } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { formatId } from "../../src/model/domain/type_ids.ts";
import type { HttpVisitor } from "../support/console_site.ts";
import { signInOwner } from "../support/console_site.ts";
import { disconnect } from "../support/member_sessions.ts";
import {
  allowConsent,
  buildAuthorizeRequest,
  CALLBACK,
  OAUTH,
  registerClient,
  SERVER_ORIGIN,
  sendForm,
  USUAL_CLIENT,
} from "../support/oauth_flow.ts";
import { World } from "../support/world.ts";

/** Responses are sent to a server, so the person's consent is remembered. */
const HOSTED = "https://assistant.example/callback";

describe("on a service", () => {
  let world: World;
  /** Another process on the same database. */
  let replica: World;
  let owner: HttpVisitor;
  /** Members of the one person in two workspaces. */
  let members: [first: string, second: string];

  beforeAll(async () => {
    world = await World.open();
    replica = await world.replica();
    owner = await signInOwner(world);
    const em = world.service.orm.em.fork() as never;
    const second = await createEmptyWorkspace(em, { name: "Second workspace" });
    const added = await addWorkspaceMember(em, { workspace: second.id, email: "owner@example.org", role: "owner" });
    const [own] = await world.sql("select id, user_id from member where user_id is not null");
    await world.sql("update member set user_id = ? where email = ?", [own.user_id, "owner@example.org"]);
    members = [formatId("mem", own.id), added.id];
  });
  afterAll(async () => {
    await replica?.leave();
    await world?.close();
  });

  const clientAt = async (redirect = CALLBACK, fields: object = {}): Promise<string> =>
    (await registerClient(world, { ...USUAL_CLIENT, redirect_uris: [redirect], ...fields })).body.client_id;

  interface Way {
    scope?: string;
    redirect?: string;
    member?: string;
    ticked?: string[];
  }

  /** The browser's next address after a request for access: the consent page, or the assistant. */
  async function sentTo(client: string, { scope = "pushers:read offline_access", redirect = CALLBACK }: Way = {}) {
    const asked = buildAuthorizeRequest(client, { scope, redirect_uri: redirect });
    const { headers } = await owner.get(asked.path);
    return { verifier: asked.verifier, location: headers.get("location") ?? "" };
  }

  /** A code after a decision. */
  async function codeOf(client: string, way: Way = {}) {
    const { verifier, location } = await sentTo(client, way);
    expect(location).toContain("/console/consent");
    const member = [way.member ?? members[0]];
    // As on the page that was made for this member.
    const fields = { member, looked_at: member, ...(way.ticked ? { scope: way.ticked } : {}) };
    const { next } = await allowConsent(owner, location, fields);
    return { verifier, code: next.searchParams.get("code") ?? "" };
  }

  const exchange = (client: string, code: string, verifier: string, redirect = CALLBACK) =>
    sendForm(world, `${OAUTH}/token`, {
      grant_type: "authorization_code",
      client_id: client,
      code,
      redirect_uri: redirect,
      code_verifier: verifier,
      resource: `${SERVER_ORIGIN}/mcp`,
    });

  async function connect(client: string, way: Way = {}) {
    const { code, verifier } = await codeOf(client, way);
    const answer = await exchange(client, code, verifier, way.redirect);
    expect(answer.body).toMatchObject({ token_type: "Bearer" });
    return { code, verifier, tokens: answer.body as { access_token: string; refresh_token: string; scope: string } };
  }

  const refresh = (client: string, token: string) =>
    sendForm(world, `${OAUTH}/token`, {
      grant_type: "refresh_token",
      client_id: client,
      refresh_token: token,
      resource: `${SERVER_ORIGIN}/mcp`,
    });

  const revoke = (client: string, token: string, more: Record<string, string> = {}) =>
    sendForm(world, `${OAUTH}/revoke`, { client_id: client, token, ...more });

  /** The permissions of a token, as both processes see them; the status when it has none. */
  async function seenAs(token: string) {
    const answers = await Promise.all([world, replica].map((at) => at.mcp("get_me", {}, token)));
    expect(new Set(answers.map(({ status }) => status)).size).toBe(1);
    const { status, body } = answers[0]!;
    return status === 200 ? `${body.workspace.name}: ${body.credential.scopes.sort().join(" ")}` : status;
  }

  // rules#assistant-tokens
  test("a later consent in another workspace gives an earlier token nothing", async () => {
    const client = await clientAt();
    const first = await connect(client);
    const second = await connect(client, { scope: "pushers:read alerts:send offline_access", member: members[1] });
    expect(await seenAs(first.tokens.access_token)).toBe("Test workspace: account:read pushers:read");
    expect(await seenAs(second.tokens.access_token)).toBe("Second workspace: account:read alerts:send pushers:read");
    // Refreshing keeps the tie.
    const [again, other] = await Promise.all([
      refresh(client, first.tokens.refresh_token),
      refresh(client, second.tokens.refresh_token),
    ]);
    expect(await seenAs(again.body.access_token)).toBe("Test workspace: account:read pushers:read");
    expect(await seenAs(other.body.access_token)).toBe("Second workspace: account:read alerts:send pushers:read");
    // One connection for each member; ending one leaves the other.
    const rows = await world.sql("select id, member_id from connection where client_id = ?", [client]);
    expect(rows).toHaveLength(2);
    const of = rows.find(({ member_id }) => formatId("mem", member_id) === members[0]);
    await disconnect(world, of.id);
    expect(await seenAs(again.body.access_token)).toBe(401);
    expect((await refresh(client, again.body.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect(await seenAs(other.body.access_token)).toContain("Second workspace");
  });

  test("a step-up gives the new token what was granted before, and the old one nothing", async () => {
    const client = await clientAt();
    const first = await connect(client);
    const stepped = await connect(client, { scope: "alerts:write offline_access" });
    expect(stepped.tokens.scope.split(" ").sort()).toEqual(["alerts:write", "offline_access", "pushers:read"]);
    expect(await seenAs(stepped.tokens.access_token)).toContain("alerts:write pushers:read");
    expect(await seenAs(first.tokens.access_token)).toBe("Test workspace: account:read pushers:read");
    // Unticked scopes are also revoked from the earlier tokens, at once.
    await connect(client, { scope: "alerts:read offline_access", ticked: ["alerts:read", "alerts:write"] });
    expect(await seenAs(first.tokens.access_token)).toBe("Test workspace: account:read");
    expect(await seenAs(stepped.tokens.access_token)).toBe("Test workspace: account:read alerts:write");
  });

  test("a client that refreshes for less gets less", async () => {
    const client = await clientAt();
    const { tokens } = await connect(client, { scope: "pushers:read alerts:read offline_access" });
    const { body } = await sendForm(world, `${OAUTH}/token`, {
      grant_type: "refresh_token",
      client_id: client,
      refresh_token: tokens.refresh_token,
      scope: "alerts:read",
      resource: `${SERVER_ORIGIN}/mcp`,
    });
    expect(await seenAs(body.access_token)).toBe("Test workspace: account:read alerts:read");
  });

  test("revoking either token ends both, on every process, and nothing else", async () => {
    const client = await clientAt();
    const other = await connect(client);
    for (const which of ["access_token", "refresh_token"] as const)
      for (const hint of [{}, { token_type_hint: which }] as Record<string, string>[]) {
        const { tokens } = await connect(client);
        expect(await seenAs(tokens.access_token)).toContain("pushers:read");
        const answer = await revoke(client, tokens[which], hint);
        expect({ which, hint, status: answer.status }).toEqual({ which, hint, status: 200 });
        expect(await seenAs(tokens.access_token)).toBe(401);
        expect((await refresh(client, tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
        // A second time is not an error.
        expect((await revoke(client, tokens.refresh_token)).status).toBe(200);
      }
    expect(await seenAs(other.tokens.access_token)).toContain("pushers:read");
    // Another client's word about it counts for nothing.
    for (const token of [other.tokens.access_token, other.tokens.refresh_token]) await revoke(await clientAt(), token);
    expect(await seenAs(other.tokens.access_token)).toContain("pushers:read");
    expect((await refresh(client, other.tokens.refresh_token)).status).toBe(200);
    // After the last one is revoked, the person is no longer shown as connected.
    await revoke(client, other.tokens.access_token);
    expect(await world.sql("select 1 from connection where client_id = ?", [client])).toEqual([]);
  });

  test("a code that comes twice ends the tokens that it gave, with and without a refresh token", async () => {
    for (const scope of ["pushers:read offline_access", "pushers:read"]) {
      const client = await clientAt(CALLBACK, {
        grant_types: scope.includes("offline") ? USUAL_CLIENT.grant_types : ["authorization_code"],
      });
      const { code, verifier, tokens } = await connect(client, { scope });
      expect(await seenAs(tokens.access_token)).toContain("pushers:read");
      expect((await exchange(client, code, verifier)).body).toMatchObject({ error: "invalid_grant" });
      expect({ scope, seen: await seenAs(tokens.access_token) }).toEqual({ scope, seen: 401 });
    }
  });

  test("a refresh token that comes twice ends its own grant, access tokens included", async () => {
    const client = await clientAt();
    const other = await connect(client, { member: members[1] });
    const { tokens } = await connect(client);
    const next = await refresh(client, tokens.refresh_token);
    expect(next.status).toBe(200);
    // A retry within a minute is answered.
    expect((await refresh(client, tokens.refresh_token)).status).toBe(200);
    await world.sql(
      `update auth."oauthRefreshToken" set "rotatedAt" = now() - interval '1 hour'
       where "rotatedAt" is not null`,
    );
    expect((await refresh(client, tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    for (const token of [tokens.access_token, next.body.access_token]) expect(await seenAs(token)).toBe(401);
    expect((await refresh(client, next.body.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    // The same client's tokens for another workspace are another grant.
    expect(await seenAs(other.tokens.access_token)).toContain("Second workspace");
    expect((await refresh(client, other.tokens.refresh_token)).status).toBe(200);
  });

  test("a consent is remembered for a server, and never for a program on the person's machine", async () => {
    const hosted = await clientAt(HOSTED);
    await connect(hosted, { redirect: HOSTED });
    expect((await sentTo(hosted, { redirect: HOSTED })).location).toMatch(/^https:\/\/assistant\.example\/.*code=/);
    expect((await sentTo(hosted, { redirect: HOSTED, scope: "alerts:read" })).location).toContain("/console/consent");
    // Connected in two workspaces, only the person can choose the intended one.
    await connect(hosted, { redirect: HOSTED, member: members[1], scope: "alerts:read offline_access" });
    expect((await sentTo(hosted, { redirect: HOSTED })).location).toContain("/console/consent");

    for (const redirect of [CALLBACK, "com.example.app:/callback"]) {
      const local = await clientAt(redirect);
      await connect(local, { redirect });
      expect((await sentTo(local, { redirect })).location).toContain("/console/consent");
    }
  });

  test("after disconnecting, a remembered server requires consent again", async () => {
    const client = await clientAt(HOSTED);
    await connect(client, { redirect: HOSTED });
    const [{ id }] = await world.sql("select id from connection where client_id = ?", [client]);
    await disconnect(world, id);
    expect((await sentTo(client, { redirect: HOSTED })).location).toContain("/console/consent");
    expect(await world.sql(`select 1 from auth."oauthConsent" where "clientId" = ?`, [client])).toEqual([]);
    for (const table of ["oauthRefreshToken", "oauthAccessToken"])
      expect(await world.sql(`select 1 from auth."${table}" where "clientId" = ?`, [client])).toEqual([]);
  });

  test("a connection that was lost on the way requires consent again, and gives no token until then", async () => {
    const client = await clientAt(HOSTED);
    const { code, verifier } = await codeOf(client, { redirect: HOSTED });
    // As after a crash between the library's decision and ours.
    await world.sql("delete from connection where client_id = ?", [client]);
    expect((await exchange(client, code, verifier, HOSTED)).body).toMatchObject({ error: "invalid_grant" });
    expect((await sentTo(client, { redirect: HOSTED })).location).toContain("/console/consent");
    const { tokens } = await connect(client, { redirect: HOSTED });
    expect(await seenAs(tokens.access_token)).toContain("pushers:read");
    // And one that is lost later cannot be refreshed, so that the client starts again.
    await world.sql("delete from connection where client_id = ?", [client]);
    expect(await seenAs(tokens.access_token)).toBe(401);
    expect((await refresh(client, tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await sentTo(client, { redirect: HOSTED })).location).toContain("/console/consent");
  });

  test("a response without a code connects nothing", async () => {
    const client = await clientAt();
    // The person must sign in again before the authorization server gives a code.
    const asked = buildAuthorizeRequest(client, { scope: "pushers:read", prompt: "login consent" });
    const { headers } = await owner.get(asked.path);
    const { pathname, search } = new URL(headers.get("location")!, SERVER_ORIGIN);
    expect(pathname).toBe("/console/sign-in");
    await expect(allowConsent(owner, `/console/consent${search}`, { member: [members[0]] })).rejects.toThrow("303");
    expect(await world.sql("select 1 from connection where client_id = ?", [client])).toEqual([]);
    // Nor does a refusal.
    const { location } = await sentTo(client);
    const { next } = await allowConsent(owner, location, { decision: ["deny"] });
    expect(next.searchParams.get("error")).toBe("access_denied");
    expect(await world.sql("select 1 from connection where client_id = ?", [client])).toEqual([]);
  });

  test("a token whose grant was deleted is invalid, for any other part of its connection", async () => {
    const client = await clientAt();
    const [first, second] = [await connect(client), await connect(client)];
    const { grant } = JSON.parse(Buffer.from(first.tokens.access_token.split(".")[1]!, "base64url").toString());
    await world.sql("update connection_grant set id = ? where id = ?", [randomUUID(), grant]);
    expect(await seenAs(first.tokens.access_token)).toBe(401);
    expect(await seenAs(second.tokens.access_token)).toContain("pushers:read");
  });

  test("removing a member ends the tokens of that member alone", async () => {
    const client = await clientAt();
    const [here, there] = [await connect(client), await connect(client, { member: members[1] })];
    const em = world.service.orm.em.fork();
    await em.transactional(async (inside) => {
      const [row] = await world.sql(
        `select c.id from connection c join member m on m.id = c.member_id join workspace w on w.id = m.workspace_id
         where c.client_id = ? and w.name = 'Second workspace'`,
        [client],
      );
      await endAssistantConnectionsByFilter(inside as never, [row.id]);
    });
    expect(await seenAs(there.tokens.access_token)).toBe(401);
    expect((await refresh(client, there.tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect(await seenAs(here.tokens.access_token)).toContain("Test workspace");
  });

  test("housekeeping takes the grants that nothing hangs on, and no other", async () => {
    const [once, kept] = [await clientAt(CALLBACK, { grant_types: ["authorization_code"] }), await clientAt()];
    await connect(once, { scope: "pushers:read" });
    // The later consent takes the place of the earlier one, which had no refresh token.
    const { tokens: last } = await connect(once, { scope: "pushers:read" });
    const { tokens } = await connect(kept);
    await world.sql("update connection_grant set created_at = now() - interval '2 days'");
    const grantsOf = (client: string) =>
      world.sql("select g.id from connection_grant g join connection c on c.id = g.connection_id where client_id = ?", [
        client,
      ]);
    expect(await grantsOf(once)).toHaveLength(2);
    expect(await world.service.housekeeping.round("connection_grants")).toBeGreaterThan(0);
    expect(await grantsOf(once)).toHaveLength(1);
    expect(await seenAs(last.access_token)).toContain("pushers:read");
    expect((await refresh(kept, tokens.refresh_token)).status).toBe(200);
  });

  test("only hashes of codes are kept", async () => {
    const client = await clientAt();
    const { code } = await connect(client);
    const rows = await world.sql("select array_to_string(code_hashes, ' ') as codes from connection_grant");
    const kept = rows.map(({ codes }) => codes).join(" ");
    expect(kept).not.toContain(code);
    expect(kept).toContain(createHash("sha256").update(code).digest("base64url"));
  });
});
