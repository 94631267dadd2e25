// One-time links. They name their address. One of simultaneous claims wins. An account is created with its member or
// not at all. A lost password is reset for the same address. A link that no longer works shows the reason. Without a
// browser.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMemberLink } from "../../src/identity/auth/one_time_links.ts";
import { addWorkspaceMember, createEmptyWorkspace } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { HttpVisitor } from "../support/console_site.ts";
import { MailServer } from "../support/mail_server.ts";
import { World } from "../support/world.ts";

// Every password costs its time on purpose, and the machine may be busy.

const PASSWORD = "correct horse battery";
const OTHER = "quite another password";

describe("one-time links", () => {
  let world: World;
  let mails: MailServer;
  let owner: HttpVisitor;
  let people = 0;

  const em = () => world.service.orm.em.fork() as never;
  const visitor = () => new HttpVisitor(world);
  const count = async (what: string, parameters: unknown[] = []) =>
    (await world.sql(`select count(*)::int as n from ${what}`, parameters))[0].n as number;

  /** A member who has not joined yet; the row's id. */
  async function invited(email = `p${++people}@example.org`, workspace = world.workspace.id, role = "viewer") {
    const member = await addWorkspaceMember(em(), { workspace, email, role });
    return { row: parseIdOrNull("mem", member.id)!, id: member.id, email };
  }
  const link = (row: string, by: "operator" | "manager" | "person" = "operator") =>
    createMemberLink(em(), "http://localhost:8787", row, by);
  const signIn = async (email: string, password: string, on = visitor()) =>
    (await on.post("/console/sign-in", { email, password })).status;
  /** A joined member with a session. */
  async function joined(workspace = world.workspace.id, role = "viewer") {
    const member = await invited(undefined, workspace, role);
    const session = visitor();
    const answer = await session.join(await link(member.row), { name: "Iris Vale", email: "", password: PASSWORD });
    expect(answer.status).toBe(303);
    return { ...member, session };
  }
  const workspace = async () => (await createEmptyWorkspace(em(), { name: "Elsewhere" })).id;

  beforeAll(async () => {
    mails = await MailServer.open();
    world = await World.open({ settings: { SMTP_URL: mails.url } });
    owner = (await joined(undefined, "owner")).session;
  });
  afterAll(async () => {
    await world?.close();
    mails?.close();
  });

  // rules#one-time-links
  test("a link is for its address, with any value in the form", async () => {
    const member = await invited();
    const made = await link(member.row);
    const form = await visitor().open(made);
    expect(form.text).toMatch(new RegExp(`value="${member.email}"[^>]* readonly`));
    const wish = { name: "A Person", email: "taken-over@example.org", password: PASSWORD };
    expect((await visitor().join(made, wish)).status).toBe(303);
    expect(await count("member where email = ? and user_id is not null", [member.email])).toBe(1);
    expect(await count(`auth."user" where email = 'taken-over@example.org'`)).toBe(0);
    expect(await signIn(member.email, PASSWORD)).toBe(303);
    // The operator vouches for the person; a manager's link proves nothing about who reads the address.
    const other = await invited();
    expect((await visitor().join(await link(other.row, "manager"), wish)).status).toBe(303);
    const proved = await world.sql(
      `select "emailVerified" as proved from auth."user" where email in (?, ?) order by email = ?`,
      [member.email, other.email, other.email],
    );
    expect(proved).toEqual([{ proved: true }, { proved: false }]);
  });

  // rules#one-time-links
  test("the page of a link at another address than PUBLIC_URL names both", async () => {
    const page = async (origin: string) => {
      const answer = await world.service.app.fetch(new Request(`${origin}/console/welcome`));
      return { status: answer.status, text: await answer.text() };
    };
    for (const [origin, host] of [
      ["http://192.0.2.7:8787", "192.0.2.7:8787"],
      ["http://localhost:8080", "localhost:8080"],
      ["http://alerts.example.org", "alerts.example.org"],
    ] as const) {
      const { status, text } = await page(origin);
      expect(status).toBe(200);
      expect(text).toContain(`This page was opened at ${host}, but PUBLIC_URL is http://localhost:8787.`);
      expect(text).toContain("<code>http://localhost:8787</code>");
      // A proxy may replace the header, so the form remains.
      expect(text).toContain('name="link"');
      expect(text).not.toContain("opens automatically");
    }
    const { text } = await page("http://localhost:8787");
    expect(text).toContain("The next step opens automatically.");
    expect(text).not.toContain("PUBLIC_URL");
  });

  test("of six claims at once one makes an account", async () => {
    const before = await count('auth."user"');
    // The first owner's link names no address, so each of them brings another one.
    const first = await invited("owner@localhost", await workspace(), "owner");
    const made = await link(first.row);
    const all = [1, 2, 3, 4, 5, 6].map((i) => `six${i}@example.org`);
    const claims = await Promise.all(
      all.map((email) => visitor().join(made, { name: "Six", email, password: PASSWORD })),
    );
    expect(claims.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404, 404, 404]);
    for (const { status, text } of claims)
      if (status === 404) expect(text).toContain("This link has already been used");
    expect(await count('auth."user"')).toBe(before + 1);
    expect(await count('auth.account a where not exists (select 1 from auth."user" u where u.id = a."userId")')).toBe(
      0,
    );
    const [{ email }] = await world.sql("select email from member where id = ?", [first.row]);
    expect(all).toContain(email);
    expect(await signIn(email, PASSWORD)).toBe(303);
  });

  test("two links for one address at once make one account", async () => {
    const email = "twice@example.org";
    const links = [await link((await invited(email)).row), await link((await invited(email, await workspace())).row)];
    const answers = await Promise.all(
      links.map((made) => visitor().join(made, { name: "Twice", email, password: PASSWORD })),
    );
    expect(await count('auth."user" where email = ?', [email])).toBe(1);
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(303);
    // The second one gets a message, or uses the existing password; nothing is half done.
    for (const status of statuses) expect([303, 409]).toContain(status);
    expect(await count("member where email = ? and user_id is not null", [email])).toBe(
      statuses.filter((status) => status === 303).length,
    );
    expect(await signIn(email, PASSWORD)).toBe(303);
  });

  test("another's address on the first owner's link is refused, and locks no person out", async () => {
    const elsewhere = await workspace();
    const first = await invited("owner@localhost", elsewhere, "owner");
    const colleague = await invited("colleague@example.org", elsewhere);
    const person = await joined();
    const made = await link(first.row);
    const users = await count('auth."user"');
    for (const email of [colleague.email, person.email]) {
      const answer = await visitor().join(made, { name: "First", email, password: PASSWORD });
      expect(answer.status).toBe(422);
      expect(answer.text).toContain("This address is already in use.");
    }
    expect(await count('auth."user"')).toBe(users);
    const theirs = await link(colleague.row);
    expect((await visitor().join(theirs, { name: "C", email: "", password: PASSWORD })).status).toBe(303);
    expect((await visitor().join(made, { name: "F", email: "first@example.org", password: PASSWORD })).status).toBe(
      303,
    );
  });

  test("only the first owner chooses an address", async () => {
    const from = `/console/${world.workspace.id}/members`;
    const wish = { email: "owner@localhost", role: "viewer", sees: "all" };
    const answer = await owner.post(from, wish);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain("Enter a complete e-mail address");
  });

  test("a failure on the way leaves no account, and the link still works", async () => {
    const member = await invited();
    const made = await link(member.row);
    const before = [await count('auth."user"'), await count("auth.account")];
    await world.sql(`create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$`);
    await world.sql("create trigger refuse before update on member for each row execute function refuse()");
    expect((await visitor().join(made, { name: "A", email: "", password: PASSWORD })).status).toBe(500);
    await world.sql("drop function refuse cascade");
    expect([await count('auth."user"'), await count("auth.account")]).toEqual(before);
    expect((await visitor().join(made, { name: "A", email: "", password: PASSWORD })).status).toBe(303);
  });

  test("every wrong field is named at once, and what was typed stays", async () => {
    const first = await invited("owner@localhost", await workspace(), "owner");
    const made = await link(first.row);
    const answer = await visitor().join(made, { name: "Line\nbreak", email: "nowhere", password: "short" });
    expect(answer.status).toBe(422);
    for (const text of [
      "must be one line",
      "Enter a complete e-mail address",
      "10 to 128 characters",
      'value="nowhere"',
    ])
      expect(answer.text).toContain(text);
    expect(answer.text).toMatch(/id="name"[^>]* autofocus/);
    expect(answer.text.match(/autofocus/g)).toHaveLength(1);
    for (const name of ["A\u0007B", "A\u2028B", "A\u202eB", " ", "x".repeat(81)])
      expect((await visitor().join(made, { name, email: "f@example.org", password: PASSWORD })).status).toBe(422);
  });

  test("of links made at the same moment one works", async () => {
    const { row } = await invited();
    const made = await Promise.all([1, 2, 3, 4, 5, 6].map(() => link(row)));
    const statuses = await Promise.all(made.map(async (one) => (await visitor().open(one)).status));
    expect(statuses.sort()).toEqual([200, 404, 404, 404, 404, 404]);
  });

  test("a link that no longer works shows the reason and what to do", async () => {
    const member = await invited();
    const replaced = await link(member.row);
    const made = await link(member.row);
    expect((await visitor().open(made)).status).toBe(200);
    const shown = async (which: string) => {
      const opened = await visitor().open(which);
      const claimed = await visitor().join(which, { name: "A", email: "", password: PASSWORD });
      expect([opened.status, claimed.status]).toEqual([404, 404]);
      expect(claimed.text).toBe(opened.text);
      return /<h1>(.+?)<\/h1><p\s+class="lede">(.+?)<\/p>/s.exec(opened.text)!.slice(1, 3).join(". ");
    };
    expect(await shown(replaced)).toBe(
      "This link was replaced. Use the newest link you received, or ask the person who gave it to you for a new one.",
    );
    expect((await visitor().join(made, { name: "A", email: "", password: PASSWORD })).status).toBe(303);
    expect(await shown(made)).toContain(
      "This link has already been used. Sign in with your e-mail address and password.",
    );
    const old = await link((await invited()).row);
    await world.sql("update member_link set expires_at = now() - interval '1 second' where used_at is null");
    expect(await shown(old)).toContain(
      "This link has expired. It was valid for 7 days. To continue, ask the person who gave it to you for a new one.",
    );
    expect(await shown(`${made.slice(0, -1)}_`)).toContain(
      "This link is not valid. Check that you copied the whole link, or ask the person who gave it to you for a new " +
        "one.",
    );
    expect((await visitor().open("no link at all")).status).toBe(404);
  });

  test("the secret of a link is where no server sees it, and the page works without script", async () => {
    const { row } = await invited();
    const made = new URL(await link(row));
    expect(made.hash).toMatch(/^#[\w-]{43}$/);
    expect(made.search).toBe("");
    const page = await visitor().get(made.pathname);
    expect(page.text).toContain("paste the whole link here");
    expect(page.headers.get("content-security-policy")).toMatch(
      /; script-src [^;]*http:\/\/localhost:8787\/static\/one_time_link\.js;/,
    );
    for (const pasted of [made.href, made.hash.slice(1), ` ${made.href}\n`])
      expect((await visitor().open(pasted)).status).toBe(200);
  });

  test("a lost password is reset by a link for the same address, and other sessions end", async () => {
    const person = await joined();
    const elsewhere = visitor();
    expect(await signIn(person.email, PASSWORD, elsewhere)).toBe(303);
    const from = `/console/${world.workspace.id}/members`;
    const handed = await owner.post(`${from}/${person.id}/link`, { present: PASSWORD }, { from });
    const made = /http:\/\/[^\s<]+welcome#[\w-]{43}/.exec(handed.text)![0];
    const form = await visitor().open(made);
    expect(form.text).toContain("<h1>Choose a new password</h1>");
    expect(form.text).not.toContain("Your name");
    const session = visitor();
    const answer = await session.join(made, { name: "", email: "x@example.org", password: OTHER });
    expect(answer.status).toBe(303);
    for (const ended of [person.session, elsewhere])
      expect((await ended.get("/console")).headers.get("location")).toBe("/console/sign-in");
    expect((await session.get("/console")).headers.get("location")).toContain("/console/wsp_");
    expect(await signIn(person.email, PASSWORD)).toBe(401);
    expect(await signIn(person.email, OTHER)).toBe(303);
    expect(await signIn("x@example.org", OTHER)).toBe(401);
  });

  test("one workspace's link does not open an account that others trust", async () => {
    const person = await joined();
    const handed = await link(person.row, "manager");
    const other = await workspace();
    const there = await invited(person.email, other);
    // An invitation to an existing account requires its password.
    const invitation = await link(there.row, "manager");
    expect((await visitor().open(invitation)).text).toContain(
      "An account with this address already exists. Enter its password",
    );
    const wrong = await visitor().join(invitation, { name: "", email: "", password: OTHER });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain("The password is incorrect.");
    expect((await visitor().join(invitation, { name: "", email: "", password: PASSWORD })).status).toBe(303);
    // The link was made before; it is refused all the same, and no new one is made.
    const late = await visitor().join(handed, { name: "", email: "", password: OTHER });
    expect([late.status, await signIn(person.email, OTHER)]).toEqual([404, 401]);
    const fresh = await link(person.row, "manager");
    expect((await visitor().join(fresh, { name: "", email: "", password: OTHER })).status).toBe(403);
    const from = `/console/${world.workspace.id}/members`;
    const refused = await owner.post(`${from}/${person.id}/link`, { present: PASSWORD }, { from });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain("also belongs to another workspace");
    expect(await signIn(person.email, PASSWORD)).toBe(303);
    // The operator of the server may.
    expect((await visitor().join(await link(person.row), { name: "", email: "", password: OTHER })).status).toBe(303);
    expect(await signIn(person.email, OTHER)).toBe(303);
  });

  test("a person who forgot the password gets a link by mail, and no visitor learns about accounts", async () => {
    const person = await joined();
    const handed = await link(person.row, "manager");
    const asker = visitor();
    const ask = (email: string, on = asker) => on.post("/console/forgot", { email });
    const [known, unknown] = [await ask(person.email.toUpperCase()), await ask("nobody@example.org")];
    expect([known.status, unknown.status]).toEqual([200, 200]);
    expect(known.text).toBe(unknown.text);
    await expect.poll(() => mails.linkTo(person.email)).not.toBeNull();
    expect(mails.taken.some((text) => text.includes("nobody@example.org"))).toBe(false);
    // A stranger's request does not end an issued link.
    expect((await visitor().open(handed)).status).toBe(200);
    const mailed = mails.linkTo(person.email)!;
    expect((await visitor().join(mailed, { name: "", email: "", password: OTHER })).status).toBe(303);
    expect(await signIn(person.email, OTHER)).toBe(303);
    expect((await visitor().open(handed)).text).toContain("This link has already been used");
    const [{ emailVerified }] = await world.sql(`select "emailVerified" from auth."user" where email = ?`, [
      person.email,
    ]);
    expect(emailVerified).toBe(true);

    // Three mails an hour to an address, and five questions from one.
    const before = mails.taken.length;
    for (let i = 0; i < 4; i++) expect((await ask(person.email, visitor())).status).toBe(200);
    await expect.poll(() => mails.taken.length).toBe(before + 2);
    for (const status of [200, 200, 200, 429]) expect((await ask("nobody@example.org")).status).toBe(status);
    expect((await ask("no address", visitor())).status).toBe(422);
    expect(mails.taken.length).toBe(before + 2);
  });
});
