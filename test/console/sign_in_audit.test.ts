// Sign-ins leave lines in the audit log of each workspace of the account: signing in, links, and failed attempts of
// both. A stranger can neither fill the log nor learn from it, and it contains nothing that was typed.

import { afterAll, beforeAll, expect, test } from "vitest";
import { createMemberLink } from "../../src/identity/auth/one_time_links.ts";
import {
  addWorkspaceMember,
  createEmptyWorkspace,
  createKey,
} from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { name_audit_subjects } from "../../src/identity/session/subject_names.ts";
import { newUuid, parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { LIMITS } from "../../src/model/limits.ts";
import type { MemberCaller } from "../../src/store/handler_context.ts";
import { HttpVisitor, signInOwner } from "../support/console_site.ts";
import { MailServer } from "../support/mail_server.ts";
import { createOwnerSession, SILENT_LOG } from "../support/member_sessions.ts";
import { Authenticator } from "../support/passkey_authenticator.ts";
import { computeTotp, computeWrongTotp } from "../support/totp_codes.ts";
import { waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

const AT = "https://belfry.example";
const PASSWORD = "correct horse battery";
const OTHER = "quite another password";

let world: World;
let mails: MailServer;
let owner: HttpVisitor;
let people = 0;
let strangers = 0;
let minutes = 0;

beforeAll(async () => {
  mails = await MailServer.open();
  world = await World.open({
    settings: { PUBLIC_URL: AT, SMTP_URL: mails.url, WEBHOOK_ALLOW_HOSTS: "127.0.0.1" },
    limitNow: () => minutes * 60_000,
  });
  owner = await signInOwner(world, AT);
});
afterAll(async () => {
  await world?.close();
  mails?.close();
});

const em = () => world.service.orm.em.fork() as never;
const linkFor = (row: string, by: "operator" | "manager" = "operator") => createMemberLink(em(), AT, row, by);
const join = (link: string, password: string, on = new HttpVisitor(world, AT)) =>
  on.join(link, { name: "Iris Vale", email: "", password });

async function invited(workspace = world.workspace.id, email = `log${++people}@example.org`) {
  const { id } = await addWorkspaceMember(em(), { workspace, email, role: "viewer" });
  return { id, row: parseIdOrNull("mem", id)!, email };
}

async function joined() {
  const member = await invited();
  const visitor = new HttpVisitor(world, AT);
  expect((await join(await linkFor(member.row), PASSWORD, visitor)).status).toBe(303);
  return { ...member, visitor };
}

/** From a network of its own each time, as one who guesses from everywhere. */
const signIn = (email: string, password: string, on = new HttpVisitor(world, AT)) =>
  on.post("/console/sign-in", { email, password }, { address: `203.0.${++strangers >> 8}.${strangers & 255}` });

/** The lines about a member as its workspace's owner reads them, the oldest first. */
async function told(member: { id: string }): Promise<any[]> {
  const { data } = (await world.rest("list_audit_events", { limit: 100 })).body;
  return data
    .filter(({ actor, subject_id }: any) => actor.member_id === member.id || subject_id === member.id)
    .reverse();
}
const acts = async (member: { id: string }) =>
  (await told(member)).map(({ operation, status, count }) =>
    status === null ? operation : `${operation} ${status} ${count}`,
  );
const comesTo = (member: { id: string }, lines: string[]) => expect.poll(() => acts(member)).toEqual(lines);

// rules#audit-ways-in
test("an account made by a link, a sign-in and a sign-out are logged with their actor", async () => {
  const member = await joined();
  expect((await signIn(member.email, PASSWORD)).status).toBe(303);
  await member.visitor.post("/console/sign-out", {}, { from: "/console/account" });
  expect(await acts(member)).toEqual(["claim_account", "sign_in", "sign_out"]);
  for (const line of await told(member)) {
    expect(line.actor).toEqual({ type: "session", id: member.id, name: "Iris Vale", member_id: member.id });
    expect(line).toMatchObject({ transport: "console", subject_id: null, count: null });
  }
});

// rules#audit-ways-in
test("failed sign-ins are logged without an actor, and of many the 1st and the 10th within their time", async () => {
  const member = await joined();
  for (let i = 0; i < 12; i++) expect((await signIn(member.email, `a wrong one ${i}`)).status).toBe(401);
  await comesTo(member, ["claim_account", "sign_in failed 1", "sign_in failed 10"]);
  const [, line] = await told(member);
  expect(line.actor).toEqual({ type: "session", id: null, name: null, member_id: member.id });
  expect(line.subject_id).toBe(member.id);
  minutes += LIMITS.failed_runs_minutes + 1;
  expect((await signIn(member.email, "once more")).status).toBe(401);
  await comesTo(member, ["claim_account", "sign_in failed 1", "sign_in failed 10", "sign_in failed 1"]);
});

// rules#audit-ways-in
test("an unknown address leaves no line, and nothing that was typed is kept", async () => {
  const member = await joined();
  const lines = async () => world.sql("select * from audit_event");
  const before = (await lines()).length;
  expect((await signIn("nobody-at-all@example.org", "typed by a stranger")).status).toBe(401);
  expect((await signIn(member.email, "typed by a stranger")).status).toBe(401);
  await waitUntil(async () => (await lines()).length > before);
  const after = await lines();
  expect(after).toHaveLength(before + 1);
  expect(JSON.stringify(after)).not.toMatch(/typed by|nobody-at-all|203\.0\./);
});

// rules#audit-ways-in
test("each workspace of an account gets a line, and no other", async () => {
  const member = await joined();
  const elsewhere = (await createEmptyWorkspace(em(), { name: "Elsewhere" })).id;
  const second = await invited(elsewhere, member.email);
  expect((await join(await linkFor(second.row, "manager"), "not the password")).status).toBe(422);
  expect((await join(await linkFor(second.row, "manager"), PASSWORD)).status).toBe(303);
  expect((await signIn(member.email, PASSWORD)).status).toBe(303);
  const of = async (workspace: string, { row }: { row: string }) =>
    (
      await world.sql(
        "select operation from audit_event where workspace_id = ? and member_id = ? order by created_at, id",
        [parseIdOrNull("wsp", workspace), row],
      )
    )
      .map(({ operation }: any) => operation)
      .sort();
  expect(await of(elsewhere, second)).toEqual(["join_workspace", "sign_in"]);
  // The wrong password was tried on the account, which this workspace had let in.
  await expect.poll(() => of(world.workspace.id, member)).toEqual(["claim_account", "join_workspace", "sign_in"]);
});

// rules#audit-ways-in
test("a new password by mail is logged on request and when it is set, a spent link too", async () => {
  const member = await joined();
  const ask = () => new HttpVisitor(world, AT).post("/console/forgot", { email: member.email });
  expect((await ask()).status).toBe(200);
  const linkTo = () =>
    /https:\/\/\S+welcome#[\w-]{43}/.exec(
      mails.taken.findLast((text) => text.includes(`To: ${member.email}\n`)) ?? "",
    )?.[0];
  await waitUntil(() => linkTo() !== undefined);
  const link = linkTo()!;
  expect((await join(link, OTHER)).status).toBe(303);
  for (let i = 0; i < 3; i++) expect((await new HttpVisitor(world, AT).open(link)).status).toBe(404);
  await comesTo(member, ["claim_account", "ask_password_link", "reset_password", "follow_link failed 1"]);
  expect((await told(member))[1].actor.id).toBeNull();
});

// rules#audit-ways-in
test("a second factor and a passkey have different lines, right or wrong", async () => {
  const member = await joined();
  const { visitor } = member;
  const begun = await visitor.post(
    "/console/account/passkeys/begin",
    { present: PASSWORD },
    { from: "/console/account/passkeys/new" },
  );
  const device = new Authenticator(AT);
  const answer = JSON.stringify(device.create(JSON.parse(begun.text).options));
  await visitor.post(
    "/console/account/passkeys",
    { name: "Laptop", answer },
    { from: "/console/account/passkeys/new" },
  );
  const use = async (spoil: (shown: any) => void) => {
    const browser = new HttpVisitor(world, AT);
    const from = { from: "/console/sign-in" };
    const { options } = JSON.parse((await browser.post("/console/sign-in/passkey/begin", {}, from)).text);
    const shown = device.get(options);
    spoil(shown);
    return (await browser.post("/console/sign-in/passkey", { answer: JSON.stringify(shown) }, from)).status;
  };
  expect(await use(() => {})).toBe(303);
  expect(await use((shown) => (shown.response.signature = "AAAA"))).toBe(401);
  await waitUntil(async () => (await acts(member)).includes("sign_in_passkey failed 1"));

  const factor = "/console/account/second-factor";
  const page = await visitor.post(factor, { present: PASSWORD });
  const uri = /name="uri"\s+value="([^"]+)"/.exec(page.text)![1]!.replaceAll("&amp;", "&");
  await visitor.post(`${factor}/confirm`, { uri, code: await computeTotp(uri) }, { from: factor });
  const browser = new HttpVisitor(world, AT);
  expect((await signIn(member.email, PASSWORD, browser)).status).toBe(303);
  const show = async (code: string) =>
    (await browser.post("/console/sign-in/code", { code }, { from: "/console/sign-in" })).status;
  expect(await show(await computeWrongTotp(uri))).toBe(422);
  await waitUntil(async () => (await acts(member)).includes("sign_in_second_factor failed 1"));
  expect(await show(await computeTotp(uri, 1))).toBe(303);
  expect(await acts(member)).toEqual([
    "claim_account",
    "begin_passkey",
    "add_passkey",
    "sign_in_passkey",
    "sign_in_passkey failed 1",
    "begin_second_factor",
    "confirm_second_factor",
    "sign_in_second_factor failed 1",
    "sign_in_second_factor",
  ]);
});

