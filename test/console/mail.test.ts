// Mail with a configured mail server: pages describe the real behaviour of the settings and the mail server. A server
// that is away changes nothing for the person who requested the link.

import { afterAll, beforeAll, expect, test } from "vitest";
import { createMailer } from "../../src/identity/auth/mail.ts";
import { addWorkspaceMember, createEmptyWorkspace } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { alertArguments } from "../cases/fixtures.ts";
import { HttpVisitor, OWNER, signInOwner } from "../support/console_site.ts";
import { MailServer } from "../support/mail_server.ts";
import { waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

let mails: MailServer;
let world: World;
let owner: HttpVisitor;

beforeAll(async () => {
  mails = await MailServer.open();
  world = await World.open({ settings: { SMTP_URL: mails.url } });
  owner = await signInOwner(world);
});
afterAll(async () => {
  await world?.close();
  mails?.close();
});

const add = (email: string) =>
  owner.post(
    `/console/${world.workspace.id}/members`,
    { email, role: "viewer", sees: "all" },
    { from: `/console/${world.workspace.id}/members` },
  );

test("a new member's link is mailed and shown", async () => {
  const page = await add("new@example.org");
  const link = /http:\/\/[^\s<]+welcome#[\w-]{43}/.exec(page.text)![0];
  expect(page.text).toContain("<h1>The link was e-mailed</h1>");
  expect(mails.taken).toHaveLength(1);
  expect(mails.linkTo("new@example.org")).toBe(link);
  expect(mails.taken[0]).toContain("From: Belfry <belfry@localhost>");
  expect(mails.taken[0]).toContain("Subject: Join Test workspace on Belfry");
});

test("no page claims that the server sends no mail", async () => {
  const em = world.service.orm.em.fork() as never;
  const workspace = await createEmptyWorkspace(em, { name: "First start" });
  const first = await addWorkspaceMember(em, { workspace: workspace.id, email: "owner@localhost", role: "owner" });
  const link = await world.service.people.newLink(parseIdOrNull("mem", first.id)!);
  for (const { text } of [
    await new HttpVisitor(world).open(link),
    await new HttpVisitor(world).get("/console/sign-in"),
    await new HttpVisitor(world).get("/console/forgot"),
  ]) {
    expect(text).toContain("E-mail address");
    expect(text).not.toMatch(/(?:cannot|does not) send e-mail/);
  }
});

test.each([
  ["RCPT TO", 550, "550 5.1.1 <refused@example.org> is nobody here", "EENVELOPE"],
  ["RCPT TO", 451, "451 try again later, refused@example.org", "EENVELOPE"],
  ["DATA", 552, "552 no more room for refused@example.org", "EENVELOPE"],
])(
  "a mail server that answers %s with %i: the page shows the link, the log the step and no address",
  async (command, answered, answer, code) => {
    const warned: unknown[] = [];
    const mail = createMailer(
      { smtpUrl: mails.url, mailFrom: null, publicUrl: "http://localhost" },
      { warn: (...line: unknown[]) => void warned.push(line) },
    )!;
    mails.refuses = { command: new RegExp(`^${command}`, "i"), answer };
    expect(await mail({ to: "refused@example.org", subject: "s", text: "welcome#secret" })).toBe(false);
    expect(warned).toEqual([[{ code, command, answered }, "an e-mail could not be sent"]]);
    const page = await add(`refused${answered}@example.org`);
    mails.refuses = null;
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringContaining("could not be sent. Send the link yourself."),
    ]);
    expect(page.text).toMatch(/welcome#[\w-]{43}/);
  },
);

// rules#reviews-channel
test("a waiting draft is mailed once to members who requested it, without its content", async () => {
  const base = `/console/${world.workspace.id}`;
  const from = `${base}/drafts`;
  const author = await world.key({ name: "Tide robot", scopes: "alerts:read,alerts:write" });
  const pusher = await world.pusher({ name: "Ferries" });
  const ask = async () => {
    const { body } = await world.rest("create_alert", { pusher_id: pusher.id, title: "A secret tide" }, author);
    for (const _ of [1, 2]) await world.rest("send_alert", alertArguments(body), author);
    return body;
  };
  const wants = (mails: string) => owner.post(`${base}/reviews/mail`, { mails }, { from });
  expect((await owner.post(`${base}/reviews`, {}, { from })).status).toBe(303);
  expect((await owner.get(from)).text).toContain("E-mail me");
  await ask();
  expect((await wants("on")).status).toBe(303);
  expect((await owner.get(from)).text).toContain("Stop e-mails");
  const before = mails.taken.length;
  const draft = await ask();
  await waitUntil(async () => mails.taken.length > before);
  const mail = mails.taken.at(-1)!;
  expect(mail).toContain(`To: ${OWNER.email}`);
  expect(mail).toContain("Subject: Ferries: a draft awaits review");
  expect(mail).toContain(draft.review_url);
  expect(mail).not.toContain("secret");
  await wants("");
  await ask();
  // The next mail that is sent at all is another one.
  await add("later@example.org");
  expect(mails.taken.slice(before).map((text) => /^To: (.*)$/m.exec(text)![1])).toEqual([
    OWNER.email,
    "later@example.org",
  ]);
});

test("with the mail server away the page reports it and shows the link", async () => {
  const before = mails.taken.length;
  mails.close();
  const page = await add("other@example.org");
  expect(page.status).toBe(200);
  expect(page.text).toContain("The e-mail to other@example.org could not be sent. Send the link yourself.");
  expect(page.text).not.toMatch(/was e-mailed|on its way/);
  expect(page.text).toMatch(/welcome#[\w-]{43}/);
  expect(mails.taken).toHaveLength(before);
});
