// Makes the world of tasks.json on a server: its channels, alerts, invites and webhook, and two handsets that report
// what they read.

import { callTool, fillPlaceholders, type McpClient, world } from "./play_tasks.ts";

interface Handset {
  token: string;
  call(method: string, path: string, body: unknown): Promise<{ token: string }>;
}

/** @throws where something of it is refused: it is there already, or the limits of a minute are reached. */
export async function seedServer(client: McpClient, url: string): Promise<void> {
  const handsets: Handset[] = [];
  for (const [tool, args, { times = 1, read = 0, ack = 0 } = {}] of world)
    for (let n = 0; n < times; n++) {
      const { body, text, refused } = await callTool(client, tool, fillPlaceholders(args, Date.now(), n));
      if (refused) throw new Error(`The world cannot be made: ${tool} answered ${text}`);
      // All that is counted happens on the first channel.
      if (handsets.length === 0)
        for (const platform of ["android", "ios"]) handsets.push(await subscribed(url, platform, args.handle));
      const reports = (kind: string) => ({ reports: [{ alert_id: body.id, kind }] });
      for (const handset of handsets.slice(0, read)) await handset.call("POST", "/reports", reports("read"));
      for (const handset of handsets.slice(0, ack)) await handset.call("POST", "/reports", reports("ack"));
    }
}

async function subscribed(url: string, platform: string, handle: unknown): Promise<Handset> {
  const handset: Handset = {
    token: "",
    async call(method, path, body) {
      const authorization = handset.token && `Bearer ${handset.token}`;
      const response = await fetch(`${url}/handset/v1${path}`, {
        method,
        headers: { "content-type": "application/json", ...(authorization ? { authorization } : {}) },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
      return (await response.json()) as { token: string };
    },
  };
  const facts = { platform, app_version: "1.0.0", locale: "en", timezone: "Europe/Lisbon" };
  handset.token = (await handset.call("POST", "/devices", facts)).token;
  await handset.call("PUT", `/subscriptions/${handle}`, { permissions: ["notify"] });
  return handset;
}
