// The text about itself that the consent page accepts from an assistant, and the text next to it. Without a browser.

import { describe, expect, test } from "vitest";
import { parseClientName } from "../../src/identity/auth/client_metadata_fields.ts";
import { addWorkspaceMember, createEmptyWorkspace } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { formatId } from "../../src/model/domain/type_ids.ts";
import { ALL_SCOPES, INITIAL_ASSISTANT_SCOPES } from "../../src/model/scopes.ts";
import { signInOwner } from "../support/console_site.ts";
import {
  allowConsent,
  buildAuthorizeRequest,
  CALLBACK,
  OAUTH,
  registerClient,
  sendForm,
  USUAL_CLIENT,
} from "../support/oauth_flow.ts";
import { openWorld } from "../support/open_world.ts";

const HOSTED = "https://assistant.example/callback";
/** Long, reordered, hidden, on several lines, with quotes of its own and marks piled up. */
const HOSTILE =
  `\u202eAda\u2066" is safe\n\nanswer goes to\u200b bank.example ”\u0000\u{e0041}` +
  `z\u0301\u0301\u0301\u0301\u0301\u0301 ${"W".repeat(1200)}`;

test("a client's name is one short line without hidden characters or quotes", () => {
  const shown = parseClientName(HOSTILE)!;
  expect([...shown].length).toBeLessThanOrEqual(61);
  expect(shown).toMatch(/^Ada' is safe answer goes to bank\.example ' ?z\u0301\u0301\u0301 W+…$/);
  // Scripts that need joiners or a direction of their own keep them.
  for (const name of ["می‌خواهم", "क्‍ष", "👩‍💻 Helper", "مساعد", "Claude Desktop"])
    expect(parseClientName(name)).toBe(name);
  for (const nothing of [null, undefined, 7, "", " \n", "\u200b\u202e"]) expect(parseClientName(nothing)).toBeNull();
  expect(parseClientName("\ud800x")).toBe("\ufffdx");
});

const world = await openWorld();
const owner = await signInOwner(world);

