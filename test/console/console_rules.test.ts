// Permitted and refused actions of the console, without a browser: forgery, roles, foreign ids, and permissions between
// members. Also, no operation ever makes a key or a member. One-time links and guessing have files of their own.

import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { getSessionMemberCaller } from "../../src/identity/auth/console_sessions.ts";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { grant_connection } from "../../src/identity/session/client_connections.ts";
import { formatId, parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { describeRedirectTarget } from "../../src/pages/console/pages/sign_in_flow.ts";
import { findLeastRoleForScope } from "../../src/pages/console/scope_groups.ts";
import { html } from "../../src/ui/html.ts";
import { HttpVisitor } from "../support/console_site.ts";
import { createMemberSession, SILENT_LOG } from "../support/member_sessions.ts";
import { createHandle, timeInSeconds, World } from "../support/world.ts";

const PASSWORD = "correct horse battery";

describe("the console's rules", () => {
  let world: World;
  let owner: HttpVisitor;
  let base: string;
  let people = 0;

  /** A signed-in member of the first workspace. */
  async function memberOf(role: string, pushers?: string[]): Promise<HttpVisitor & { id: string; email: string }> {
    const email = `person${++people}@example.org`;
    const em = world.service.orm.em.fork() as never;
    const member = await addWorkspaceMember(em, { workspace: world.workspace.id, email, role, pushers });
    const visitor = new HttpVisitor(world);
    const link = await world.service.people.newLink(parseIdOrNull("mem", member.id)!);
    expect((await visitor.join(link, { name: `Person ${people}`, email, password: PASSWORD })).status).toBe(303);
    return Object.assign(visitor, { id: member.id, email });
  }

  const count = async (what: string) => (await world.sql(`select count(*)::int as n from ${what}`))[0].n as number;

  beforeAll(async () => {
    world = await World.open();
    base = `/console/${world.workspace.id}/`;
    owner = new HttpVisitor(world);
    const [{ id }] = await world.sql("select id from member where email = 'owner@example.org'");
    const link = await world.service.people.newLink(id);
    await owner.join(link, { name: "Owner", email: "owner@example.org", password: PASSWORD });
    expect((await owner.get("/console")).headers.get("location")).toBe(base);
  });
  afterAll(() => world?.close());

  // rules#console-forgery
  test("a forged form is refused and changes nothing", async () => {
    const before = await count("api_key");
    const fields = { name: "forged", scope: ["alerts:send"], life: "never", pusher: "" };
    const token = await owner.token(`${base}keys`);
    const other = await memberOf("owner");
    const foreign = await other.token(`${base}keys`);
    const forged: Parameters<HttpVisitor["post"]>[2][] = [
      { token: null },
      { token: "" },
      { token: foreign },
      { token: `${token.slice(0, -1)}_` },
      { token, headers: { origin: "https://elsewhere.example" } },
      { token, headers: { origin: "null" } },
      { token, headers: { "sec-fetch-site": "cross-site" } },
      { token, headers: { "sec-fetch-site": "same-site" } },
    ];
    for (const options of forged) {
      const answer = await owner.post(`${base}keys`, fields, options);
      expect({ options, status: answer.status }).toEqual({ options, status: 403 });
      expect(answer.headers.get("content-type")).toContain("text/html");
    }
    expect(await count("api_key")).toBe(before);
    // Before sign-in the token belongs to a cookie of the visitor.
    const visitor = new HttpVisitor(world);
    const credentials = { email: "owner@example.org", password: PASSWORD };
    const theirs = await new HttpVisitor(world).token("/console/sign-in");
    for (const options of [{ token: null }, { token: theirs }]) {
      await visitor.get("/console/sign-in");
      expect((await visitor.post("/console/sign-in", credentials, options)).status).toBe(403);
    }
    const json = { "content-type": "application/json" };
    expect((await owner.post(`${base}keys`, fields, { token, headers: json })).status).toBe(422);
    expect((await owner.post(`${base}keys`, { ...fields, name: "x".repeat(70_000) }, { token })).status).toBe(422);
    expect((await owner.post(`${base}keys`, { ...fields, name: "a\u0000b" }, { token })).status).toBe(422);
    expect((await owner.post(`${base}keys`, fields, { token })).status).toBe(200);
    expect(await count("api_key")).toBe(before + 1);
  });

  test("pages carry the headers that keep them ours", async () => {
    const paths = [base, "/console/sign-in", "/console/nothing", `${base}keys`, `${base}webhooks`, `${base}audit`];
    for (const path of paths) {
      const { headers, text } = await owner.get(path);
      // The script of the color scheme runs before the page is drawn.
      const named = [...text.matchAll(/<script src="([^?"]+)\?v=[^"]+"( defer)?><\/script>/g)];
      expect(named.map(([, file, defer]) => file === "/static/color_scheme.js" || defer)).not.toContain(undefined);
      const scripts = named.map(([, file]) => `http://localhost:8787${file}`).join(" ");
      // Only the scripts that the page names, each in full, and these may send requests to this origin only.
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self' https: data:; form-action 'self'; " +
          `frame-ancestors 'none'; base-uri 'none'${
            named.length > 0 ? `; script-src ${scripts}; connect-src 'self'` : ""
          }`,
      );
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(text.match(/<script/g) ?? []).toHaveLength(named.length);
      expect(text).not.toMatch(/<style| style=| on\w+=/);
    }
    const styles = await owner.get("/static/styles.css");
    expect(styles.headers.get("content-type")).toContain("text/css");
  });

  test("roles and workspaces limit the pages that a person opens", async () => {
    for (const role of ["viewer", "editor"]) {
      const visitor = await memberOf(role);
      for (const path of ["members", "keys"]) {
        expect((await visitor.get(base + path)).status).toBe(403);
        const token = await visitor.token("/console/account");
        expect((await visitor.post(base + path, { name: "x" }, { token })).status).toBe(403);
      }
      for (const path of ["", "assistants"]) expect((await visitor.get(base + path)).status).toBe(200);
    }
    await world.foreignKey();
    const [{ id }] = await world.sql("select id from workspace where name = 'Another workspace'");
    const foreign = await owner.get(`/console/${formatId("wsp", id)}/`);
    const missing = await owner.get("/console/wsp_01h455vb4pex5vsknk084sn02q/");
    expect([foreign.status, missing.status]).toEqual([404, 404]);
    expect(foreign.text.replace(/wsp_\w+/g, "")).toBe(missing.text.replace(/wsp_\w+/g, ""));
    expect((await new HttpVisitor(world).get(base)).headers.get("location")).toContain("/console/sign-in?next=");
  });

  // rules#console-roles
  test("no member grants or takes a higher role, and an owner stays", async () => {
    const admin = await memberOf("admin");
    const editor = await memberOf("editor");
    const [{ id }] = await world.sql("select id from member where email = 'owner@example.org'");
    const ownerId = formatId("mem", id);
    const all = { sees: "all" };
    const from = `${base}members`;
    expect((await admin.post(from, { email: "a@example.org", role: "owner", ...all })).status).toBe(403);
    expect((await admin.post(`${from}/${editor.id}`, { role: "owner", ...all }, { from })).status).toBe(403);
    for (const [path, fields] of [
      ["", { role: "viewer", ...all }],
      ["/link", { present: PASSWORD }],
      ["/remove", {}],
    ] as const) {
      const answer = await admin.post(`${from}/${ownerId}${path}`, fields, { from });
      expect([403, 404]).toContain(answer.status);
    }
    const roleOf = async (row: string) => (await world.sql("select role from member where id = ?", [row]))[0]?.role;
    expect(await roleOf(id)).toBe("owner");

    // The other tests' owners step down, which only an owner can bring about.
    await world.sql("update member set role = 'viewer' where role = 'owner' and id <> ? and workspace_id = ?", [
      id,
      parseIdOrNull("wsp", world.workspace.id),
    ]);
    for (const [path, fields] of [
      ["", { role: "admin", ...all }],
      ["/remove", {}],
    ] as const)
      expect((await owner.post(`${from}/${ownerId}${path}`, fields, { from })).status).toBe(409);
    const second = await memberOf("owner");
    // Both step down at once: one of them stays.
    const tokens = [await owner.token(from), await second.token(from)];
    const down = { role: "editor", ...all };
    const answers = await Promise.all([
      owner.post(`${from}/${ownerId}`, down, { token: tokens[0]! }),
      second.post(`${from}/${second.id}`, down, { token: tokens[1]! }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    await world.sql("update member set role = 'owner' where id = ?", [id]);

    // A restriction cannot be wider than the manager's own.
    const [mine, other] = [await world.pusher(), await world.pusher()];
    const narrow = await memberOf("admin", [mine.id]);
    const wish = { email: "n@example.org", role: "viewer" };
    expect((await narrow.post(from, { ...wish, ...all })).status).toBe(403);
    expect((await narrow.post(from, { ...wish, sees: "some", pusher: [other.id] })).status).toBe(403);
    expect((await narrow.post(from, { ...wish, sees: "some" })).status).toBe(422);
    expect((await narrow.get(from)).text).not.toContain(editor.email);
    expect((await narrow.post(`${from}/${editor.id}/link`, { present: PASSWORD }, { from })).status).toBe(404);
    expect((await narrow.post(from, { ...wish, sees: "some", pusher: [mine.id] })).status).toBe(200);
    const bound = { name: "k", scope: ["pushers:read"], life: "7d", pusher: other.id };
    expect((await narrow.post(`${base}keys`, bound)).status).toBe(404);

    // Removed: the session is left without a workspace, and the key is deleted.
    const key = await world.key({ member: editor.id });
    expect((await owner.post(`${from}/${editor.id}/remove`, {}, { from })).status).toBe(303);
    expect((await world.rest("get_me", {}, key)).status).toBe(401);
    expect((await editor.get(base)).status).toBe(404);
  });

  test("with a member go the assistants that it connected, and what they hold", async () => {
    const person = await memberOf("editor");
    const [{ user_id }] = await world.sql("select user_id from member where id = ?", [parseIdOrNull("mem", person.id)]);
    const client = "a-client-of-the-test";
    await world.sql(`insert into auth."oauthClient" (id, "clientId", name, "redirectUris") values (?, ?, 'C', '[]')`, [
      client,
      client,
    ]);
    const grantId = randomUUID();
    const consented = `insert into auth."oauthConsent" (id, "clientId", "userId", "referenceId", scopes, "createdAt",
      "updatedAt")
      values (?, ?, ?, ?, '["pushers:read"]', now(), now())`;
    await world.sql(consented, [client, client, user_id, grantId]);
    const caller = await createMemberSession(world, user_id, parseIdOrNull("wsp", world.workspace.id)!);
    await world.service.dispatcher.runSession(grant_connection, caller, {
      args: { grant_id: grantId, client_id: client, pusher_id: null, scopes: ["pushers:read"] },
      log: SILENT_LOG,
    });
    expect((await person.get(`${base}assistants`)).text).toContain("<summary>Reads<");
    const from = `${base}members`;
    expect((await owner.post(`${from}/${person.id}/remove`, {}, { from })).status).toBe(303);
    // A remembered consent would let the assistant back in without a question, to nothing.
    for (const table of ["connection", 'auth."oauthConsent"'])
      expect(await count(`${table} where ${table === "connection" ? "user_id" : '"userId"'} = '${user_id}'`)).toBe(0);
  });

  test("a password changes with the present one and ends the other sessions", async () => {
    const person = await memberOf("viewer");
    const second = new HttpVisitor(world);
    const credentials = { email: person.email, password: PASSWORD };
    expect((await second.post("/console/sign-in", credentials)).status).toBe(303);
    const change = (present: string, next: string) =>
      person.post("/console/account/password", { present, next }, { from: "/console/account" });
    expect((await change("wrong", "a new long password")).status).toBe(422);
    expect((await change(PASSWORD, "short")).status).toBe(422);
    expect((await change(PASSWORD, "a new long password")).status).toBe(303);
    expect((await second.get(base)).status).toBe(303);
    expect((await person.get(base)).status).toBe(200);
    expect((await second.post("/console/sign-in", credentials)).status).toBe(401);
    // Another person's session is not found.
    const [{ id }] = await world.sql(`select id from auth.session order by "createdAt" limit 1`);
    const foreign = await person.post(`/console/account/sessions/${id}/end`, {}, { from: "/console/account" });
    expect(foreign.status).toBe(404);
  });

  test("signing in leads nowhere else", async () => {
    const { email } = await memberOf("viewer");
    for (const next of [
      "https://elsewhere.example",
      "//elsewhere.example",
      "/\\elsewhere",
      "/api/v1/me",
      "javascript:1",
    ]) {
      const visitor = new HttpVisitor(world);
      const answer = await visitor.post("/console/sign-in", { email, password: PASSWORD, next });
      expect(answer.status).toBe(303);
      expect(answer.headers.get("location")).toBe("/console");
    }
  });

  // rules#keys-make-no-keys
  test("no operation makes a key, a member, a link or a connection", async () => {
    const tables = ["api_key", "member", "member_link", "connection", 'auth."user"', "auth.session", "workspace"];
    const counts = async () => Promise.all(tables.map(count));
    const session = await world.service.people.session(
      new Headers({ cookie: [...owner.cookies].map((pair) => pair.join("=")).join("; ") }),
    );
    const caller = getSessionMemberCaller(session!, parseIdOrNull("wsp", world.workspace.id)!)!;
    const ran: string[] = [];
    const before = await counts();
    for (const tool of OPERATIONS) {
      const pusher = await world.pusher();
      const alert = await world.alert(
        pusher.id,
        tool.name === "schedule_alert" ? { send_at: timeInSeconds(3600) } : {},
      );
      const known: Record<string, unknown> = {
        pusher_id: pusher.id,
        alert_id: alert.id,
        invite_id: (await world.rest("create_invite", { pusher_id: pusher.id })).body.id,
        webhook_id: "whk_01h455vb4pex5vsknk084sn02q",
        handle: createHandle(),
        name: "A name",
        category: "community",
        description: "A description",
        title: "A title",
        html: "<p>Text</p>",
        url: "https://example.org/hook",
        events: ["alert.sent"],
        send_at: timeInSeconds(3600),
        action: "cancel",
        seconds: 0,
      };
      const args: Record<string, unknown> = {};
      for (const field of Object.keys(tool.input.shape)) if (field in known) args[field] = known[field];
      // Fields of another variant of the same call are left out again.
      for (const drop of [[], ["handle"], ["send_at"], ["html", "url"], ["html", "url", "send_at", "name", "events"]]) {
        const some = Object.fromEntries(Object.entries(args).filter(([name]) => !drop.includes(name)));
        const done = await world.service.dispatcher.run(tool, caller, { args: some, log: SILENT_LOG }).then(
          () => true,
          () => false,
        );
        if (done) ran.push(tool.name);
        if (done) break;
      }
    }
    expect(await counts()).toEqual(before);
    // Those that need the outside world or a row of their own may refuse; all others really ran.
    const refused = OPERATIONS.map(({ name }) => name).filter((name) => !ran.includes(name));
    expect(refused.filter((name) => !/webhook|deliver|cancel_alert/.test(name))).toEqual([]);
    for (const { name } of OPERATIONS) {
      const source = readFileSync(new URL(`../../operations/${name}.ts`, import.meta.url), "utf8");
      expect(source).not.toMatch(
        /src\/identity\/|entities\/credentials|queries\/(api_keys|members_and_one_time_links)/,
      );
    }
  });
});

test("markup escapes any input", () => {
  const evil = `"><script>alert('x')</script>&`;
  expect(String(html`<p title="${evil}">${[evil, null, 1]}</p>`)).toBe(
    `<p title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;">` +
      `&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;1</p>`,
  );
});

test("the address of the response is shown in full", () => {
  const words = (url: string) => describeRedirectTarget(new URL(url));
  expect(words("https://claude.ai/api/callback?x=1")).toBe("claude.ai");
  expect(words("https://claude.ai.elsewhere.example/cb")).toBe("claude.ai.elsewhere.example");
  expect(words("https://claude.ai@elsewhere.example/cb")).toBe("elsewhere.example");
  expect(words("http://[::1]:4000/cb")).toBe("an app on this computer ([::1]:4000)");
  expect(words("com.example.app:/cb")).toBe("an app on this device (com.example.app:/cb)");
  expect(words("cursor://anysphere.cursor-mcp/oauth/callback")).toBe(
    "the app that opens Cursor’s links on this device (cursor://anysphere.cursor-mcp/oauth/callback)",
  );
});

test("every scope shows the role that it needs", () => {
  expect(findLeastRoleForScope(OPERATIONS, "pushers:read")).toBe("viewer");
  expect(findLeastRoleForScope(OPERATIONS, "alerts:send")).toBe("editor");
});

test("no style sheet needs light-dark(), which iOS 16.4 to 17.4 do not know", () => {
  const folder = new URL("../../src/", import.meta.url);
  const sheets = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".css"));
  expect(sheets).toContain("ui/styles/palette.css");
  expect(sheets.filter((path) => readFileSync(new URL(path, folder), "utf8").includes("light-dark("))).toEqual([]);
});

