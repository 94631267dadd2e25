// Two installations that use one Redis: neither counts for the other one nor wakes it, and the processes of one share
// both.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBus } from "../../src/store/bus/open_bus.ts";
import { freePort } from "../support/free_port.ts";
import { DEVICE_FACTS } from "../support/handsets.ts";
import { type RedisServer, startRedis } from "../support/redis_server.ts";
import { isMissing } from "../support/requirements.ts";
import { waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

describe.skipIf(isMissing("redis-server"))("on one Redis", () => {
  let redis: RedisServer;
  let one: World;
  let replica: World;
  let other: World;
  beforeAll(async () => {
    redis = await startRedis(await freePort());
    const settings = { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: "5000", DEVICE_REGISTRATIONS_PER_MINUTE: "3" };
    one = await World.open({ limits: true, settings });
    other = await World.open({ limits: true, settings });
    replica = await one.replica(settings, { limitMax: {} });
  });
  afterAll(async () => {
    await replica?.leave();
    await one?.close();
    await other?.close();
    await redis?.kill();
  });

  const register = async ({ service }: World) => {
    const body = JSON.stringify(DEVICE_FACTS);
    const headers = { "content-type": "application/json" };
    const request = new Request("http://localhost/handset/v1/devices", { method: "POST", headers, body });
    return (await service.app.fetch(request, "198.51.100.9")).status;
  };

  // rules#installations
  test("an address is counted by the processes of one database, and not by another one", async () => {
    expect([await register(one), await register(replica), await register(one)]).toEqual([201, 201, 201]);
    expect([await register(one), await register(replica)]).toEqual([429, 429]);
    expect([await register(other), await register(other), await register(other)]).toEqual([201, 201, 201]);
    expect(await register(other)).toBe(429);
  });

  // rules#installations
  test("a change of one database is not reported to another one", async () => {
    const log = { warn: () => {}, debug: () => {} };
    const busOf = ({ service }: World) => openBus({ messageBusUrl: redis.url }, { orm: service.orm, log });
    const [speaker, same, foreign] = [await busOf(one), await busOf(replica), await busOf(other)];
    const heard: Record<"same" | "foreign", string[]> = { same: [], foreign: [] };
    let ready = 0;
    const onReconnect = () => ready++;
    same.listen({ onMessage: (word) => heard.same.push(word), onReconnect });
    foreign.listen({ onMessage: (word) => heard.foreign.push(word), onReconnect });
    await waitUntil(() => ready === 2);
    await waitUntil(async () => {
      await speaker.publish(["of one"]);
      return heard.same.includes("of one");
    });
    await waitUntil(async () => {
      await foreign.publish(["of the other"]);
      return heard.foreign.includes("of the other");
    });
    expect(heard.same).not.toContain("of the other");
    expect(heard.foreign).not.toContain("of one");
    for (const bus of [speaker, same, foreign]) await bus.close();
  });
});
