// The documented messages of other programs, sent to a channel as each program sends them.

import { createHmac } from "node:crypto";
import { SAMPLE_PAYLOADS } from "../../src/api/ingest/formats/sample_payloads.ts";
import type { IngestSourceProgramId } from "../../src/model/fields/sender_programs.ts";
import type { World } from "./world.ts";

export interface SampleChannel {
  id: string;
  handle: string;
  /** The sample of a program that publishes. */
  key: string;
}

export async function openChannel(world: World): Promise<SampleChannel> {
  const { id, handle } = await world.pusher();
  return { id, handle, key: await world.key({ scopes: "alerts:write,alerts:send", pusher: id }) };
}

/** Sends the documented message of a program, changed by `more`, at the address that the program uses. */
export async function sendSample(
  world: World,
  program: IngestSourceProgramId,
  { handle, key }: SampleChannel,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  const sample = SAMPLE_PAYLOADS[program];
  const { body } = sample;
  const sent =
    typeof body === "string" ? body : JSON.stringify(Array.isArray(body) ? body : { ...(body as object), ...more });
  const path =
    { ntfy: `/ntfy/${handle}`, gotify: "/gotify/message" }[program as string] ??
    `/api/v1/pushers/${handle}/ingest?from=${program}`;
  const answer = await world.service.app.fetch(
    new Request(`http://localhost${path}`, {
      ...{ method: "POST", body: sent },
      headers: {
        ...{ authorization: `Bearer ${key}`, "content-type": "application/json" },
        "x-hub-signature-256": `sha256=${createHmac("sha256", key).update(sent).digest("hex")}`,
        ...sample.headers,
        ...headers,
      },
    }),
  );
  const told: any = await answer.json();
  return { status: answer.status, body: told, headers: answer.headers };
}

/** The statuses of a channel's alerts, the newest first. */
export async function listAlertStatuses(world: World, { id }: SampleChannel): Promise<string[]> {
  const { body } = await world.rest("list_alerts", { pusher_id: id, limit: 100 });
  return body.data.map(({ status }: { status: string }) => status);
}
