// Two-factor authentication (rules#second-factor). Its person enables and disables it. It is required wherever a
// password opens a session, and throttled like passwords. A copy of the database gives no access.

import { describe, expect, test } from "vitest";
import { runOperatorOperation } from "../../src/identity/operator/operator_operations.ts";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { HttpVisitor } from "../support/console_site.ts";
import { allowConsent, buildAuthorizeRequest, registerClient } from "../support/oauth_flow.ts";
import { openWorld } from "../support/open_world.ts";
import { computeTotp, computeWrongTotp } from "../support/totp_codes.ts";

const PASSWORD = "correct horse battery";
const FACTOR = "/console/account/second-factor";

let people = 0;
/** The delay of an attempt, in milliseconds. */
const waits: number[] = [];
const world = await openWorld({ guessPause: async (ms) => waits.push(ms) });

const uriOf = (text: string) => /name="uri"\s+value="([^"]+)"/.exec(text)![1]!.replaceAll("&amp;", "&");
const codesOf = (text: string) => [...text.matchAll(/\b[a-z0-9]{5}-[a-z0-9]{5}\b/g)].map(([code]) => code);

/** A member who signed in; `on` turns the second step on. */
async function person(on: boolean) {
  const email = `factor${++people}@example.org`;
  const em = world.service.orm.em.fork();
  const { id } = await addWorkspaceMember(em, { workspace: world.workspace.id, email, role: "editor" });
  const memberId = parseIdOrNull("mem", id)!;
  const visitor = new HttpVisitor(world);
  await visitor.join(await world.service.people.newLink(memberId), { name: "Person", email, password: PASSWORD });
  let [uri, codes] = ["", [] as string[]];
  if (on) {
    const begun = await visitor.post(FACTOR, { present: PASSWORD });
    uri = uriOf(begun.text);
    const done = await visitor.post(`${FACTOR}/confirm`, { uri, code: await computeTotp(uri) }, { from: FACTOR });
    codes = codesOf(done.text);
    expect(codes).toHaveLength(10);
  }
  return { email, visitor, uri, codes, memberId, id };
}

/** The password's step, in a browser of its own. */
async function password(email: string) {
  const visitor = new HttpVisitor(world);
  const answer = await visitor.post("/console/sign-in", { email, password: PASSWORD });
  return { visitor, answer, to: answer.headers.get("location") ?? "" };
}

const show = (visitor: HttpVisitor, fields: Record<string, string>) =>
  visitor.post("/console/sign-in/code", fields, { from: "/console/sign-in" });
const isIn = async (visitor: HttpVisitor) => (await visitor.get("/console/account")).status === 200;