// rules#audit-ways-in
test("the console's page shows it as text, and so does its file", async () => {
  const member = await joined();
  for (let i = 0; i < 10; i++) await signIn(member.email, "no");
  await comesTo(member, ["claim_account", "sign_in failed 1", "sign_in failed 10"]);
  const at = `/console/${world.workspace.id}/audit`;
  const { text } = await owner.get(at);
  const words = text.replace(/<[^>]*>/g, "");
  expect(words).toContain("Iris Vale created an account with a link");
  expect(words).toContain("Someone tried to sign in as Iris Vale failed 10 times in 15 minutes");
  expect(text).not.toContain(`<code>${member.id}`);
  expect((await owner.get(`${at}.csv`)).text).toMatch(/failed_runs,changed\r?\n/);
});

// rules#audit-log
test("subjects are named to those who see them", async () => {
  const caller = await createOwnerSession(world);
  const [{ id: pusher_id }, { id: hidden }] = [await world.pusher(), await world.pusher()];
  const { id: alert } = await world.alert(pusher_id, { title: "High tide" });
  const { body: invite } = await world.rest("create_invite", { pusher_id, label: "Crew" });
  const url = "https://127.0.0.1:1/";
  const { body: hook } = await world.rest("create_webhook", { url, events: ["alert.sent"] });
  const { id: member, email } = await invited();
  const { id: key } = await createKey(
    em(),
    { workspace: world.workspace.id, scopes: "all", name: "Robot" },
    new Date(),
  );
  const named = async (by: MemberCaller) => {
    const args = { subject_ids: [alert, invite.id, hook.id, member, key, "lost"] };
    const { data } = await world.service.dispatcher.runSession(name_audit_subjects, by, { args, log: SILENT_LOG });
    return Object.fromEntries(data.map(({ id, name }) => [id, name]));
  };
  const inChannel = { [alert]: "High tide", [invite.id]: "Crew" };
  expect(await named(caller)).toEqual({ ...inChannel, [hook.id]: url, [member]: email, [key]: "Robot" });
  const of = (id: string): MemberCaller => ({ ...caller, pusherIds: [parseIdOrNull("psh", id)!] });
  expect(await named(of(pusher_id))).toEqual(inChannel);
  expect(await named(of(hidden))).toEqual({});
  const editor = { ...caller, member: { ...caller.member, role: "editor" as const } };
  expect(await named(editor)).toEqual({ ...inChannel, [hook.id]: url });
  expect(await named({ ...caller, workspace: { ...caller.workspace, id: newUuid() } })).toEqual({});
});

// rules#audit-log
test("the console's page and its file name the fields that an edit changed", async () => {
  const { id: pusher_id } = await world.pusher();
  const { id: alert_id } = await world.alert(pusher_id);
  await world.rest("update_alert", { pusher_id, alert_id, title: "Low tide", body: "At six." });
  const at = `/console/${world.workspace.id}/audit`;
  const { text } = await owner.get(at);
  // The page has the present title of the alert, and the log has no texts.
  expect(text).toContain(`/alerts/${alert_id}" title="${alert_id}"><bdi>Low tide</bdi></a>: title and text</span>`);
  expect(text).not.toContain("At six.");
  const { text: file } = await owner.get(`${at}.csv`);
  expect(file).toContain(",title body\r\n");
  expect(file).not.toContain("Low tide");
  await world.rest("delete_pusher", { pusher_id });
  expect((await owner.get(at)).text).toContain(`A deleted channel <code class="small" title="${pusher_id}">psh_…`);
});