describe("the consent page", () => {
  /** With one grant only, it gets no refresh token. */
  async function clientAt(
    redirect = CALLBACK,
    name: string | null = null,
    grant_types = ["authorization_code"],
  ): Promise<string> {
    const { client_id } = (await registerClient(world, { ...USUAL_CLIENT, grant_types, redirect_uris: [redirect] }))
      .body;
    if (name) await world.sql(`update auth."oauthClient" set name = ? where "clientId" = ?`, [name, client_id]);
    return client_id;
  }

  async function pageOf(client: string, scope: string, redirect = CALLBACK) {
    const { headers } = await owner.get(
      buildAuthorizeRequest(client, { scope, redirect_uri: redirect, prompt: "consent" }).path,
    );
    const { pathname, search } = new URL(headers.get("location")!, "http://localhost:8787");
    return { path: pathname + search, text: (await owner.get(pathname + search)).text };
  }

  const order = (text: string, ...parts: string[]) => {
    const flat = text.replace(/\s+/g, " ");
    const at = parts.map((part) => flat.indexOf(part));
    expect(Object.fromEntries(parts.map((part, i) => [part, at[i]! >= 0]))).toEqual(
      Object.fromEntries(parts.map((part) => [part, true])),
    );
    expect(at).toEqual([...at].sort((a, b) => a - b));
  };

  test("a hostile name stays short, quoted and isolated, next to address, workspace and time", async () => {
    const { text } = await pageOf(await clientAt(CALLBACK, HOSTILE.replace("\u0000", "")), "pushers:read");
    expect(text).not.toMatch(/[\u200b\u202e\u2066\u{e0041}]/u);
    expect(text).not.toContain("W".repeat(60));
    order(
      text,
      "“<bdi>Ada&#39; is safe",
      "The assistant chose this name.",
      "127.0.0.1:7777",
      "Test workspace",
      "60 minutes",
    );
    // The lists and the last page use the same text.
    const client = await clientAt(CALLBACK, HOSTILE.replace("\u0000", ""));
    const { path } = await pageOf(client, "pushers:read offline_access");
    await allowConsent(owner, path);
    const listed = await owner.get(`/console/${world.workspace.id}/assistants`);
    expect(listed.text).toContain("“<bdi>Ada&#39; is safe");
    expect(listed.text).not.toMatch(/[\u200b\u202e]/);
  });

  test("it shows how long access lasts", async () => {
    const [local, hosted] = [await clientAt(), await clientAt(HOSTED)];
    const lasting = await clientAt(CALLBACK, null, USUAL_CLIENT.grant_types);
    expect((await pageOf(lasting, "pushers:read")).text).toContain("30 days after its last use");
    expect((await pageOf(local, "pushers:read")).text).toContain("60 minutes. Then the assistant must ask again.");
    expect((await pageOf(hosted, "pushers:read", HOSTED)).text).toContain("Until you disconnect the assistant.");
  });

  test("publishing is marked, and ticked only for a client that requested it by name", async () => {
    const client = await clientAt();
    const isTicked = (text: string, scope: string) => new RegExp(`id="scope-${scope}"[^>]* checked`).test(text);
    const named = (await pageOf(client, "alerts:write alerts:send")).text;
    expect(named).toContain("Cannot be undone");
    expect(named).toContain("Writing an alert does not publish it");
    expect(isTicked(named, "alerts:send")).toBe(true);
    const copied = (await pageOf(client, ALL_SCOPES.join(" "))).text;
    expect(isTicked(copied, "alerts:send")).toBe(false);
    expect(isTicked(copied, "alerts:write")).toBe(true);
    expect(isTicked((await pageOf(client, "pushers:read")).text, "alerts:send")).toBe(false);
  });

  // rules#assistants-consent
  test("the first consent names drafting and never sending, and folds what only reads", async () => {
    const { text } = await pageOf(await clientAt(), INITIAL_ASSISTANT_SCOPES.join(" "));
    const folded = text.replace(/<details.*?<\/details>/gs, "");
    const [open, all] = [folded, text].map((part) =>
      [...part.matchAll(/name="scope" value="([^"]+)"/g)].map(([, scope]) => scope),
    );
    expect(open).toEqual(["alerts:write"]);
    expect(all).toHaveLength(ALL_SCOPES.length - 1);
    const ticked = [...text.matchAll(/name="scope" value="([^"]+)" checked/g)].map(([, scope]) => scope!);
    expect(ticked.filter((scope) => !scope.endsWith(":read"))).toEqual(["alerts:write"]);
    order(text, "scope-alerts:write", "Read access: 7 permissions", "Allow more than requested", "scope-alerts:send");
  });

  // rules#assistants-consent
  test("a person grants less than requested, and more", async () => {
    const client = await clientAt(HOSTED, null, USUAL_CLIENT.grant_types);
    const asked = { scope: "pushers:read alerts:write offline_access", redirect_uri: HOSTED, prompt: "consent" };
    const { verifier, path } = buildAuthorizeRequest(client, asked);
    const page = (await owner.get(path)).headers.get("location")!;
    const { next } = await allowConsent(owner, page, { scope: ["alerts:write", "stats:read"] });
    const { body } = await sendForm(world, `${OAUTH}/token`, {
      grant_type: "authorization_code",
      code: next.searchParams.get("code")!,
      redirect_uri: HOSTED,
      code_verifier: verifier,
      resource: "http://localhost:8787/mcp",
      client_id: client,
    });
    expect(body.scope.split(" ").sort()).toEqual(["alerts:write", "offline_access", "stats:read"]);
    const scopesOf = async () =>
      (await world.sql("select scopes from connection where client_id = ?", [client]))[0].scopes.sort();
    expect(await scopesOf()).toEqual(["account:read", "alerts:write", "stats:read"]);
    // A page that did not offer a permission, and whose person left it alone, revokes none.
    const stale = (await pageOf(client, "pushers:read offline_access", HOSTED)).path;
    await allowConsent(owner, stale, { scope: ["pushers:read"], shown: ["pushers:read"] });
    expect(await scopesOf()).toEqual(["account:read", "alerts:write", "pushers:read", "stats:read"]);
  });

  test("a step-up shows what is new first and folds what was granted", async () => {
    const client = await clientAt();
    await allowConsent(owner, (await pageOf(client, "pushers:read alerts:read offline_access")).path);
    const more = await pageOf(client, "alerts:send offline_access");
    order(
      more.text,
      "requests more permissions",
      "New:",
      "scope-alerts:send",
      "Allowed before: 2 permissions",
      "scope-pushers:read",
    );
    const again = await pageOf(client, "pushers:read offline_access");
    order(again.text, "Reconnect", "Allowed before: 2 permissions");
    expect(again.text).not.toContain("New:");
    // Granted permissions that can publish stay visible.
    const before = /<details class="more"( open)?><summary>Allowed before/;
    expect(before.exec(again.text)![1]).toBeUndefined();
    await allowConsent(owner, more.path);
    expect(before.exec((await pageOf(client, "pushers:read offline_access")).text)![1]).toBe(" open");
  });

  test("a grant in one workspace is not copied into another unseen", async () => {
    const em = world.service.orm.em.fork() as never;
    const second = await createEmptyWorkspace(em, { name: "Second workspace" });
    const added = await addWorkspaceMember(em, { workspace: second.id, email: "owner@example.org", role: "owner" });
    const [own] = await world.sql("select id, user_id from member where user_id is not null");
    await world.sql("update member set user_id = ? where email = ?", [own.user_id, "owner@example.org"]);
    const mine = formatId("mem", own.id);

    const client = await clientAt();
    const first = await pageOf(client, "alerts:send offline_access");
    await allowConsent(owner, first.path, { member: [mine], looked_at: [mine] });
    const { path, text } = await pageOf(client, "pushers:read offline_access");
    expect(text).toContain("Allowed before: 1 permission in Test workspace");
    const refused = allowConsent(owner, path, { member: [added.id] });
    await expect(refused).rejects.toThrow("You chose another workspace. Check the permissions");
    await expect(refused).rejects.toThrow(/422/);
    await expect(refused).rejects.not.toThrow(/id="scope-alerts:send"[^>]* checked/);
    expect(await world.sql("select member_id from connection where client_id = ?", [client])).toHaveLength(1);
  });
});