describe("the second step", () => {
  test("is required after the password, and each code signs in once", async () => {
    const { email, uri } = await person(true);
    const { visitor, to } = await password(email);
    expect(to).toContain("/console/sign-in/code");
    expect(await isIn(visitor)).toBe(false);
    const wrong = await show(visitor, { code: await computeWrongTotp(uri) });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('aria-invalid="true"');
    const code = await computeTotp(uri);
    expect((await show(visitor, { code: `${code.slice(0, 3)} ${code.slice(3)}` })).status).toBe(303);
    expect(await isIn(visitor)).toBe(true);

    const again = await password(email);
    expect((await show(again.visitor, { code })).status).toBe(422);
    expect(await isIn(again.visitor)).toBe(false);
    expect((await show(again.visitor, { code: await computeTotp(uri, 1) })).status).toBe(303);
  });

  test("takes a recovery code instead, each once, and shows how many are left", async () => {
    const { email, visitor: own, codes } = await person(true);
    const first = await password(email);
    expect((await show(first.visitor, { recovery: codes[0]!.toUpperCase() })).status).toBe(303);
    expect((await own.get(FACTOR)).text).toContain("9 recovery codes are left");
    const second = await password(email);
    expect((await show(second.visitor, { recovery: codes[0]! })).status).toBe(422);
    const renewed = await own.post(`${FACTOR}/recovery`, { present: PASSWORD });
    expect(codesOf(renewed.text)).toHaveLength(10);
    expect((await show(second.visitor, { recovery: codes[1]! })).status).toBe(422);
    expect((await show(second.visitor, { recovery: codesOf(renewed.text)[1]! })).status).toBe(303);
  });

  test("is also required after a link to a new password", async () => {
    const { email, memberId, uri } = await person(true);
    const visitor = new HttpVisitor(world);
    const joined = await visitor.join(await world.service.people.newLink(memberId), {
      name: "",
      email,
      password: PASSWORD,
    });
    expect(joined.headers.get("location")).toContain("/console/sign-in/code");
    expect(await isIn(visitor)).toBe(false);
    expect((await show(visitor, { code: await computeTotp(uri) })).status).toBe(303);
    expect(await isIn(visitor)).toBe(true);
  });

  test("keeps an assistant's request waiting: no code and no consent before it", async () => {
    const { email, uri } = await person(true);
    const { body } = await registerClient(world);
    const asked = buildAuthorizeRequest(body.client_id).path;
    const visitor = new HttpVisitor(world);
    const page = (await visitor.get(asked)).headers.get("location")!;
    const query = new URL(page, visitor.url).search.slice(1);
    const from = { from: `/console/sign-in?${query}` };
    const fields = { email, password: PASSWORD, oauth_query: query };
    const answer = await visitor.post("/console/sign-in", fields, from);
    const step = answer.headers.get("location")!;
    expect(step).toMatch(/^\/console\/sign-in\/code\?.*sig=/);
    expect(await isIn(visitor)).toBe(false);
    const sent = { code: await computeTotp(uri), oauth_query: query };
    const on = await visitor.post("/console/sign-in/code", sent, { from: step });
    const consent = on.headers.get("location")!;
    expect(consent).toMatch(/^\/console\/consent\?/);
    const { next } = await allowConsent(visitor, consent);
    expect(next.searchParams.get("code")).toBeTruthy();

    // An earlier grant is not given again by the password alone.
    const other = new HttpVisitor(world);
    const again = new URL(
      (await other.get(buildAuthorizeRequest(body.client_id).path)).headers.get("location")!,
      visitor.url,
    );
    const second = { email, password: PASSWORD, oauth_query: again.search.slice(1) };
    const known = await other.post("/console/sign-in", second, { from: `/console/sign-in${again.search}` });
    expect(known.headers.get("location")).toMatch(/^\/console\/sign-in\/code\?/);
    expect(known.text).not.toContain("code=");
  });

  test("is turned on by a right code alone, ends other sessions, and is turned off by the password", async () => {
    const { email, visitor } = await person(false);
    const other = (await password(email)).visitor;
    expect(await isIn(other)).toBe(true);
    expect((await visitor.post(FACTOR, { present: "not this one" })).status).toBe(422);
    const uri = uriOf((await visitor.post(FACTOR, { present: PASSWORD })).text);
    const from = { from: FACTOR };
    const wrong = await visitor.post(`${FACTOR}/confirm`, { uri, code: await computeWrongTotp(uri) }, from);
    expect(wrong.status).toBe(422);
    expect(uriOf(wrong.text)).toBe(uri);
    // Nothing has changed so far.
    expect(await isIn((await password(email)).visitor)).toBe(true);
    expect((await visitor.post(`${FACTOR}/confirm`, { uri, code: await computeTotp(uri) }, from)).status).toBe(200);
    expect(await isIn(other)).toBe(false);
    expect(await isIn(visitor)).toBe(true);
    expect((await visitor.post(FACTOR, { present: PASSWORD })).status).toBe(409);
    expect((await visitor.post(`${FACTOR}/off`, { present: "not this one" })).status).toBe(422);
    expect((await visitor.post(`${FACTOR}/off`, { present: PASSWORD })).status).toBe(303);
    expect(await isIn((await password(email)).visitor)).toBe(true);
  });

  // rules#guessing
  test("is slowed down as passwords are, and locked for a while after ten wrong codes in a row", async () => {
    const { email, uri } = await person(true);
    const wrong = await computeWrongTotp(uri);
    const seen: number[] = [];
    waits.length = 0;
    for (let i = 0; i < 14; i++) {
      const { visitor, answer } = await password(email);
      if (answer.status !== 303) throw new Error("the password was refused");
      seen.push((await show(visitor, { code: wrong })).status);
    }
    expect(seen.slice(0, 8)).toEqual(Array(8).fill(422));
    expect(seen.at(-1)).toBe(429);
    expect(waits).toEqual([250, 500, 1000, 2000, 3000, 3000].flatMap((ms) => [ms, ms]));
    const { visitor } = await password(email);
    const locked = await show(visitor, { code: await computeTotp(uri) });
    expect(locked.status).toBe(429);
    expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(0);
    // The time is over.
    await world.sql(`update auth."twoFactor" set "lockedUntil" = now() - interval '1 second'`);
    const after = await password(email);
    expect((await show(after.visitor, { code: await computeTotp(uri, 1) })).status).toBe(303);
  });

  test("the operator disables it for a person who lost phone and codes, and the log shows it", async () => {
    const { email, id } = await person(true);
    const em = world.service.orm.em.fork();
    const run = () => runOperatorOperation(em, { operation: "end_second_factor", args: { email } }, new Date());
    expect(await run()).toMatchObject({ member_id: id, second_factor: false });
    expect(await isIn((await password(email)).visitor)).toBe(true);
    await expect(run()).rejects.toMatchObject({ type: "conflict" });
    const { body } = await world.rest("list_audit_events", { limit: 100 });
    expect(body.data).toContainEqual(
      expect.objectContaining({ operation: "end_second_factor", actor: expect.objectContaining({ type: "operator" }) }),
    );
  });

  test("five wrong codes end what the password opened", async () => {
    const { email, uri } = await person(true);
    const { visitor } = await password(email);
    const wrong = await computeWrongTotp(uri);
    const seen: number[] = [];
    for (let i = 0; i < 6; i++) seen.push((await show(visitor, { code: wrong })).status);
    expect(seen).toEqual([422, 422, 422, 422, 422, 401]);
    expect((await show(visitor, { code: await computeTotp(uri) })).status).toBe(401);
    expect(await isIn(visitor)).toBe(false);
  });

  test("a forged cookie, or another kind of secret, is not a first step", async () => {
    await person(true);
    const rows = await world.sql("select identifier from auth.verification limit 20");
    for (const name of ["2fa-aaaaaaaaaaaaaaaaaaaa", ...rows.map(({ identifier }: any) => identifier)]) {
      const visitor = new HttpVisitor(world);
      visitor.cookies.set("better-auth.two_factor", `${name}.c2lnbmF0dXJl`);
      const answer = await show(visitor, { code: "123456" });
      expect([401, 422]).toContain(answer.status);
      expect(await isIn(visitor)).toBe(false);
    }
    for (const code of ["", "x".repeat(5000), "\u0000", "'; --"]) {
      const answer = await show(new HttpVisitor(world), { code });
      expect(answer.status).toBeLessThan(500);
      expect(answer.status).toBeGreaterThan(400);
    }
  });

  test("secret and recovery codes are stored encrypted, and the log names the action in the workspace", async () => {
    const { uri, codes, id } = await person(true);
    const rows = JSON.stringify(await world.sql(`select * from auth."twoFactor"`));
    expect(rows).not.toContain(new URL(uri).searchParams.get("secret")!);
    for (const code of codes) expect(rows).not.toContain(code);
    const { body } = await world.rest("list_audit_events", { actor: id });
    expect(body.data.map((line: any) => line.operation)).toEqual([
      "confirm_second_factor",
      "begin_second_factor",
      "claim_account",
    ]);
  });
});
