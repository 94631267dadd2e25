// The channel of a first start, so that whoever has just started the service hears it within a minute: its page is printed with the
// line that rings it. Opened as any other channel is, by the key that was just made.

import type { Config } from "../../store/config/settings.ts";
import type { Credentials } from "../../store/secret/credentials.ts";
import type { Service } from "./service.ts";

const EXAMPLE = {
  handle: "hello-belfry",
  name: "Hello Belfry",
  category: "community",
  description: "The first channel of this server: subscribe, and ring it from the command line.",
  requested_perms: ["notify", "sound", "vibrate"],
};

export interface Example {
  id: string;
  page: string;
}

/** Null: it could not be opened, as on a full disk; the start goes on without it, and no later one makes it up. */
export async function openExample(
  { app, log }: Pick<Service, "app" | "log">,
  { key }: Credentials,
  { publicUrl, publicBase }: Pick<Config, "publicUrl" | "publicBase">,
): Promise<Example | null> {
  const response = await app.fetch(
    new Request(`${publicUrl}/api/v1/pushers`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(EXAMPLE),
    }),
  );
  const body = (await response.json()) as { id?: string };
  if (body.id !== undefined) return { id: body.id, page: `${publicBase}/${EXAMPLE.handle}` };
  log.warn({ status: response.status }, "the first start's example channel could not be opened");
  return null;
}
