// A fault of our own is a server_error with a fixed sentence. The caller sees nothing of the database, and the cause is
// in the log under the request's id.

import { describe, expect, test } from "vitest";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld();

describe("on a service", () => {
  // rules#error-server
  test("a missing table", async () => {
    const pusher = await world.pusher();
    const device = await world.device(pusher.handle);
    await world.sql("alter table alert rename to alert_gone");
    const envelope = {
      error: {
        ...{ type: "server_error", code: "internal_error", param: null },
        message: "Internal server error. Retry with backoff.",
      },
    };
    const args = { pusher_id: pusher.id };
    for (const answer of [
      await world.rest("list_alerts", args),
      await world.rest("create_alert", { ...args, title: "x", send: true }),
      await world.mcp("list_alerts", args),
      await world.handset("GET", "/inbox", device),
    ])
      expect(answer).toMatchObject({ status: 500, body: envelope });
    await world.sql("alter table alert_gone rename to alert");
    expect((await world.rest("list_alerts", args)).status).toBe(200);
  });
});
