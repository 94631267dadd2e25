// Thousands of connections in one moment while the service is busy, as after a start: each waits in the backlog. A
// connection without a place is dropped silently and retries after one, three and seven seconds.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { HttpApp } from "../../src/program/boot/app.ts";
import { findFreePort, listenHttp } from "../../src/program/boot/http_server.ts";
import { skipForReason } from "../support/requirements.ts";
import { WAIT } from "../support/wait.ts";

const HOST = "127.0.0.1";
const MANY = 2_000;

/** The system's limit of waiting connections; unlimited where it is defined elsewhere. */
function placesHere(): number {
  try {
    return Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8"));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
const few = placesHere() < MANY + 100 ? `the system lets ${placesHere()} connections wait` : null;

/** Ends when all of them are connected. */
const KNOCK = `
let open = 0;
for (let i = 0; i < ${MANY}; i++)
  require("node:net").connect(Number(process.argv[1]), "${HOST}", () => ++open === ${MANY} && process.exit(0))
    .on("error", (error) => { throw error; });
`;

test.skipIf(skipForReason(few))(`${MANY} connect while nothing is accepted, and all are let in`, async () => {
  const app: Pick<HttpApp, "fetch" | "stopping" | "ending"> = {
    fetch: async () => new Response("ok"),
    stopping: () => {},
    ending: () => {},
  };
  const port = await findFreePort(HOST);
  const listening = await listenHttp(app as HttpApp, { host: HOST, port });
  try {
    // While this waits, no turn of the event loop accepts a connection.
    const knock = () => execFileSync(process.execPath, ["-e", KNOCK, String(port)], { timeout: WAIT.timeout });
    expect(knock).not.toThrow();
  } finally {
    await listening.close();
  }
});
