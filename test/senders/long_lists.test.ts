// Lists of other programs with more entries than are read. The alert is published with the entries up to the limit, and
// contains the number of further ones.

import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { truncateJsonLists } from "../../src/api/ingest/truncate_json_lists.ts";
import { LIMITS } from "../../src/model/limits.ts";
import { openSenderWorld } from "../support/sender_channel.ts";

const { world, channel, key } = await openSenderWorld();

async function send(program: string, body: unknown, headers: Record<string, string> = {}) {
  const sent = JSON.stringify(body);
  const answer = await world.service.app.fetch(
    new Request(`http://localhost/api/v1/pushers/${channel.handle}/ingest?from=${program}`, {
      method: "POST",
      body: sent,
      headers: {
        ...{ authorization: `Bearer ${key}`, "content-type": "application/json" },
        "x-hub-signature-256": `sha256=${createHmac("sha256", key).update(sent).digest("hex")}`,
        ...headers,
      },
    }),
  );
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.any(String)]);
  const [newest] = (await world.rest("list_alerts", { pusher_id: channel.id, limit: 1 })).body.data;
  const alert = (await world.rest("get_alert", { pusher_id: channel.id, alert_id: newest.id })).body;
  return { alert, notes: answer.headers.get("belfry-notes") };
}

const alerts = (count: number, summary = "The disk is full.") =>
  Array.from({ length: count }, (_, i) => ({
    ...{ status: "firing", startsAt: "2030-01-01T00:00:00Z", endsAt: "0001-01-01T00:00:00Z" },
    labels: { alertname: "DiskFull", instance: `host-${i}`, severity: "critical" },
    annotations: { summary },
    ...{ generatorURL: "https://prometheus.example/graph", fingerprint: `${i}` },
  }));
const group = (count: number, summary?: string) => ({
  ...{ receiver: "belfry", status: "firing", alerts: alerts(count, summary) },
  ...{ groupLabels: { alertname: "DiskFull" }, commonLabels: { alertname: "DiskFull", severity: "critical" } },
  ...{ commonAnnotations: {}, externalURL: "https://alertmanager.example" },
  ...{ version: "4", groupKey: '{}:{alertname="DiskFull"}', truncatedAlerts: 0 },
});
const commits = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    ...{ id: `${i}`, message: `Commit ${i}`, timestamp: "2030-01-01T00:00:00Z", url: "https://github.com/a/b" },
    ...{ author: { name: "A", email: "a@b.example", username: "a" }, added: ["a", "b"], removed: [], modified: [] },
  }));

// rules#senders-lists
describe("an alert is not lost for a long list", () => {
  test.each([
    ["alertmanager", group(3_000), "DiskFull: 3000 alerts"],
    ["alertmanager", group(1_000, "x".repeat(2_000)), "DiskFull: 1000 alerts"],
    ["grafana", { ...group(3_000), orgId: 1 }, "DiskFull: 3000 alerts"],
    ["prometheus", alerts(3_000), "DiskFull: 3000 alerts"],
    [
      "cloudevents",
      Array.from({ length: 6_000 }, (_, i) => ({ specversion: "1.0", id: `${i}`, source: "s", type: "t" })),
      "6000 events",
    ],
  ])("%s", async (program, body, title) => {
    const { alert, notes } = await send(program, body);
    expect(alert).toMatchObject({ status: "sent", title });
    const total = Number(/\d+/.exec(title)?.[0]);
    expect(
      alert.body
        .split("\n")
        .slice(0, LIMITS.shape_lines + 1)
        .at(-1),
    ).toBe(`And ${total - LIMITS.shape_lines} more.`);
    expect(notes).toMatch(/^.*\d+ entries of a long list were ignored\./);
    if (program !== "cloudevents") expect(alert.priority).toBe("urgent");
  });

  test("a few long lines share the length of a text, and a longer one has the number of the rest", async () => {
    const few = await send("alertmanager", group(2, "x".repeat(5_000)));
    expect(few.alert.body.match(/x{5000}/g)).toHaveLength(2);
    const long = await send("alertmanager", group(20, "word ".repeat(1_000)));
    expect(long.alert.body.match(/ word… \(\d+ more characters\)$/gm)).toHaveLength(20);
  });

  test("github", async () => {
    const body = { ref: "refs/heads/main", commits: commits(2_048), repository: { full_name: "a/b" } };
    const { alert, notes } = await send("github", body, { "x-github-event": "push" });
    expect(alert.title).toContain("2048 commits");
    expect(alert.body).toContain(`And ${2_048 - LIMITS.shape_lines} more.`);
    expect(notes).toMatch(/entries of a long list were ignored/);
  });
});

describe("entries beyond the limits", () => {
  const bound = (value: unknown) => {
    const { bytes, omitted } = truncateJsonLists(Buffer.from(JSON.stringify(value)));
    return { value: JSON.parse(Buffer.from(bytes).toString()), omitted };
  };
  const many = Array.from({ length: LIMITS.ingest_values }, (_, i) => i);

  test("are left out of the outermost list, and of lists in the outermost object", () => {
    const list = bound(many);
    expect(list.value).toEqual(many.slice(0, list.value.length));
    expect(list.value.length + list.omitted).toBe(many.length);
    const found = bound({ before: { a: [1, 2] }, list: many, after: "],[", other: [1, 2], last: { b: [1, 2] } });
    expect(found.value).toEqual({
      ...{ before: { a: [1, 2] }, list: many.slice(0, found.value.list.length) },
      ...{ after: "],[", other: [1], last: { b: [1, 2] } },
    });
    expect(found.value.list.length + found.omitted).toBe(many.length + 1);
  });

  test("may contain any text, and entries within the limits are unchanged", () => {
    const texts = Array.from({ length: 3_000 }, (_, i) => `"]}\\${i}${"x".repeat(500)}`);
    const { value, omitted } = bound({ texts, end: 1 });
    expect(value).toEqual({ texts: texts.slice(0, value.texts.length), end: 1 });
    expect([omitted > 0, value.texts.length + omitted]).toEqual([true, 3_000]);
    const small = { list: [{ a: [[]] }, "b"], text: "x".repeat(2 * LIMITS.ingest_list) };
    expect(bound(small)).toEqual({ value: small, omitted: 0 });
  });

  test("are not looked for in a file, whose brackets are not nested", () => {
    const brackets = "[".repeat(99);
    const file = Buffer.from(`\x89PNG${brackets}`, "latin1");
    expect(truncateJsonLists(file)).toEqual({ bytes: file, omitted: 0 });
    expect(() => truncateJsonLists(Buffer.from(`\uFEFF ${brackets}`))).toThrow("levels");
  });

  test("of any other list or object are refused, and so are too many levels in what is left out", () => {
    expect(() => bound({ a: { b: many } })).toThrow("values");
    expect(() => bound(Object.fromEntries([...many, -1, -2].map((i) => [`k${i}`, i])))).toThrow("values");
    const deep = JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`);
    expect(() => bound([...many, deep])).toThrow("levels");
  });
});
