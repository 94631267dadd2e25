// Drafts of messages that could not be published, when the program delivers the message again.

import { describe, expect, test } from "vitest";
import { openWorld } from "../support/open_world.ts";
import { listAlertStatuses, openChannel, type SampleChannel, sendSample } from "../support/sender_samples.ts";

const world = await openWorld();

const pause = ({ id }: SampleChannel) => world.rest("update_pusher", { pusher_id: id, status: "paused" });
const resume = ({ id }: SampleChannel) => world.rest("update_pusher", { pusher_id: id, status: "active" });
const list = async ({ id }: SampleChannel): Promise<any[]> =>
  (await world.rest("list_alerts", { pusher_id: id, limit: 100 })).body.data;
const delivery = (id: string) => ({ "x-github-delivery": id });

// rules#senders-draft
describe("a message with an id", () => {
  test("deletes its own draft, and leaves that of another message with the same text", async () => {
    const channel = await openChannel(world);
    await pause(channel);
    await sendSample(world, "github", channel, {}, delivery("one"));
    await sendSample(world, "github", channel, {}, delivery("two"));
    const [, first] = await list(channel);
    await resume(channel);
    // Repeats of what was published change nothing more.
    for (let i = 0; i < 3; i++) {
      const answer = await sendSample(world, "github", channel, {}, delivery("one"));
      expect([answer.status, answer.body.alerts[0].state]).toEqual([200, "sent"]);
    }
    expect(await listAlertStatuses(world, channel)).toEqual(["sent", "draft"]);
    expect((await list(channel)).map(({ id }) => id)).not.toContain(first.id);
    await sendSample(world, "github", channel, {}, delivery("two"));
    expect(await listAlertStatuses(world, channel)).toEqual(["sent", "sent"]);
  });

  // rules#sender-message-ids
  test.each([
    ["github", delivery("three")],
    ["gitlab", { "idempotency-key": "72d3162e" }],
    ["cloudevents", {}],
    ["prometheus", {}],
  ] as const)("%s: is published on each channel that it is sent to", async (program, headers) => {
    const key = await world.key({ scopes: "alerts:write,alerts:send" });
    const channels = [
      { ...(await openChannel(world)), key },
      { ...(await openChannel(world)), key },
    ];
    for (const channel of channels)
      for (let i = 0; i < 2; i++)
        expect((await sendSample(world, program, channel, {}, headers)).body.alerts).toMatchObject([{ state: "sent" }]);
    for (const channel of channels) expect(await listAlertStatuses(world, channel)).toEqual(["sent"]);
  });

  test("stays as it was published when a repeat has other content, and the rest of a batch is published", async () => {
    const channel = await openChannel(world);
    const event = (id: string, title: string) => ({
      ...{ specversion: "1.0", type: "t", source: "s", id },
      data: { title },
    });
    const post = async (...events: object[]) => {
      const answer = await world.service.app.fetch(
        new Request(`http://localhost/api/v1/pushers/${channel.handle}/ingest`, {
          ...{ method: "POST", body: JSON.stringify(events) },
          headers: {
            ...{ authorization: `Bearer ${channel.key}`, "content-type": "application/cloudevents-batch+json" },
          },
        }),
      );
      return [answer.status, answer.headers.get("belfry-notes")];
    };
    expect(await post(event("1", "One"))).toEqual([200, null]);
    expect(await post(event("1", "One again"), event("2", "Two"))).toEqual([
      200,
      expect.stringMatching(/^The message was already published\. The repeated request was ignored, although/),
    ]);
    expect((await list(channel)).map(({ title }) => title)).toEqual(["Two", "One"]);
    // A draft stays the one of its id; a deleted one is written again.
    await pause(channel);
    expect(await post(event("3", "Three"))).toEqual([200, expect.stringMatching(/^The channel is paused/)]);
    expect(await post(event("3", "Three again"))).toEqual([200, expect.stringMatching(/^The channel is paused/)]);
    const [draft, ...others] = (await list(channel)).filter(({ status }) => status === "draft");
    expect([draft.title, others]).toEqual(["Three", []]);
    await world.rest("delete_alert", { pusher_id: channel.id, alert_id: draft.id });
    await post(event("3", "Three once more"));
    await post(event("3", "Three once more"));
    expect((await list(channel))[0].title).toBe("Three once more");
  });

  test("has no id where it is empty, and one for all addresses of a channel", async () => {
    const channel = await openChannel(world);
    for (const name of ["One", "Two"])
      await sendSample(world, "gitlab", channel, { project: { path_with_namespace: name } }, { "idempotency-key": "" });
    expect(await list(channel)).toHaveLength(2);
    for (const handle of [channel.id, channel.handle]) await sendSample(world, "cloudevents", { ...channel, handle });
    expect(await list(channel)).toHaveLength(3);
  });

  test("leaves a draft that a person edited", async () => {
    const channel = await openChannel(world);
    await pause(channel);
    await sendSample(world, "gitlab", channel, {}, { "idempotency-key": "f5e5f430" });
    const [draft] = await list(channel);
    await world.rest("update_alert", { pusher_id: channel.id, alert_id: draft.id, body: "Look here" });
    await resume(channel);
    const answer = await sendSample(world, "gitlab", channel, {}, { "idempotency-key": "f5e5f430" });
    expect(answer.headers.get("belfry-notes")).toBeNull();
    expect(await listAlertStatuses(world, channel)).toEqual(["sent", "draft"]);
  });

  test.each(["prometheus", "cloudevents"] as const)(
    "%s: is not published again when a person has sent the draft",
    async (program) => {
      const channel = await openChannel(world);
      await pause(channel);
      await sendSample(world, program, channel);
      const [draft] = await list(channel);
      await resume(channel);
      await world.rest("send_alert", { pusher_id: channel.id, alert_id: draft.id });
      expect((await sendSample(world, program, channel)).status).toBe(200);
      expect((await list(channel)).map(({ id, status }) => [id, status])).toEqual([[draft.id, "sent"]]);
      await world.rest("cancel_alert", { pusher_id: channel.id, alert_id: draft.id });
      expect((await sendSample(world, program, channel)).status).toBe(200);
      expect(await listAlertStatuses(world, channel)).toEqual(["cancelled"]);
    },
  );

  test("is published when a person has deleted the draft", async () => {
    const channel = await openChannel(world);
    await pause(channel);
    await sendSample(world, "cloudevents", channel);
    const [draft] = await list(channel);
    await world.rest("delete_alert", { pusher_id: channel.id, alert_id: draft.id });
    await resume(channel);
    await sendSample(world, "cloudevents", channel);
    expect(await listAlertStatuses(world, channel)).toEqual(["sent"]);
  });

  test("finds no draft of another key", async () => {
    const channel = await openChannel(world);
    await pause(channel);
    await sendSample(world, "cloudevents", channel);
    await resume(channel);
    const key = await world.key({ scopes: "alerts:write,alerts:send", pusher: channel.id });
    await sendSample(world, "cloudevents", { ...channel, key });
    expect(await listAlertStatuses(world, channel)).toEqual(["sent", "draft"]);
  });
});

