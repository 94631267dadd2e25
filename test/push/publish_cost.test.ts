// The cost of push notifications for publishers and for a shutdown: neither waits for them.

import { afterAll, beforeAll, expect, test } from "vitest";
import { startTcpReceiver } from "../support/loopback_receivers.ts";
import { startServer, temporaryFolder } from "../support/processes.ts";
import { insertPushHandsets, joinWithPush } from "../support/push_handsets.ts";
import { startPushService } from "../support/push_service.ts";
import { waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

const folder = temporaryFolder();
let service: Awaited<ReturnType<typeof startPushService>>;
beforeAll(async () => {
  service = await startPushService();
});
afterAll(() => {
  service.close();
  folder.remove();
});

const on = (hosts: string) => ({
  WEB_PUSH: "on",
  WEB_PUSH_CONTACT: "mailto:ops@example.org",
  WEB_PUSH_ALLOW_HOSTS: hosts,
});

/** Every statement from now on, in order, with its connection. */
async function statementsOf(world: World): Promise<{ client: object; text: string }[]> {
  const said: { client: object; text: string }[] = [];
  const known = new WeakSet<object>();
  const pool = await (world.service.orm.em.getConnection() as any).getNativeClient();
  pool.on("acquire", (client: { query: (...args: any[]) => unknown }) => {
    if (known.has(client)) return;
    known.add(client);
    const query = client.query.bind(client);
    client.query = (...args) => {
      said.push({ client, text: typeof args[0] === "string" ? args[0] : args[0].text });
      return query(...args);
    };
  });
  return said;
}

const isWaking = (text: string) => text.includes("push_endpoint");

/** The statements that publish alerts of a channel with a push handset, and the number of other statements for push. */
async function publishing(settings: Record<string, string>) {
  const world = await World.open({ settings });
  try {
    const pusher = await world.pusher();
    // The handset exists in both, with or without push notifications.
    if (settings.WEB_PUSH === "on") await joinWithPush(world, pusher.handle, service.endpoint("counted"));
    else await world.device(pusher.handle);
    const draft = await world.alert(pusher.id);
    const said = await statementsOf(world);
    await world.rest("send_alert", { pusher_id: pusher.id, alert_id: draft.id });
    await world.rest("create_alert", { pusher_id: pusher.id, title: "At once", send: true });
    if (settings.WEB_PUSH === "on") await waitUntil(() => service.count("counted") > 0);
    // Each is one statement, which is its own transaction.
    const publications = said.flatMap(({ client, text }, i) => {
      const before = said.slice(0, i).findLast((one) => one.client === client)?.text ?? "";
      return /(update|insert into) alert /.test(text) ? [...(/^begin/i.test(before) ? [before] : []), text] : [];
    });
    return { publications, waking: said.filter(({ text }) => isWaking(text)).length };
  } finally {
    await world.close();
  }
}

// rules#publishing-is-one-row rules#push-wakes
test("publishing runs the same statements, with or without push notifications", async () => {
  const without = await publishing({ WEB_PUSH: "off" });
  const with_ = await publishing(on(service.host));
  expect(without.publications).toHaveLength(2);
  expect(with_.publications).toEqual(without.publications);
  expect(with_.publications.some(isWaking)).toBe(false);
  expect([without.waking, with_.waking > 0]).toEqual([0, true]);
});

test("a push service that refuses this server is in the log, with the setting that helps", async () => {
  const refusing = await startPushService(() => 403);
  const world = await World.open();
  const pusher = await world.pusher();
  await insertPushHandsets(world, pusher.id, 1, (n) => refusing.endpoint(`refused-${n}`));
  await world.leave();
  const server = await startServer(folder.path, {
    settings: { ...world.settings, ...on(refusing.host), REDIS_URL: "" },
  });
  const sent = await fetch(`${server.url}/api/v1/pushers/${pusher.id}/alerts`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.owner}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "Now", send: true }),
  });
  expect(sent.status).toBe(201);
  await waitUntil(() => server.log().includes("WEB_PUSH_CONTACT"));
  expect(server.log()).toMatch(/"status":403,"contact":"mailto:ops@example\.org"/);
  await server.stop();
  refusing.close();
  await world.remove();
});

// rules#push-bounds
test("a push service that hangs delays neither a send nor a SIGTERM with a thousand waiting", async () => {
  const hang = await startTcpReceiver();
  const world = await World.open();
  const pusher = await world.pusher();
  await insertPushHandsets(world, pusher.id, 1_000, (n) => `http://127.0.0.1:${hang.port}/${n}`);
  await world.leave();
  const server = await startServer(folder.path, {
    settings: { ...world.settings, ...on(`127.0.0.1:${hang.port}`), REDIS_URL: "" },
  });
  const send = () =>
    fetch(`${server.url}/api/v1/pushers/${pusher.id}/alerts`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.owner}`, "content-type": "application/json" },
      body: JSON.stringify({ title: "Now", send: true }),
    });
  expect((await send()).status).toBe(201);
  await waitUntil(() => hang.open() > 0);
  expect((await send()).status).toBe(201);
  await server.stop("SIGTERM");
  expect([await server.exited, server.log().includes("shutdown timed out")]).toEqual([0, false]);
  expect(server.log()).toMatch(/"stopped"/);
  expect(server.log()).toMatch(/"dropped":(9\d\d|1000)/);
  await waitUntil(() => hang.open() === 0);
  hang.close();
  await world.remove();
});
