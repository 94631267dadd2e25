// Messages of other programs that arrive while their channel is paused or suspended, or has reached its limit of sends.

import { describe, expect, test } from "vitest";
import { INGEST_SOURCE_PROGRAM_IDS, type IngestSourceProgramId } from "../../src/model/fields/sender_programs.ts";
import { suspend } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import {
  listAlertStatuses,
  openChannel as openChannelOf,
  type SampleChannel,
  sendSample,
} from "../support/sender_samples.ts";

let limitTime = 0;
const world = await openWorld({
  ...{ limits: true, limitMax: { "alert-sends": 1, "pusher-creations": 1e9 }, limitNow: () => limitTime },
  // Within one minute.
  now: () => new Date("2030-06-01T12:00:30Z"),
});

const openChannel = () => openChannelOf(world);
const statuses = (channel: SampleChannel) => listAlertStatuses(world, channel);
const send = (program: IngestSourceProgramId, channel: SampleChannel, ...more: Record<string, any>[]) =>
  sendSample(world, program, channel, ...more);

// rules#senders-limit
test("a picture that comes over the limit of sends is not decoded, and the check counts no send", async () => {
  const channel = await openChannel();
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  let file: Buffer = png;
  let messages = 0;
  const put = async (key: string, handle = channel.handle) => {
    const answer = await world.service.app.fetch(
      new Request(`http://localhost/ntfy/${handle}`, {
        ...{ method: "PUT", body: file },
        headers: { authorization: `Bearer ${key}`, filename: "a.png", message: `${handle} ${++messages}` },
      }),
    );
    await answer.text();
    return [answer.status, answer.headers.get("belfry-notes")];
  };
  expect(await put(channel.key)).toEqual([200, null]);
  // These bytes only begin as a picture, and only decoding them shows it.
  file = Buffer.concat([png.subarray(0, 24), Buffer.alloc(40)]);
  const note = expect.stringMatching(/^The file was ignored: the channel cannot publish/);
  expect(await put(channel.key)).toEqual([429, note]);
  expect(await put(await world.key({ scopes: "alerts:read" }))).toEqual([403, note]);
  expect(await put(channel.key, "no-such-channel")).toEqual([404, note]);
  limitTime += 61_000;
  expect(await put(channel.key)).toEqual([200, expect.stringContaining("only valid PNG")]);
});

// rules#senders-inactive
describe("a channel that is not active", () => {
  test.each(INGEST_SOURCE_PROGRAM_IDS)(
    "%s: the alert is saved as a draft, and the answer is a success",
    async (program) => {
      const channel = await openChannel();
      await world.rest("update_pusher", { pusher_id: channel.id, status: "paused" });
      const answer = await send(program, channel);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("belfry-notes")).toContain("saved as a draft");
      expect(await statuses(channel)).toEqual(["draft"]);
      await world.rest("update_pusher", { pusher_id: channel.id, status: "active" });
      // A message that the program sends again is published then, with any id.
      const again = await send(program, channel);
      expect(again.status).toBe(200);
      const isNew = ["ntfy", "gotify", "json", "text"].includes(program);
      expect(await statuses(channel)).toEqual(isNew ? ["sent", "draft"] : ["sent"]);
      expect(again.headers.get("belfry-notes") ?? "").toContain(isNew ? "" : "The draft");
    },
  );

  test("a suspended channel also saves drafts", async () => {
    const channel = await openChannel();
    await suspend(world, channel.handle);
    expect((await send("gitlab", channel)).status).toBe(200);
    expect(await statuses(channel)).toEqual(["draft"]);
  });

  test("a message with an id has one draft, for any number of sends", async () => {
    const channel = await openChannel();
    await world.rest("update_pusher", { pusher_id: channel.id, status: "paused" });
    for (let i = 0; i < 3; i++) {
      await send("cloudevents", channel);
      await send("prometheus", channel);
      await send("github", channel, {}, { "x-github-delivery": "72d3162e" });
      await send("gitlab", channel, {}, { "idempotency-key": "f5e5f430" });
    }
    expect(await statuses(channel)).toEqual(Array(4).fill("draft"));
  });

  test("a message that is to be sent later is a draft with its time", async () => {
    const channel = await openChannel();
    await world.rest("update_pusher", { pusher_id: channel.id, status: "paused" });
    expect((await send("ntfy", channel, {}, { delay: "2 hours" })).status).toBe(200);
    const { data } = (await world.rest("list_alerts", { pusher_id: channel.id })).body;
    expect(data).toMatchObject([{ status: "draft", send_at: expect.stringMatching(/^\d{4}-/) }]);
  });

  test("a key that only writes drafts does so as ever", async () => {
    const channel = await openChannel();
    const key = await world.key({ scopes: "alerts:write", pusher: channel.id });
    await world.rest("update_pusher", { pusher_id: channel.id, status: "paused" });
    expect((await send("uptime_kuma", { ...channel, key })).status).toBe(200);
    expect(await statuses(channel)).toEqual(["draft"]);
  });

  test("saved drafts take nothing of the limit", async () => {
    const channel = await openChannel();
    await world.rest("update_pusher", { pusher_id: channel.id, status: "paused" });
    for (let i = 0; i < 3; i++) expect((await send("alertmanager", channel)).status).toBe(200);
    await world.rest("update_pusher", { pusher_id: channel.id, status: "active" });
    expect((await send("alertmanager", channel)).status).toBe(200);
    expect((await statuses(channel))[0]).toBe("sent");
  });
});

