// A service that listens, with a channel and its key, for tests of senders over a socket.

import { afterAll } from "vitest";
import { ConsoleSite } from "./console_site.ts";
import { createChannelAndKey } from "./sender_channel.ts";

/** Opens it for one test file, and closes it after its tests. */
export async function openSenderSite() {
  const site = await ConsoleSite.open();
  afterAll(() => site.close());
  return { site, ...(await createChannelAndKey(site.world)) };
}
