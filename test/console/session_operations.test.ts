// Operations of signed-in people only (rules#session-only): complete records, inaccessible to every key, token and
// transport. Dispatch checks role, password and rows. Another account's row has the same response as a missing one.

import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { createOpenApiDocument } from "../../src/api/openapi/openapi_document.ts";
import { IncomingFile } from "../../src/effects/assets/incoming_file.ts";
import { HANDSET_OPERATIONS } from "../../src/handset/handset_operations.ts";
import { addWorkspaceMember, createKey } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { SESSION_OPERATIONS } from "../../src/identity/session/index.ts";
import { ApiError } from "../../src/model/api_error.ts";
import { isRoleAtLeast } from "../../src/model/domain/member_access_rules.ts";
import { formatId, newUuid, parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { ROLES, type Role } from "../../src/model/tables/member.ts";
import type { SessionOperation } from "../../src/operation/define_operation.ts";
import type { Caller, MemberCaller } from "../../src/store/handler_context.ts";
import { HttpVisitor } from "../support/console_site.ts";
import { createMemberSession, SILENT_LOG } from "../support/member_sessions.ts";
import { Authenticator } from "../support/passkey_authenticator.ts";
import { HTML } from "../support/sample_files.ts";
import { computeTotp } from "../support/totp_codes.ts";
import { World } from "../support/world.ts";

const PERSON = { name: "Owner", email: "owner@example.org", password: "correct horse battery" };

/** Browsers make passkeys for names alone. */
const URL_OF_IT = "https://belfry.example";

let world: World;
let owner: HttpVisitor;
/** The first workspace's owner, by a real session. */
let caller: MemberCaller;
let people = 0;

/** The lines of the service's log. */
const logged: any[] = [];
const logTo = new Writable({
  write(chunk, _encoding, done) {
    for (const line of String(chunk).split("\n").filter(Boolean)) logged.push(JSON.parse(line));
    done();
  },
});

const em = () => world.service.orm.em.fork();
const member = async (workspace = world.workspace.id) =>
  (await addWorkspaceMember(em(), { workspace, email: `p${++people}@example.org`, role: "viewer" })).id;
const key = async (workspace = world.workspace.id) =>
  (await createKey(em(), { workspace, scopes: "pushers:read" }, new Date())).id;
const file = async (of = caller) => (await session("upload_file", fileArgs(), of)).id as string;
const fileArgs = () => ({ kind: "html", file: new IncomingFile([HTML], "tides.html") });
async function connection(userId = caller.person.id, memberId = caller.member.id): Promise<string> {
  const id = newUuid();
  await world.sql("insert into connection (id, user_id, client_id, member_id, scopes) values (?, ?, ?, ?, '{}')", [
    id,
    userId,
    id,
    memberId,
  ]);
  return formatId("con", id);
}
async function openSession(): Promise<string> {
  await secondFactor("off");
  await new HttpVisitor(world, URL_OF_IT).post("/console/sign-in", PERSON);
  const [{ id }] = await world.sql(`select id from auth.session order by "createdAt" desc limit 1`);
  return id;
}
/** A handset that the person linked, one at a time. */
async function ownDevice(of = caller, ...handles: string[]): Promise<string> {
  await world.sql("delete from test_device where user_id = ?", [of.person.id]);
  const { url } = await session("link_own_device", {}, { person: of.person });
  const token = await world.device(...handles);
  await world.handset("PUT", "/devices/me/owner", token, { code: url.split("#own=")[1] });
  return (await session("list_own_devices", {}, { person: of.person })).data[0].id;
}
/** An endpoint without a receiver, one at a time in a workspace. */
async function webhook(of: { workspace: { id: string }; member: { id: string } } = caller): Promise<string> {
  await world.sql("delete from webhook_endpoint where workspace_id = ?", [of.workspace.id]);
  const id = newUuid();
  await world.sql(
    `insert into webhook_endpoint (id, workspace_id, member_id, url, events, secret)
     values (?, ?, ?, 'https://example.org/', '{alert.sent}', '')`,
    [id, of.workspace.id, of.member.id],
  );
  return formatId("whk", id);
}
/** A delivery of the workspace's endpoint. */
async function delivery(of: { workspace: { id: string } } = caller): Promise<string> {
  const id = newUuid();
  await world.sql(
    `insert into webhook_delivery (id, endpoint_id, event, body)
     select ?, id, 'alert.sent', '{"event": "alert.sent"}' from webhook_endpoint where workspace_id = ?`,
    [id, of.workspace.id],
  );
  return formatId("dlv", id);
}
const present = PERSON.password;
/** Brings the owner's second factor into a state; begun, it answers the code that turns it on. */
async function secondFactor(state: "off" | "begun" | "on"): Promise<string> {
  if ((await session("get_sign_in", {})).second_factor) await session("end_second_factor", { present });
  if (state === "off") return "";
  const code = await computeTotp((await session("begin_second_factor", { present })).uri);
  if (state === "on") await session("confirm_second_factor", { code });
  return code;
}
async function newPasskey() {
  const { options } = await session("begin_passkey", { present });
  return new Authenticator(URL_OF_IT).create(options);
}
const wish = { role: "viewer", every_channel: true, pusher_ids: [] };
const grant = () => ({ grant_id: randomUUID(), client_id: newUuid(), pusher_id: null, scopes: [] });

/** Arguments with which the owner's call succeeds. A new operation needs a line here. */
const READY: Record<string, () => Promise<Record<string, unknown>> | Record<string, unknown>> = {
  list_keys: () => ({}),
  list_failing_senders: () => ({}),
  list_sender_requests: async () => ({ key_id: await key() }),
  create_key: () => ({ name: "k", scopes: ["pushers:read"], pusher_id: null, life: "7d" }),
  list_key_dependents: async () => ({ key_id: await key() }),
  update_key: async () => ({ key_id: await key(), requires_approval: true }),
  revoke_key: async () => ({ key_id: await key() }),
  list_members: () => ({}),
  add_member: () => ({ ...wish, email: `p${++people}@example.org` }),
  update_member: async () => ({ ...wish, member_id: await member() }),
  link_member: async () => ({ member_id: await member(), present }),
  remove_member: async () => ({ member_id: await member() }),
  list_connections: () => ({}),
  list_grants: () => ({ client_id: "any" }),
  grant_connection: grant,
  update_connection: async () => ({ connection_id: await connection(), requires_approval: true }),
  end_connection: async () => ({ connection_id: await connection() }),
  list_sessions: () => ({}),
  end_session: async () => ({ session_id: await openSession() }),
  get_service_state: () => ({}),
  get_sign_in: () => ({}),
  begin_second_factor: async () => {
    await secondFactor("off");
    return { present };
  },
  confirm_second_factor: async () => ({ code: await secondFactor("begun") }),
  renew_recovery_codes: async () => {
    await secondFactor("on");
    return { present };
  },
  end_second_factor: async () => {
    await secondFactor("on");
    return { present };
  },
  begin_oidc_connection: () => ({ present }),
  remove_oidc_connection: () => ({ present }),
  begin_passkey: () => ({ present }),
  add_passkey: async () => ({ name: "Laptop", answer: await newPasskey() }),
  remove_passkey: async () => ({
    passkey_id: (await session("add_passkey", { name: "Laptop", answer: await newPasskey() })).id,
  }),
  list_own_workspaces: () => ({}),
  open_reviews: () => ({}),
  mail_drafts: () => ({ wants_draft_emails: true }),
  update_profile: () => ({ name: PERSON.name }),
  create_workspace: async () => {
    await world.sql("delete from workspace where name = 'Mine'");
    return { name: "Mine" };
  },
  rename_workspace: () => ({ name: "Renamed" }),
  get_retention: () => ({}),
  set_retention: () => ({ retention_days: 30 }),
  leave_workspace: () => ({}),
  close_account: () => ({ present }),
  change_password: () => ({ present: PERSON.password, next: PERSON.password }),
  list_files: () => ({}),
  upload_file: fileArgs,
  delete_file: async () => ({ file_id: await file() }),
  list_occurrences_generated_until: async () => {
    const pusher = await world.pusher();
    return { alert_ids: [(await world.alert(pusher.id)).id] };
  },
  list_alert_changes: async () => {
    const pusher = await world.pusher();
    return { pusher_id: pusher.id, alert_id: (await world.alert(pusher.id)).id };
  },
  count_alert_reports: async () => ({ alert_ids: [] }),
  list_alert_writers: async () => ({ alert_ids: [] }),
  name_audit_subjects: async () => ({ subject_ids: [] }),
  find_equal_send: async () => ({ pusher_id: (await world.pusher()).id, once: null, fields: { title: "x" } }),
  count_push_reachable_devices: async () => ({ pusher_id: (await world.pusher()).id }),
  update_webhook: async () => ({ webhook_id: await webhook(), paused: true }),
  get_delivery: async () => ({ webhook_id: await webhook(), delivery_id: await delivery() }),
  list_own_devices: () => ({}),
  link_own_device: () => ({}),
  unlink_own_device: async () => ({ device_id: await ownDevice() }),
  test_alert: async () => {
    const pusher = await world.pusher();
    await ownDevice(caller, pusher.handle);
    return { pusher_id: pusher.id, alert_id: (await world.alert(pusher.id)).id };
  },
  decline_alert: async () => {
    const pusher = await world.pusher();
    const alert = await world.alert(pusher.id);
    return { pusher_id: pusher.id, alert_id: alert.id, review_reply: "Not yet." };
  },
};

/** An operation that ends its own subject runs for a separate one. */
const ENDING = ["leave_workspace", "close_account"];

/**
 * Something of another workspace or person, by the argument that would name it. An argument `…_id` needs a line here.
 */
const FOREIGN: Record<string, (other: MemberCaller) => Promise<string>> = {
  key_id: ({ workspace }) => key(formatId("wsp", workspace.id)),
  member_id: ({ workspace }) => member(formatId("wsp", workspace.id)),
  connection_id: ({ person, member }) => connection(person.id, member.id),
  session_id: async ({ person }) =>
    (await world.sql(`select id from auth.session where "userId" = ?`, [person.id]))[0].id,
  file_id: file,
  device_id: (other) => ownDevice(other),
  webhook_id: webhook,
  delivery_id: async (other) => {
    await webhook(other);
    return delivery(other);
  },
  passkey_id: async ({ person }) => {
    const values = [`passkey${++people}`, person.id];
    await world.sql(
      `insert into auth.passkey (id, "userId", "publicKey", "credentialID", counter, "deviceType", "backedUp")
        values (?, ?, '', '', 0, 'singleDevice', false)`,
      values,
    );
    return values[0]!;
  },
  pusher_id: async ({ workspace }) => {
    const foreign = await world.key({ workspace: formatId("wsp", workspace.id) });
    return (await world.pusher({}, foreign)).id;
  },
  alert_id: async ({ workspace }) => {
    const foreign = await world.key({ workspace: formatId("wsp", workspace.id) });
    const pusher = await world.pusher({}, foreign);
    const alert = { pusher_id: pusher.id, title: "Theirs" };
    return (await world.rest("create_alert", alert, foreign)).body.id;
  },
};
/** Names nothing that is looked up. */
const FREE_IDS = ["client_id", "grant_id"];
const idsOf = ({ input }: SessionOperation): string[] =>
  Object.keys(input.shape).filter((name) => name.endsWith("_id") && !FREE_IDS.includes(name));

const operationOf = (name: string) => SESSION_OPERATIONS.find((operation) => operation.name === name)!;
const session = (name: string, args: unknown, by: unknown = caller): Promise<any> =>
  world.service.dispatcher.runSession(operationOf(name), by as never, { args, log: SILENT_LOG });

/** The operations of a kind, with their names. */
const named = (wanted: (operation: SessionOperation) => unknown) =>
  SESSION_OPERATIONS.filter(wanted).map((operation) => [operation.name, operation] as const);

/** The refusal of a call. */
async function refused(name: string, args: unknown, by: unknown = caller) {
  const error = await session(name, args, by).then(
    () => new Error(`${name} was not refused`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw error;
  return { status: error.status, ...error.toEnvelope().error };
}

async function person(email: string, workspace = world.workspace.id): Promise<MemberCaller> {
  const { id } =
    (await world.sql("select id from member where email = ?", [email]))[0] ??
    (await addWorkspaceMember(em(), { workspace, email, role: "owner" }));
  const row = parseIdOrNull("mem", id) ?? id;
  const visitor = new HttpVisitor(world, URL_OF_IT);
  await visitor.join(await world.service.people.newLink(row), { ...PERSON, email });
  if (email === PERSON.email) owner = visitor;
  const [{ user_id }] = await world.sql("select user_id from member where id = ?", [row]);
  const [{ id: sessionId }] = await world.sql(`select id from auth.session where "userId" = ?`, [user_id]);
  return createMemberSession(world, user_id, parseIdOrNull("wsp", workspace)!, sessionId);
}

beforeAll(async () => {
  const oidc = { OIDC_ISSUER: "https://id.example", OIDC_CLIENT_ID: "belfry", OIDC_CLIENT_SECRET: "a secret" };
  world = await World.open({ logTo, settings: { LOG_LEVEL: "info", PUBLIC_URL: URL_OF_IT, ...oidc } });
  caller = await person(PERSON.email);
});
afterAll(() => world?.close());

test("each operation is exported under its name by one file, and is in the list", async () => {
  const folder = new URL("../../src/identity/session/", import.meta.url);
  const files = readdirSync(folder).filter((name) => name !== "index.ts");
  const exported: string[] = [];
  for (const file of files) {
    const all = Object.entries<object>(await import(new URL(file, folder).href));
    for (const [name, operation] of all.filter(([, one]) => "handler" in one)) {
      expect(operation, `${file} exports it as ${name}`).toHaveProperty("name", name);
      exported.push(name);
    }
  }
  const listed = SESSION_OPERATIONS.map(({ name }) => name);
  expect(listed.toSorted(), "is not in src/identity/session/index.ts").toEqual(exported.toSorted());
  const others = [...OPERATIONS, ...HANDSET_OPERATIONS].map(({ name }) => name);
  expect(
    listed.filter((name) => others.includes(name)),
    "is another list's name",
  ).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
});

describe.each(named(() => true))("%s", (name, op) => {
  test("its record is complete", () => {
    expect(Object.keys(READY), `give ${name} a line in READY (test/console/session_operations.test.ts)`).toContain(
      name,
    );
    for (const id of idsOf(op))
      expect(Object.keys(FOREIGN), `give ${id} a line in FOREIGN (test/console/session_operations.test.ts)`).toContain(
        id,
      );
    expect(op.title.trim()).not.toBe("");
    expect(op.description.length).toBeGreaterThan(20);
    expect(op.description).toMatch(/\.$/);
    expect(op.role === null, `${name}: role is null for auth "person", and a role for auth "member"`).toBe(
      op.auth === "person",
    );
    // Nothing by which a transport could serve it or a credential could carry it.
    for (const part of ["http", "scope", "hints", "creates"])
      expect(Object.hasOwn(op, part), `${name} is session-only: it has no ${part}`).toBe(false);
    expect(op.input._zod.def.catchall?._zod.def.type, `${name}: its input is one strict object`).toBe("never");
    const needs = ["invalid_request", "forbidden"];
    if (idsOf(op).length > 0) needs.push("not_found");
    if (op.stepUp || op.limit) needs.push("rate_limited");
    for (const error of needs) expect(op.errors, `${name} declares ${error} in errors`).toContain(error);
    if (op.stepUp) expect(Object.keys(op.input.shape), `${name}: stepUp names an argument`).toContain(op.stepUp);
  });

  test("it runs for the signed-in owner, and the log shows it", async () => {
    const notes: object[] = [];
    const log = { ...SILENT_LOG, note: (fields: object) => notes.push(fields) };
    const args = await READY[name]!();
    const who = ENDING.includes(name) ? await person(`ending${++people}@example.org`) : caller;
    const by = op.auth === "person" ? { person: who.person } : who;
    const answer = await world.service.dispatcher.runSession(op, by, { args, log });
    expect(op.output.parse(answer)).toEqual(answer);
    expect(notes).toEqual([{ caller: `session:${who.person.id}`, operation: name }]);
  });

  // rules#signed-in-operations
  test("no key and no access token may call it, of any owner", async () => {
    const args = await READY[name]!();
    const { person: _, ...keyless } = caller;
    for (const type of ["key", "oauth"] as const) {
      const credential = { ...caller.credential, type };
      for (const by of [{ ...keyless, credential } satisfies Caller, { ...caller, credential }])
        expect(await refused(name, args, by)).toMatchObject({
          type: "forbidden",
          message: "Only a person who is signed in to the console can do this.",
        });
    }
    // A person who is not a member there is not found through the workspace either.
    if (op.auth === "member")
      expect(await refused(name, args, { person: caller.person })).toMatchObject({ type: "forbidden" });
  });
});

test.each(named(({ role }) => role !== null))("%s requires its role before it reads any row", async (name, op) => {
  for (const role of ROLES.filter((one) => !isRoleAtLeast(one, op.role as Role))) {
    const by = { ...caller, member: { ...caller.member, role } };
    const args = await READY[name]!();
    const ids = Object.fromEntries(idsOf(op).map((id) => [id, "no id"]));
    for (const some of [args, { ...args, ...ids }])
      expect(await refused(name, some, by)).toMatchObject({
        type: "forbidden",
        message: `This requires the role ${op.role} or higher. Your role is ${role}.`,
      });
  }
});

test.each(named((op) => idsOf(op).length > 0))(
  "%s: what is another's answers as what is not there",
  async (name, op) => {
    const elsewhere = await world.foreignKey().then(async () => {
      const [{ id }] = await world.sql("select id from workspace order by created_at desc limit 1");
      return person(`other${++people}@example.com`, formatId("wsp", id));
    });
    const args = await READY[name]!();
    for (const id of idsOf(op)) {
      const foreign = await FOREIGN[id]!(elsewhere);
      const answers = [];
      for (const value of [foreign, missing(foreign), "no id", ""])
        answers.push(await refused(name, { ...args, [id]: value }));
      expect(answers[0]).toMatchObject({ status: 404, type: "not_found" });
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    }
  },
);

/** An id of the same kind that nothing has. */
function missing(id: string): string {
  const kind = /^([a-z]{3})_/.exec(id)?.[1];
  return kind ? formatId(kind as "key", newUuid()) : "a".repeat(id.length);
}

test.each(named(({ stepUp }) => stepUp))(
  "%s requires the password again, names every wrong field, and limits attempts",
  async (name, op) => {
    // rules#password-again
    const by = await person(`careful${++people}@example.org`);
    const args = { ...(await READY[name]!()), [String(op.stepUp)]: "not the password" };
    const before = await world.sql(`select password from auth.account where "userId" = ?`, [by.person.id]);
    for (let attempt = 1; attempt <= 8; attempt++)
      expect(await refused(name, args, by)).toMatchObject({
        type: "invalid_request",
        param: op.stepUp,
        message: "The current password is incorrect.",
      });
    // Counted by dispatch before the handler: the right one also waits.
    expect((await refused(name, await READY[name]!(), by)).type).toBe("rate_limited");
    expect(await world.sql(`select password from auth.account where "userId" = ?`, [by.person.id])).toEqual(before);
  },
);

test("no transport serves them: REST, MCP and OpenAPI have tools only, and pages take no bearer", async () => {
  const names = SESSION_OPERATIONS.map(({ name }) => name);
  const served = world.service.app.routes.map(({ route }) => route ?? "");
  const api = new Set(OPERATIONS.map(({ http }) => http.path.replace(/\{(\w+)\}/g, ":$1")));
  const beside = /^\/api\/v1\/(openapi(-named)?\.json|docs|pushers\/:id\/ingest(\/api\/v2\/alerts)?$)|^\/api\/auth/;
  expect(served.filter((route) => /^\/api/.test(route) && !api.has(route) && !beside.test(route))).toEqual([]);
  const document = JSON.stringify(
    createOpenApiDocument(OPERATIONS, HANDSET_OPERATIONS, { publicUrl: "http://localhost" }),
  );
  for (const name of names) {
    expect(document).not.toContain(`"${name}"`);
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } };
    const headers = { accept: "application/json, text/event-stream" };
    const over = { token: world.owner, headers, body: JSON.stringify(message) };
    const { body } = await world.request("POST", "/mcp", over);
    expect(body.result?.isError ?? body.error !== undefined, name).toBe(true);
    for (const path of [`/api/v1/${name}`, `/api/v1/${name.replaceAll("_", "-")}`, `/api/v1/session/${name}`])
      expect((await world.request("POST", path, { token: world.owner, body: "{}" })).status).toBe(404);
  }
  // A key opens no page and no upload, regardless of its permissions.
  const authorization = `Bearer ${world.owner}`;
  const ask = (path: string, init: RequestInit = {}) =>
    world.service.app.fetch(
      new Request(`${URL_OF_IT}${path}`, { ...init, headers: { authorization, ...init.headers } }),
    );
  const base = `/console/${world.workspace.id}/`;
  for (const path of [`${base}keys`, `${base}members`, `${base}files`, "/console/account"])
    expect((await ask(path)).headers.get("location")).toContain("/console/sign-in");
  const origin = URL_OF_IT;
  const type = "application/x-www-form-urlencoded";
  const forms = { method: "POST", headers: { origin, "content-type": type }, body: "name=k&scope=pushers:read" };
  expect((await ask(`${base}keys`, forms)).status).toBe(401);
  expect((await ask("/console/assets")).status).toBe(401);
});

test("a manager who was demoted in the meantime, and one of certain channels, are judged by the rows", async () => {
  const pusher = await world.pusher();
  const stranger = await member();
  const demoted = await person(`demoted${++people}@example.org`);
  await world.sql("update member set role = 'viewer' where id = ?", [demoted.member.id]);
  expect((await refused("remove_member", { member_id: stranger }, demoted)).type).toBe("forbidden");
  const narrow = await person(`narrow${++people}@example.org`);
  const only = [parseIdOrNull("psh", pusher.id)!];
  await world.sql("update member set role = 'admin', pusher_ids = ? where id = ?", [
    `{${only.join()}}`,
    narrow.member.id,
  ]);
  // A member whom the manager does not see is not found, and neither are that member's rows.
  const gone = await refused("link_member", { member_id: missing(stranger), present }, narrow);
  expect(await refused("link_member", { member_id: stranger, present }, narrow)).toEqual(gone);
  const by = { ...narrow, member: { ...narrow.member, role: "admin" as const, pusherIds: only }, pusherIds: only };
  expect(await refused("revoke_key", { key_id: await key() }, by)).toEqual(
    await refused("revoke_key", { key_id: "no id" }, by),
  );
  expect((await session("list_keys", {}, by)).data).toEqual([]);
  // rules#webhook-payload: of an endpoint of its own, the payloads of its channels and of tests.
  const webhook_id = await webhook(by);
  const log = async (event: string, pusher_id: string) => {
    const delivery_id = await delivery();
    const body = JSON.stringify({ event, data: { pusher_id } });
    await world.sql("update webhook_delivery set event = ?, body = ? where id = ?", [
      ...[event, body, parseIdOrNull("dlv", delivery_id)],
    ]);
    return { webhook_id, delivery_id };
  };
  const other = await log("alert.sent", (await world.pusher()).id);
  expect(await refused("get_delivery", other, by)).toEqual(
    await refused("get_delivery", { webhook_id, delivery_id: formatId("dlv", newUuid()) }, by),
  );
  for (const seen of [await log("alert.sent", pusher.id), await log("webhook.test", "psh_none")])
    expect((await session("get_delivery", seen, by)).id).toBe(seen.delivery_id);
});

test("a page shows dispatch's refusal in the terms of the form, and the log names the request", async () => {
  const from = `/console/${world.workspace.id}/keys`;
  const answer = await owner.post(from, { name: "k", life: "7d" }, { from });
  expect(answer.status).toBe(422);
  expect(answer.text).toContain('id="scope-wrong"');
  // The page also listed keys and channels.
  const line = logged.findLast(({ method, path }) => method === "POST" && path === from);
  expect(line).toMatchObject({ operation: "create_key", caller: `session:${caller.person.id}`, status: 422 });
});
