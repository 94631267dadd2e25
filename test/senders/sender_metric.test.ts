// Requests of programs that send in their own format, as a metric: a sender that fails is visible without its key.

import { expect, test } from "vitest";
import { SAMPLE_PAYLOADS } from "../../src/api/ingest/formats/sample_payloads.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld();

async function counted(): Promise<Record<string, number>> {
  const text = await world.service.metrics.text();
  const lines = text.matchAll(/^belfry_sender_requests_total\{program="(\w+)",outcome="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, program, outcome, count]) => [`${program} ${outcome}`, Number(count)]));
}

// rules#sender-metric
test("messages are counted by program and outcome, and by none of their contents", async () => {
  const { handle, id } = await world.pusher();
  const key = await world.key({ scopes: "alerts:write,alerts:send", pusher: id });
  const send = (body: unknown, headers: Record<string, string>, query = "", token = key) =>
    world.request("POST", `/api/v1/pushers/${handle}/ingest${query}`, {
      token,
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
    });
  const { body, headers } = SAMPLE_PAYLOADS.github;
  for (let i = 0; i < 20; i++)
    expect((await send(body, { ...headers, "x-hub-signature-256": `sha256=${"0".repeat(64)}` })).status).toBe(401);
  expect((await send(SAMPLE_PAYLOADS.alertmanager.body, {})).status).toBe(200);
  expect((await send({ secret_word: {} }, {})).status).toBe(422);
  expect((await send(SAMPLE_PAYLOADS.grafana.body, {}, "", "not a key")).status).toBe(401);
  const now = await counted();
  expect(Object.values(now).reduce((sum, count) => sum + count)).toBe(22);
  expect(now["alertmanager sent"]).toBe(1);
  const refused = Object.entries(now).filter(([name]) => name.endsWith(" refused"));
  expect(refused.reduce((sum, [, count]) => sum + count, 0)).toBe(21);
  expect(await world.service.metrics.text()).not.toContain("secret_word");
});