// rules#senders-limit
describe("the limit of sends", () => {
  /** The status of each program's answer, and whether the alert is among the drafts. */
  const ANSWERS: Record<IngestSourceProgramId, [status: number, isSaved: boolean]> = {
    alertmanager: [503, false],
    prometheus: [503, false],
    cloudevents: [503, false],
    grafana: [503, false],
    github: [503, true],
    gitlab: [503, true],
    uptime_kuma: [503, true],
    healthchecks: [503, true],
    ntfy: [429, false],
    gotify: [429, false],
    json: [429, false],
    text: [429, false],
  };

  test.each(Object.entries(ANSWERS) as [IngestSourceProgramId, [number, boolean]][])(
    "%s gets an answer that does not lose the alert",
    async (program, [status, isSaved]) => {
      const channel = await openChannel();
      expect((await world.rest("create_alert", { pusher_id: channel.id, title: "First", send: true })).status).toBe(
        201,
      );
      for (let i = 0; i < 3; i++) {
        const refused = await send(program, channel, {}, { "idempotency-key": "f5e5f430" });
        expect([refused.status, refused.headers.get("retry-after")]).toEqual([status, "60"]);
      }
      expect(await statuses(channel)).toEqual(isSaved ? ["draft", "sent"] : ["sent"]);
      // Refusals took nothing of the limit, and the message is published when it comes again.
      limitTime += 60_000;
      expect((await send(program, channel, {}, { "idempotency-key": "f5e5f430" })).status).toBe(200);
      expect(await statuses(channel)).toEqual(["sent", "sent"]);
    },
  );

  test("a message without an id is saved once a minute, and other messages each by themselves", async () => {
    const channel = await openChannel();
    await world.rest("create_alert", { pusher_id: channel.id, title: "First", send: true });
    for (const name of ["One", "Two", "One", "Two"]) await send("healthchecks", channel, { name });
    expect(await statuses(channel)).toEqual(["draft", "draft", "sent"]);
  });

  test("the page of the key names the draft", async () => {
    const channel = await openChannel();
    await world.rest("create_alert", { pusher_id: channel.id, title: "First", send: true });
    const { body } = await send("uptime_kuma", channel);
    const { data } = (await world.rest("list_alerts", { pusher_id: channel.id, status: "draft" })).body;
    expect(body.error.message).toContain(data[0].id);
  });
});