// rules#senders-draft
describe("a message without an id", () => {
  test("deletes each draft about the same thing with the same title", async () => {
    const channel = await openChannel(world);
    await pause(channel);
    for (const last_ping of ["2026-11-01T10:00:00Z", "2026-11-01T10:05:00Z"])
      await sendSample(world, "healthchecks", channel, { last_ping });
    await sendSample(world, "healthchecks", channel, { status: "up" });
    expect(await listAlertStatuses(world, channel)).toEqual(["draft", "draft", "draft"]);
    await resume(channel);
    await sendSample(world, "healthchecks", channel, { last_ping: "2026-11-01T10:10:00Z" });
    expect((await list(channel)).map(({ status, title }) => `${status} ${title.split(":")[0]}`)).toEqual([
      "sent Down",
      "draft Up",
    ]);
  });

  test("leaves drafts that are edited, that a person wrote or that another key saved", async () => {
    const channel = await openChannel(world);
    const others = { ...channel, key: await world.key({ scopes: "alerts:write,alerts:send", pusher: channel.id }) };
    await pause(channel);
    await sendSample(world, "uptime_kuma", channel);
    const [draft] = await list(channel);
    await world.rest("update_alert", { pusher_id: channel.id, alert_id: draft.id, body: "Look here" });
    await sendSample(world, "uptime_kuma", others);
    const { title, collapse_key } = draft;
    expect(collapse_key).toBeTruthy();
    await world.rest("create_alert", { pusher_id: channel.id, title, collapse_key });
    await resume(channel);
    await sendSample(world, "uptime_kuma", channel);
    expect(await listAlertStatuses(world, channel)).toEqual(["sent", "draft", "draft", "draft"]);
  });
});
