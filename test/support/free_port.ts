// A TCP port for a server that starts later.

import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Linux and macOS give no port below 32,768 to outgoing connections, nor to servers without a port of their own. So a
 * port stays free until its server starts. Browsers refuse port 10,080.
 */
const [FIRST, LAST] = [11_000, 32_000];

/** Each worker of the test runner has its own share of the ports, so no other one takes a port before its server. */
const SHARES = 8;
const SIZE = Math.floor((LAST - FIRST) / SHARES);
const SHARE = FIRST + (Number(process.env.VITEST_POOL_ID ?? 0) % SHARES) * SIZE;

let next = randomInt(SIZE);

/** A port of 127.0.0.1 that no process uses, and that this process has not returned lately. */
export async function freePort(): Promise<number> {
  for (;;) {
    next = (next + 1) % SIZE;
    const port = SHARE + next;
    const probe = createServer().listen(port, "127.0.0.1");
    const listening = await once(probe, "listening").catch(() => null);
    if (listening === null) continue;
    probe.close();
    await once(probe, "close");
    return port;
  }
}
