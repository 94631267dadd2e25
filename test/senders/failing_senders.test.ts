// A sender whose requests are refused, on the pages where its owner looks.

import { expect, test } from "vitest";
import { SAMPLE_PAYLOADS } from "../../src/api/ingest/formats/sample_payloads.ts";
import { LIMITS } from "../../src/model/limits.ts";
import { signInOwner } from "../support/console_site.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld();
const owner = await signInOwner(world);
const console = `/console/${world.workspace.id}`;

const TITLE = "are failing</strong>";
const { body, headers } = SAMPLE_PAYLOADS.github;
const WRONG = { "x-hub-signature-256": `sha256=${"0".repeat(64)}` };

const post = async (channel: string, token: string, init: { body: unknown; headers?: object }) =>
  (
    await world.request("POST", `/api/v1/pushers/${channel}/ingest`, {
      token,
      body: JSON.stringify(init.body),
      headers: { "content-type": "application/json", ...init.headers },
    })
  ).status;
const refused = (channel: string, token: string) => post(channel, token, { body, headers: { ...headers, ...WRONG } });
const accepted = (channel: string, token: string) => post(channel, token, SAMPLE_PAYLOADS.alertmanager);

const text = async (path: string, visitor = owner) => (await visitor.get(console + path)).text;
/** Each line of the notice without its markup. */
const linesOf = (page: string) =>
  page
    .split("<li>")
    .slice(1)
    .map((rest) => rest.split("</li>")[0]!.replace(/<[^>]*>/g, ""))
    .filter((line) => / with the key .* refused/.test(line));

// rules#failing-senders
test("a sender that is refused is on the overview and its channel's pages until a request succeeds", async () => {
  const pusher = await world.pusher({ name: "The quay" });
  const other = await world.pusher();
  const key = await world.key({ name: "Deploys <b>", scopes: "alerts:write", pusher: pusher.id });
  const pages = ["/", `/channels/${pusher.id}`, `/channels/${pusher.id}/senders`];
  for (const page of pages) expect(await text(page)).not.toContain(TITLE);
  expect(await refused(pusher.handle, key)).toBe(401);
  for (const page of pages) {
    const [line, ...others] = linesOf(await text(page));
    expect(others).toEqual([]);
    expect(line).toMatch(/^GitHub: the last request with the key “Deploys &lt;b&gt;” .*was refused .* signature/s);
  }
  for (let i = 0; i < 20; i++) expect(await refused(pusher.handle, key)).toBe(401);
  const overview = await text("/");
  expect(linesOf(overview)[0]).toContain(`at least the last ${LIMITS.sender_requests} requests with the key`);
  expect(linesOf(overview)[0]).toContain("to the channel The quay were refused");
  const link = new RegExp(`href="(/console/[^"]*${pusher.id}/senders/key_\\w+)"`).exec(overview)![1]!;
  expect((await owner.get(link)).text).toContain("refused</span>");
  expect(await text(`/channels/${other.id}`)).not.toContain(TITLE);
  expect(await accepted(pusher.handle, key)).toBe(200);
  for (const page of pages) expect(await text(page)).not.toContain(TITLE);
});

