// The inbox's validator: the same for what is only planned, another one for what is seen, and nothing to read in it.

import { describe, expect, test } from "vitest";
import { suspend } from "../cases/fixtures.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { parseUuid } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { WAIT } from "../support/wait.ts";
import { timeInSeconds } from "../support/world.ts";

const world = await openWorld();

describe("on a service", () => {
  /** A handset on a channel with one visible alert, and its validator. */
  async function reader() {
    const pusher = await world.pusher();
    await world.alert(pusher.id, { send: true });
    const token = await world.device(pusher.handle);
    const read = async (known?: string) => {
      const headers: Record<string, string> = known === undefined ? {} : { "if-none-match": known };
      const { status, headers: got, body } = await world.handset("GET", "/inbox", token, undefined, headers);
      return { status, etag: got.get("etag")!, ids: (body?.data ?? []).map(({ id }: any) => id) as string[] };
    };
    const verb = (tool: string, alert: any, fields = {}) =>
      world.rest(tool, { pusher_id: pusher.id, alert_id: alert.id, ...fields });
    const plan = (seconds: number) => world.alert(pusher.id, { send: true, send_at: timeInSeconds(seconds) });
    return { pusher, read, verb, plan };
  }

  /** Moves a planned time to a past one, as waiting would: no trigger sees it. */
  const comeDue = async (pusher: any, alert: any, ago = "0 s") => {
    await world.sql("alter table alert disable trigger alert_updated");
    await world.sql("update alert set send_at = clock_timestamp() - ?::interval where id = ?", [
      ago,
      parseUuid(alert.id),
    ]);
    await world.sql("alter table alert enable trigger alert_updated");
    await world.sql(
      `update channel_state set next_due_at = (select min(visible_at) from alert where pusher_id = ?::uuid
        and status = 'scheduled') where pusher_id = ?::uuid`,
      [parseUuid(pusher.id), parseUuid(pusher.id)],
    );
  };

  // rules#inbox-validator
  test("planning, moving and cancelling invisible alerts leaves it as it is", async () => {
    const { read, verb, plan } = await reader();
    const { etag } = await read();
    const alert = await plan(3600);
    const others = [await plan(1800), await plan(7200)];
    expect((await read(etag)).status).toBe(304);
    await verb("update_alert", alert, { send_at: timeInSeconds(900), title: "Sooner" });
    expect((await read(etag)).status).toBe(304);
    await verb("update_alert", alert, { send_at: null });
    await verb("delete_alert", alert);
    await verb("cancel_alert", others[0]);
    await verb("cancel_alert", others[1]);
    expect(await read(etag)).toMatchObject({ status: 304, etag });
    expect((await read()).etag).toBe(etag);
    await expectRecountClean(world.service.orm);
  });

  test("a time that passes changes it, each of several, with or without a write between", async () => {
    const { pusher, read, plan } = await reader();
    const [one, two, three] = [await plan(3600), await plan(3700), await plan(3800)];
    let { etag } = await read();
    for (const alert of [one, two]) {
      expect((await read(etag)).status).toBe(304);
      await comeDue(pusher, alert);
      const now = await read(etag);
      expect([now.status, now.ids[0]]).toEqual([200, alert.id]);
      expect(now.etag).not.toBe(etag);
      etag = now.etag;
      expect((await read(etag)).status).toBe(304);
    }
    // The next write publishes due alerts; planning still changes nothing.
    await plan(9000);
    expect((await read(etag)).status).toBe(304);
    await comeDue(pusher, three);
    expect((await read(etag)).ids[0]).toBe(three.id);
  });

  test("an alert that really comes due is seen", async () => {
    const { read, plan } = await reader();
    const { etag } = await read();
    const alert = await plan(5);
    await expect.poll(async () => (await read(etag)).status, WAIT).toBe(200);
    expect((await read()).ids[0]).toBe(alert.id);
  });

  test("an alert that came due and is withdrawn leaves another tag than before", async () => {
    const { pusher, read, verb, plan } = await reader();
    const alert = await plan(3600);
    const before = await read();
    await comeDue(pusher, alert);
    const due = await read(before.etag);
    expect(due.ids).toContain(alert.id);
    await verb("cancel_alert", alert);
    const after = await read(due.etag);
    expect([after.status, after.ids.includes(alert.id)]).toEqual([200, false]);
    expect(new Set([before.etag, due.etag, after.etag]).size).toBe(3);
  });

  test("one that is committed after its time, next to one that was due before, is not missed", async () => {
    const { pusher, read, plan } = await reader();
    const [late, early] = [await plan(3600), await plan(3700)];
    await comeDue(pusher, early);
    const { etag } = await read();
    // It was planned for a time before `early` came due; its transaction ends only now.
    await comeDue(pusher, late, "1 hour");
    const now = await read(etag);
    expect([now.status, now.ids.includes(late.id)]).toEqual([200, true]);
  });

  test("it contains no time, count or order, and only devices with the same channels have the same one", async () => {
    const { pusher, read, plan } = await reader();
    const other = await world.device(pusher.handle);
    const tags: string[] = [];
    for (let i = 0; i < 3; i++) {
      await world.alert(pusher.id, { send: true });
      await plan(3000 + i);
      tags.push((await read()).etag);
    }
    const others = async (query = "") => (await world.handset("GET", `/inbox${query}`, other)).headers.get("etag")!;
    expect(await others()).toBe((await read()).etag);
    tags.push(await others("?limit=7"), await others("?view=lean"));
    const more = await world.pusher();
    await world.handset("PUT", `/subscriptions/${more.handle}`, other, {});
    tags.push(await others());
    await world.handset("DELETE", `/subscriptions/${pusher.handle}`, other);
    tags.push(await others());
    expect(new Set(tags).size).toBe(tags.length);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]{22}"$/);
  });

  // "While a channel is suspended, inbox, directory and card leave it out."
  test("a suspended channel is left out of inbox, directory and card, and comes back whole", async () => {
    const { pusher, read } = await reader();
    const token = await world.device(pusher.handle);
    const suspended = (value: boolean) => suspend(world, pusher.handle, value);
    const listed = async () =>
      (await world.handset("GET", "/channels?limit=100", token)).body.data.map(({ handle }: any) => handle);
    const before = await read();
    expect(before.ids).toHaveLength(1);
    expect(await listed()).toContain(pusher.handle);

    await suspended(true);
    expect(await read(before.etag)).toMatchObject({ status: 200, ids: [] });
    expect(await listed()).not.toContain(pusher.handle);
    expect((await world.handset("GET", `/channels/${pusher.handle}`, token)).status).toBe(404);

    await suspended(false);
    expect((await read()).ids).toEqual(before.ids);
    expect(await listed()).toContain(pusher.handle);
  });
});
