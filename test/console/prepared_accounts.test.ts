// An account that was prepared for another person gives its creator no access. Its earlier sessions and keys end with a
// new password by a link. It enters no second workspace before its address was proved. Without a browser.

import { afterAll, beforeAll, expect, test } from "vitest";
import { createMemberLink } from "../../src/identity/auth/one_time_links.ts";
import { addWorkspaceMember, createEmptyWorkspace } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { formatId, parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { HttpVisitor, OWNER, signInOwner } from "../support/console_site.ts";
import { MailServer } from "../support/mail_server.ts";
import { WAIT } from "../support/wait.ts";
import { World } from "../support/world.ts";

const THEIRS = "correct horse battery";
const OWN = "quite another password";
const LINK = /http:\/\/[^\s<]+welcome#[\w-]{43}/;

let world: World;
let mails: MailServer;
/** An owner of the world's first workspace. */
let maker: HttpVisitor;
let people = 0;

beforeAll(async () => {
  mails = await MailServer.open();
  world = await World.open({ settings: { SMTP_URL: mails.url } });
  maker = await signInOwner(world);
});
afterAll(async () => {
  await world?.close();
  mails?.close();
});

const em = () => world.service.orm.em.fork() as never;
const join = (link: string, password: string, on = new HttpVisitor(world)) =>
  on.join(link, { name: "Iris Vale", email: "", password });
const signIn = async (email: string, password: string) =>
  (await new HttpVisitor(world).post("/console/sign-in", { email, password })).status;
const account = async (email: string) => (await world.sql(`select * from auth."user" where email = ?`, [email]))[0];
const countOf = async (table: string, userId: string) =>
  (await world.sql(`select count(*)::int as n from auth."${table}" where "userId" = ?`, [userId]))[0].n;

/** The owner adds an address and follows the link that is shown. */
async function madeReady() {
  const email = `ready${++people}@example.org`;
  const from = `/console/${world.workspace.id}/members`;
  const added = await maker.post(from, { email, role: "viewer", sees: "all" });
  expect(added.status).toBe(200);
  const visitor = new HttpVisitor(world);
  expect((await join(LINK.exec(added.text)![0], THEIRS, visitor)).status).toBe(303);
  const { id } = await account(email);
  await world.sql(
    `insert into auth.passkey (id, name, "publicKey", "userId", "credentialID", counter, "deviceType", "backedUp",
      "createdAt")
      values (?, 'Theirs', 'key', ?, ?, 0, 'singleDevice', false, now())`,
    [id, id, id],
  );
  await world.sql(
    `insert into auth."twoFactor" (id, secret, "backupCodes", "userId", verified) values (?, 's', 'c', ?, true)`,
    [id, id],
  );
  await world.sql("insert into test_device (id, user_id) values (gen_random_uuid(), ?)", [id]);
  return { email, id, visitor, added };
}

/** A link of another workspace, whose manager has added the address. */
async function invitedElsewhere(email: string) {
  const workspace = (await createEmptyWorkspace(em(), { name: "Elsewhere" })).id;
  const row = parseIdOrNull("mem", (await addWorkspaceMember(em(), { workspace, email, role: "viewer" })).id)!;
  const link = await createMemberLink(em(), "http://localhost:8787", row, "manager");
  const joined = async () => (await world.sql("select user_id from member where id = ?", [row]))[0].user_id !== null;
  return { row, link, joined };
}

// rules#proved-address
test("a manager who adds a member sees whose link it is, and what following it means", async () => {
  const { added } = await madeReady();
  expect(added.text).toContain("Do not open it yourself");
  expect(added.text).toContain("becomes this member");
});

// rules#link-resets
test("a new password by a link removes passkeys, second step and sessions from before, and reports it", async () => {
  const { email, id, visitor } = await madeReady();
  await new HttpVisitor(world).post("/console/forgot", { email });
  const asked = (text: string) => text.includes(`To: ${email}\n`) && text.includes("password reset was requested");
  await expect.poll(() => mails.taken.some(asked), WAIT).toBe(true);
  const mailed = mails.linkTo(email)!;
  expect((await new HttpVisitor(world).open(mailed)).text).toContain(
    "This ends every session of this account and removes its passkeys and two-factor authentication.",
  );
  const own = new HttpVisitor(world);
  expect((await join(mailed, OWN, own)).status).toBe(303);
  const { text } = await own.get(`/console/${world.workspace.id}/`);
  expect(text).toContain("Your other sessions were ended and your passkeys were removed");
  expect([await countOf("passkey", id), await countOf("twoFactor", id)]).toEqual([0, 0]);
  expect(await countOf("session", id)).toBe(1);
  expect(await world.sql("select from test_device where user_id = ?", [id])).toEqual([]);
  expect(await account(email)).toMatchObject({ emailVerified: true, twoFactorEnabled: false });
  expect((await visitor.get("/console")).headers.get("location")).toBe("/console/sign-in");
  expect([await signIn(email, THEIRS), await signIn(email, OWN)]).toEqual([401, 303]);
});

// rules#proved-address
test("an account whose address was never proved enters no second workspace, and then it does", async () => {
  const { email } = await madeReady();
  const { link, joined } = await invitedElsewhere(email);
  for (const answer of [await new HttpVisitor(world).open(link), await join(link, THEIRS)]) {
    expect(answer.status).toBe(403);
    expect(answer.text).toContain("Verify your e-mail address");
  }
  expect(await joined()).toBe(false);
  await world.sql(`update auth."user" set "emailVerified" = true where email = ?`, [email]);
  await world.sql(`delete from auth."twoFactor"`);
  expect((await join(link, THEIRS)).status).toBe(303);
  expect(await joined()).toBe(true);
});

// rules#proved-address
test("the operator vouches for a person, and a manager's link takes a proof away", async () => {
  const { email } = await madeReady();
  const { row, joined } = await invitedElsewhere(email);
  const vouched = await createMemberLink(em(), "http://localhost:8787", row, "operator");
  expect((await join(vouched, OWN)).status).toBe(303);
  expect([await joined(), (await account(email)).emailVerified]).toEqual([true, true]);

  const other = await madeReady();
  await world.sql(`update auth."user" set "emailVerified" = true where id = ?`, [other.id]);
  const [{ id }] = await world.sql("select id from member where user_id = ?", [other.id]);
  const handed = await createMemberLink(em(), "http://localhost:8787", id, "manager");
  expect((await join(handed, OWN)).status).toBe(303);
  expect((await account(other.email)).emailVerified).toBe(false);
  // It was proved before, so a link alone does not pass the second step. Passkeys pass it, so they are deleted.
  expect([await countOf("passkey", other.id), await countOf("twoFactor", other.id)]).toEqual([0, 1]);
});

// rules#link-resets
test("the second step of a proved account protects every link, by mail and of a manager", async () => {
  const { id, email } = await madeReady();
  await world.sql(`update auth."user" set "emailVerified" = true, "twoFactorEnabled" = true where id = ?`, [id]);
  const [{ id: row }] = await world.sql("select id from member where user_id = ?", [id]);
  for (const by of ["manager", "manager", "person", "operator"] as const) {
    const link = await createMemberLink(em(), "http://localhost:8787", row, by);
    const reader = new HttpVisitor(world);
    const { headers } = await join(link, OWN, reader);
    expect(headers.get("location")).toContain("/console/sign-in/code");
    expect((await reader.get("/console/account")).headers.get("location")).toContain("sign-in");
    expect(await account(email)).toMatchObject({ emailVerified: true, twoFactorEnabled: true });
    expect([await countOf("twoFactor", id), await countOf("passkey", id)]).toEqual([1, 0]);
  }
});

// rules#proved-address
test("the address that a first owner chooses is proved by nothing", async () => {
  const workspace = (await createEmptyWorkspace(em(), { name: "First" })).id;
  const wish = { workspace, email: "owner@localhost", role: "owner" };
  const row = parseIdOrNull("mem", (await addWorkspaceMember(em(), wish)).id)!;
  const link = await createMemberLink(em(), "http://localhost:8787", row, "operator");
  const email = "chosen@example.org";
  expect((await new HttpVisitor(world).join(link, { name: "First", email, password: THEIRS })).status).toBe(303);
  expect((await account(email)).emailVerified).toBe(false);
});

// rules#password-again
test("a session alone makes no link, and no person makes their own", async () => {
  const { email } = await madeReady();
  const members = await world.sql("select id, email from member where email in (?, ?)", [email, OWNER.email]);
  const idOf = (address: string) => formatId("mem", members.find((row: any) => row.email === address).id);
  const from = `/console/${world.workspace.id}/members`;
  const make = (address: string, present: string) =>
    maker.post(`${from}/${idOf(address)}/link`, { present }, { from: `${from}/${idOf(email)}` });
  const without = await make(email, "not it");
  expect(without.status).toBe(422);
  expect(without.text).toContain("The current password is incorrect.");
  expect(without.text).not.toMatch(LINK);
  expect((await make(email, OWNER.password)).text).toMatch(LINK);
  const own = await make(OWNER.email, OWNER.password);
  expect(own.status).toBe(403);
  expect(own.text).toContain("This is your own account");
  expect((await maker.get(`${from}/${idOf(OWNER.email)}`)).text).toContain('href="/console/account"');
});
