// A person's names and workspaces (rules#own-workspaces): changed, created, left, and handled when an account is
// closed.

import { expect, test } from "vitest";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { LIMITS } from "../../src/model/limits.ts";
import { HttpVisitor } from "../support/console_site.ts";
import { openWorld } from "../support/open_world.ts";

const PASSWORD = "correct horse battery";
const ACCOUNT = "/console/account";

let people = 0;
const world = await openWorld();

async function person(role = "editor") {
  const email = `own${++people}@example.org`;
  const em = world.service.orm.em.fork();
  const { id } = await addWorkspaceMember(em, { workspace: world.workspace.id, email, role });
  const visitor = new HttpVisitor(world);
  const link = await world.service.people.newLink(parseIdOrNull("mem", id)!);
  await visitor.join(link, { name: "Person", email, password: PASSWORD });
  return { email, visitor, id };
}
const make = async (visitor: HttpVisitor, name: string) => {
  const answer = await visitor.post(`${ACCOUNT}/workspaces`, { workspace: name }, { from: ACCOUNT });
  return answer.headers.get("location") ?? String(answer.status);
};
const count = async (what: string, ...values: unknown[]) =>
  (await world.sql(`select count(*)::int as n from ${what}`, values))[0].n as number;

test("a person's name changes in every workspace, a workspace's by its owner alone", async () => {
  const { visitor, email } = await person();
  expect((await visitor.post(`${ACCOUNT}/name`, { name: " " }, { from: ACCOUNT })).status).toBe(422);
  expect((await visitor.post(`${ACCOUNT}/name`, { name: "Ada" }, { from: ACCOUNT })).status).toBe(303);
  expect(await count("member where email = ? and name = 'Ada'", email)).toBe(1);
  expect((await visitor.get(ACCOUNT)).text).toContain("Ada");
  const base = `/console/${world.workspace.id}/`;
  expect((await visitor.post(`${base}settings`, { act: "name", name: "Mine now" })).status).toBe(403);
  const owner = await person("owner");
  expect((await owner.visitor.post(`${base}settings`, { act: "name", name: "" })).status).toBe(422);
  expect((await owner.visitor.post(`${base}settings`, { act: "name", name: "Harbour office" })).status).toBe(303);
  expect((await visitor.get(base)).text).toContain("Harbour office");
});

// rules#retention
test("the settings of a workspace are one page, and each form reports its own errors", async () => {
  const owner = await person("owner");
  const at = `/console/${world.workspace.id}/settings`;
  const wrong = await owner.visitor.post(at, { act: "retention", keep: "days", retention_days: "" });
  expect(wrong.status).toBe(422);
  expect(wrong.text.match(/Enter the number of days\./g)).toHaveLength(2);
  expect(wrong.text).toMatch(/id="retention_days"[^>]*aria-invalid="true"/);
  expect(wrong.text).not.toMatch(/id="name"[^>]*aria-invalid/);
  expect((await owner.visitor.post(at, { act: "retention", keep: "days", retention_days: "90" })).status).toBe(303);
  expect((await owner.visitor.get(at)).text).toMatch(
    /id="retention_days"[^>]*value="90"|value="90"[^>]*id="retention_days"/,
  );
  expect((await owner.visitor.post(at, { act: "retention", keep: "forever" })).status).toBe(303);
  const { visitor } = await person();
  const { text } = await visitor.get(at);
  expect(text).toContain("Leave workspace");
  expect(text).not.toMatch(/id="name"|id="retention_days"/);
  expect((await visitor.post(at, { act: "retention", keep: "forever" })).status).toBe(403);
});

test("a person makes workspaces within a limit, and each has its own log", async () => {
  const { visitor, id } = await person();
  const base = await make(visitor, "Night ferry");
  expect(base).toMatch(/^\/console\/wsp_\w+\/$/);
  expect((await visitor.get(base)).status).toBe(200);
  const lines = "audit_event where operation = 'create_workspace' and workspace_id = ?";
  const made = parseIdOrNull("wsp", base.split("/")[2]!)!;
  expect(await count(lines, made)).toBe(1);
  // The workspace in which the person was before learns nothing of it.
  const { body } = await world.rest("list_audit_events", { actor: id });
  expect(body.data.map((line: any) => line.operation)).not.toContain("create_workspace");
  for (let i = 1; i < LIMITS.own_workspaces; i++) expect(await make(visitor, `More ${i}`)).toContain("wsp_");
  expect(await make(visitor, "One more")).toBe("409");
});

test("leaving ends what one had there; the last owner leaves nothing behind", async () => {
  const { visitor, email } = await person("admin");
  const base = `/console/${world.workspace.id}/`;
  const key = { name: "mine", scope: ["account:read"], life: "7d", pusher: "" };
  const text = (await visitor.post(`${base}keys`, key)).text;
  const token = /bfk_\w+/.exec(text)![0];
  expect((await world.request("GET", "/api/v1/me", { token })).status).toBe(200);
  expect((await visitor.post(`${base}settings/leave`, {})).status).toBe(303);
  expect((await visitor.get(base)).status).toBe(404);
  expect((await world.request("GET", "/api/v1/me", { token })).status).toBe(401);
  expect(await count("member where email = ?", email)).toBe(0);

  const own = await make(visitor, "Night ferry");
  const id = parseIdOrNull("wsp", own.split("/")[2]!)!;
  await world.sql(
    `insert into member (id, workspace_id, email, role) values (gen_random_uuid(), ?, 'guest@example.org', 'viewer')`,
    [id],
  );
  expect((await visitor.get(`${own}settings/leave`)).text).toContain("You are its only owner");
  expect((await visitor.post(`${own}settings/leave`, {}, { from: ACCOUNT })).status).toBe(409);
  await world.sql("delete from member where workspace_id = ? and email = 'guest@example.org'", [id]);
  expect((await visitor.post(`${own}settings/leave`, {})).status).toBe(303);
  expect(await count("workspace where id = ?", id)).toBe(0);
});

test("an account closes by its password, once no workspace depends on it", async () => {
  const { visitor, email } = await person();
  const own = await make(visitor, "Night ferry");
  const id = parseIdOrNull("wsp", own.split("/")[2]!)!;
  await world.sql(
    `insert into member (id, workspace_id, email, role) values (gen_random_uuid(), ?, 'guest@example.org', 'viewer')`,
    [id],
  );
  const close = (present: string) => visitor.post(`${ACCOUNT}/close`, { present }, { from: ACCOUNT });
  expect((await visitor.get(`${ACCOUNT}/close`)).text).toContain("when no workspace depends on you");
  expect((await close(PASSWORD)).status).toBe(409);
  await world.sql("update member set role = 'owner' where workspace_id = ? and email = 'guest@example.org'", [id]);
  expect((await visitor.get(`${ACCOUNT}/close`)).text).toContain("The workspace stays unchanged");
  expect((await close("not this one")).status).toBe(422);
  const done = await close(PASSWORD);
  expect(done.headers.get("location")).toBe("/console/sign-in");
  expect((await visitor.get(ACCOUNT)).headers.get("location")).toContain("/console/sign-in");
  const again = await new HttpVisitor(world).post("/console/sign-in", { email, password: PASSWORD });
  expect(again.status).toBe(401);
  expect(await count(`auth."user" where email = ?`, email)).toBe(0);
  expect(await count("member where email = ?", email)).toBe(0);
  expect(await count("workspace where id = ?", id)).toBe(1);
  expect(await count("audit_event where operation = 'close_account'")).toBe(2);
});
