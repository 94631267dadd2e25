// A channel to which tests send in the formats of other programs, and the resulting alerts.

import { createHmac } from "node:crypto";
import { expect } from "vitest";
import type { IngestSourceProgramId } from "../../src/model/fields/sender_programs.ts";
import { openWorld } from "./open_world.ts";
import type { World } from "./world.ts";

type Row = any;

interface SenderChannel {
  /**
   * Sends one message, named by `?from=`, and returns the status, the notes and the alerts that were made of it, in
   * their order.
   */
  send(
    program: IngestSourceProgramId,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; notes: string; alerts: Row[] }>;
  /** Sends a message of which one alert is made, and returns the alert. */
  publish(program: IngestSourceProgramId, body: unknown, headers?: Record<string, string>): Promise<Row>;
}

export async function createChannelAndKey(world: World) {
  const channel = await world.pusher();
  const key: string = await world.key({ scopes: "alerts:write,alerts:send", pusher: channel.id });
  return { channel, key };
}

/** Opens a service with a channel and its key for one test file, and closes the service after its tests. */
export async function openSenderWorld(settings: Record<string, string> = {}) {
  const world = await openWorld({ settings });
  return { world, ...(await createChannelAndKey(world)) };
}

export async function openSenderChannel(): Promise<SenderChannel> {
  const {
    world,
    channel: { id, handle },
    key,
  } = await openSenderWorld();
  const sender: SenderChannel = {
    async send(program, body, headers = {}) {
      const sent = typeof body === "string" ? body : JSON.stringify(body);
      const signature = createHmac("sha256", key).update(sent).digest("hex");
      const answer = await world.request("POST", `/api/v1/pushers/${handle}/ingest?from=${program}`, {
        ...{ token: key, body: sent },
        headers: {
          "content-type": "application/json",
          ...(program === "github" && { "x-hub-signature-256": `sha256=${signature}` }),
          ...headers,
        },
      });
      const alerts = await Promise.all(
        (answer.body.alerts ?? []).map(async (alert: { id: string }) => {
          const { body: row } = await world.rest("get_alert", { pusher_id: id, alert_id: alert.id });
          return row;
        }),
      );
      return { status: answer.status, notes: answer.headers.get("belfry-notes") ?? "", alerts };
    },
    async publish(program, body, headers) {
      const { status, alerts } = await sender.send(program, body, headers);
      expect(status).toBe(200);
      expect(alerts).toHaveLength(1);
      return alerts[0];
    },
  };
  return sender;
}