test("the palette is readable in both schemes", () => {
  const css = readFileSync(new URL("../../src/ui/styles/palette.css", import.meta.url), "utf8");
  const colors = [...css.matchAll(/--([\w-]+): var\(--light, (#[0-9a-f]{6})\) var\(--dark, (#[0-9a-f]{6})\)/g)];
  const [light, dark] = [2, 3].map((at) => Object.fromEntries(colors.map((parts) => [parts[1]!, parts[at]!])));
  const luminance = (colour: string) => {
    const parts = [1, 3, 5].map((i) => Number.parseInt(colour.slice(i, i + 2), 16) / 255);
    const [r, g, b] = parts.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
  };
  const contrast = (a: string, b: string) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high! + 0.05) / (low! + 0.05);
  };
  const grounds = ["ground", "surface", "sunken"];
  const pairs = [
    ...["ink", "muted", "accent", "accent-strong", "bad"].flatMap((text) => grounds.map((ground) => [text, ground])),
    ...["good", "bad", "warn"].map((text) => [text, `${text}-ground`]),
    ...["accent", "accent-strong"].map((ground) => ["on-accent", ground]),
  ] as [string, string][];
  for (const scheme of [light!, dark!]) {
    for (const [text, ground] of pairs)
      expect(contrast(scheme[text]!, scheme[ground]!), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    expect(contrast(scheme["field-line"]!, scheme.surface!)).toBeGreaterThanOrEqual(3);
  }
});
