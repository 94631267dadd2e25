// The changes of an alert's edits are kept for a while. They are exact, visible to readers of the alert, limited, and
// need no extra exchange.

import { beforeEach, expect, test } from "vitest";
import { decline_alert, list_alert_changes } from "../../src/identity/session/decline_and_review_aids.ts";
import { ApiError } from "../../src/model/api_error.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import type { Caller, MemberCaller } from "../../src/store/handler_context.ts";
import { alertArguments } from "../cases/fixtures.ts";
import { signInOwner } from "../support/console_site.ts";
import { startDatabaseProxy } from "../support/database_proxy.ts";
import { createOwnerSession, SILENT_LOG } from "../support/member_sessions.ts";
import { openWorld } from "../support/open_world.ts";
import { timeInSeconds } from "../support/world.ts";

let pusher: { id: string; handle: string };
const world = await openWorld();
await signInOwner(world);
const person = await createOwnerSession(world);
beforeEach(async () => {
  pusher = await world.pusher();
});

type Named = { id: string; pusher_id: string };

const session = (operation: any, args: object, caller: Caller = person): Promise<any> =>
  world.service.dispatcher.runSession(operation, caller as MemberCaller, { args, log: SILENT_LOG });
const changesOf = async (alert: Named, caller: Caller = person) =>
  (await session(list_alert_changes, alertArguments(alert), caller)).data;
const edit = async (alert: Named, fields: Record<string, unknown>) => {
  const { status, body } = await world.rest("update_alert", alertArguments(alert, fields));
  expect(status).toBe(200);
  return body;
};
const kept = async (alert: Named) =>
  (await world.sql("select from alert_change where alert_id = ?", [parseIdOrNull("alr", alert.id)])).length;

// rules#alert-changes
test("each edit reports the fields that it changed, with old and new values, and nothing of the others", async () => {
  const open_url = { type: "open_url", label: "Map", url: "https://x.example/map" };
  const alert = await world.alert(pusher.id, { title: "One", body: "First" });
  const first = await edit(alert, { title: "Two", body: "First", actions: [open_url] });
  const second = await edit(alert, {
    title: "Three",
    body: null,
    html: "<p onclick=x>Hi</p>",
    lat: 1,
    lon: 2,
    radius_km: 3,
  });
  expect(await changesOf(alert)).toEqual([
    {
      updated_at: second.updated_at,
      replied_to: null,
      fields: expect.toSatisfy((fields: any[]) => {
        expect(Object.fromEntries(fields.map(({ name, before, after }) => [name, [before, after]]))).toEqual({
          title: ["Two", "Three"],
          body: ["First", null],
          layout: ["text", "html"],
          html: [null, "<p>Hi</p>"],
          lat: [null, 1],
          lon: [null, 2],
          radius_km: [null, 3],
        });
        return true;
      }),
    },
    {
      updated_at: first.updated_at,
      replied_to: null,
      fields: [
        { name: "title", before: "One", after: "Two" },
        { name: "actions", before: [], after: [open_url] },
      ],
    },
  ]);
});

// rules#alert-changes
test("a new alert, a refused edit and an empty call store nothing; an edit without changes reports it", async () => {
  const alert = await world.alert(pusher.id, { title: "One" });
  await edit(alert, {});
  expect((await world.rest("update_alert", alertArguments(alert, { title: "" }))).status).toBe(422);
  expect(await changesOf(alert)).toEqual([]);
  const same = await edit(alert, { title: "One" });
  expect(await changesOf(alert)).toEqual([{ updated_at: same.updated_at, fields: [], replied_to: null }]);
});

// rules#alert-changes
test("a moved time is reported for scheduling and declining, and a reviewer's request is kept", async () => {
  const alert = await world.alert(pusher.id);
  const [six, seven] = [timeInSeconds(3600), timeInSeconds(7200)].map((at) => at.replace("Z", "000Z"));
  await world.rest("schedule_alert", alertArguments(alert, { send_at: six }));
  await world.rest("schedule_alert", alertArguments(alert, { send_at: seven }));
  await session(decline_alert, { ...alertArguments(alert), review_reply: "Name the quay." });
  await edit(alert, { title: "Quay 3" });
  const [edited, ...others] = await changesOf(alert);
  expect(edited).toMatchObject({ replied_to: "Name the quay.", fields: [{ name: "title", after: "Quay 3" }] });
  expect(others.map(({ fields }: any) => fields)).toEqual([
    [{ name: "send_at", before: seven, after: null }],
    [{ name: "send_at", before: six, after: seven }],
    [{ name: "send_at", before: null, after: six }],
  ]);
});

// rules#alert-changes
test("the newest twenty are kept, of an alert that was sent too, and they go with the alert", async () => {
  const alert = await world.alert(pusher.id, { title: "0" });
  for (let i = 1; i <= 25; i++) await edit(alert, { title: String(i) });
  const changes = await changesOf(alert);
  expect(changes.map(({ fields }: any) => fields[0].before)).toEqual(
    Array.from({ length: 20 }, (_, i) => String(24 - i)),
  );
  expect(await kept(alert)).toBe(20);
  await world.rest("send_alert", alertArguments(alert));
  expect(await changesOf(alert)).toEqual(changes);
  const draft = await world.alert(pusher.id);
  await edit(draft, { title: "Other" });
  expect(await kept(draft)).toBe(1);
  await world.rest("delete_alert", alertArguments(draft));
  expect(await kept(draft)).toBe(0);
});

// rules#alert-changes
test("a caller who does not see the alert gets a 404", async () => {
  const alert = await world.alert(pusher.id);
  await edit(alert, { title: "Other" });
  const other = await world.pusher();
  const narrowed = { ...person, pusherIds: [parseIdOrNull("psh", other.id)!] };
  const viewer = { ...person, member: { ...person.member, role: "viewer" as const } };
  expect(await changesOf(alert, viewer)).toHaveLength(1);
  const refused = await changesOf(alert, narrowed).catch((error: unknown) => error);
  const missing = await changesOf({ ...alert, id: `alr_${"0".repeat(26)}` }).catch((error: unknown) => error);
  for (const error of [refused, missing]) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).toEnvelope()).toEqual((missing as ApiError).toEnvelope());
  }
});

// rules#alert-changes
test("keeping it costs no exchange: an edit has one more than a new draft, since it locks first", async () => {
  const proxy = await startDatabaseProxy(world.settings.DATABASE_URL!);
  const replica = await world.replica({ DATABASE_URL: proxy.url, DATABASE_POOL_SIZE: "2" });
  const alert = await world.alert(pusher.id, { title: "0" });
  /**
   * The least of several calls: concurrent work only adds. Several reads of a busy machine in one piece count as one.
   */
  const exchanges = async (call: (i: number) => Promise<{ status: number }>) => {
    const counts: number[] = [];
    for (let i = 1; i <= 5; i++) {
      const before = proxy.asked();
      expect((await call(i)).status).toBeLessThan(300);
      counts.push(proxy.asked() - before);
    }
    return Math.min(...counts);
  };
  const edit = await exchanges((i) =>
    replica.rest("update_alert", alertArguments(alert, { title: `T${i}`, html: `<p>${i}</p>` })),
  );
  const create = await exchanges(() => replica.rest("create_alert", { pusher_id: pusher.id, title: "x" }));
  expect([edit, edit <= 5]).toEqual([edit, true]);
  expect([create, create <= 4]).toEqual([create, true]);
  expect(await kept(alert)).toBe(5);
  await replica.close();
  await proxy.close();
});
