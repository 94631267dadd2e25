// A TCP port for a server that starts later.

import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Linux and macOS give no port below 32,768 to outgoing connections, nor to servers without a port of their own. So a
 * port stays free until its server starts. Browsers refuse port 10,080.
 */
const [FIRST, LAST] = [11_000, 32_000];

/** A random port of 127.0.0.1 that no process uses. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    const probe = createServer().listen(port, "127.0.0.1");
    const listening = await once(probe, "listening").catch(() => null);
    if (listening === null) continue;
    probe.close();
    await once(probe, "close");
    return port;
  }
}