// rules#failing-senders
test("a key of the command line is a sender of each channel that it sent to, and fails on one alone", async () => {
  const one = await world.pusher({ name: "One" });
  const two = await world.pusher({ name: "Two" });
  const unbound = await world.key({ name: "Made in a shell", scopes: "alerts:write" });
  const bound = await world.key({ name: "Bound in a shell", scopes: "alerts:write", pusher: two.id });
  const senders = (id: string) => text(`/channels/${id}/senders`);
  for (const { id } of [one, two]) expect(await senders(id)).not.toContain("in a shell");
  await accepted(two.handle, bound);
  await accepted(two.handle, unbound);
  await refused(one.handle, unbound);
  await refused(one.id, unbound);
  await refused("no-such-channel", unbound);
  expect(await senders(one.id)).toContain("Made in a shell");
  expect(await senders(one.id)).not.toContain("Bound in a shell");
  for (const name of ["Made in a shell", "Bound in a shell"]) expect(await senders(two.id)).toContain(name);
  expect(linesOf(await text(`/channels/${one.id}`))).toMatchObject([expect.stringContaining("last 2 requests")]);
  expect(linesOf(await text(`/channels/${two.id}`))).toEqual([]);
  // The state of a key on a channel is the one of its requests to that channel.
  const stateOn = async ({ id }: { id: string }) => {
    const list = await senders(id);
    const page = /href="([^"]*senders\/key_\w+)">Made in a shell/.exec(list)![1]!;
    return [list.includes("failing</span>"), (await owner.get(page)).text.includes("The last request was refused")];
  };
  expect([await stateOn(one), await stateOn(two)]).toEqual([
    [true, true],
    [false, false],
  ]);
  // The request that named no channel is a line of its own, until any request succeeds.
  expect(linesOf(await text("/"))).toHaveLength(2);
  await accepted(two.handle, unbound);
  expect(linesOf(await text("/"))).toMatchObject([expect.stringContaining("to the channel One")]);
  const page = /href="([^"]*senders\/key_\w+)"/.exec(await senders(one.id))![1]!;
  expect((await owner.get(page)).text).toContain("Made in a shell");
  await world.sql("update api_key set revoked_at = now() where name = 'Made in a shell'");
  expect(linesOf(await text("/"))).toEqual([]);
});

// rules#failing-senders
test("requests with a key that has expired or was revoked are shown for a week", async () => {
  const pusher = await world.pusher({ name: "The lock" });
  const key = (name: string, bound?: string) => world.key({ name, scopes: "alerts:write", pusher: bound });
  const [expired, revoked] = [await key("Old one", pusher.id), await key("Lost one"), await key("Unused one")];
  // Not a request with an ended key.
  await refused(pusher.handle, revoked);
  await world.sql("update api_key set expires_at = now() where name = 'Old one'");
  await world.sql("update api_key set revoked_at = now() where name = any (?::text[])", ["{Lost one,Unused one}"]);
  const page = `/channels/${pusher.id}`;
  expect(linesOf(await text(page))).toEqual([]);
  for (const token of [expired, expired, revoked]) expect(await accepted(pusher.handle, token)).toBe(401);
  expect(linesOf(await text(page))).toMatchObject([
    expect.stringMatching(/last 2 requests with the key “Old one”, which has expired or was revoked,.* were refused/s),
  ]);
  const lines = linesOf(await text("/")).join();
  expect(lines).not.toContain("GitHub");
  for (const name of ["Old one", "Lost one"]) expect(lines).toContain(name);
  expect(lines).not.toContain("Unused one");
  expect(await text("/")).toContain(`href="${console}/channels/${pusher.id}/senders"`);
  await world.sql(
    `update sender_log set requests = jsonb_set(requests, '{0,at}', to_jsonb(?::text))
      where key_id in (select id from api_key where name in ('Old one', 'Lost one'))`,
    [new Date(Date.now() - 8 * 24 * 3600e3).toISOString()],
  );
  expect([linesOf(await text(page)), linesOf(await text("/"))]).toEqual([[], []]);
});

// rules#failing-senders
test("members see failing senders of keys that they may revoke, on channels that they see", async () => {
  const [hidden, shown] = [await world.pusher({ name: "Hidden" }), await world.pusher({ name: "Shown" })];
  for (const { id, handle } of [hidden, shown])
    await refused(handle, await world.memberKey("editor", [id], { scopes: "alerts:write", pusher: id }));
  const lines = async (page = "/") => linesOf(await text(page)).map((line) => line.includes("Shown") || page);
  const become = (role: string, pusherIds: string[] | null) =>
    world.sql("update member set role = ?, pusher_ids = ?::uuid[] where user_id is not null", [
      ...[role, pusherIds && `{${pusherIds}}`],
    ]);
  expect(await lines()).toHaveLength(2);
  const [{ id }] = await world.sql("select id from pusher where handle = ?", [shown.handle]);
  await become("admin", [id]);
  expect([await lines(), await lines(`/channels/${shown.id}`)]).toEqual([[true], [`/channels/${shown.id}`]]);
  await become("editor", null);
  expect([await lines(), await lines(`/channels/${shown.id}`)]).toEqual([[], []]);
  await become("owner", null);
});
