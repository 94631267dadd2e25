// The process that is measured: the service as it is behind its own socket, with the ceilings out of the way, and
// beside it the plainest answer that the same libraries can give. Tells its processor time when asked.

import { H3 } from "h3";
import { serve } from "srvx";
import { freePort, listen } from "../src/boot/server.ts";
import { openService } from "../src/boot/service.ts";
import { loadConfig } from "../src/config/load.ts";

const config = loadConfig({
  PORT: String(await freePort("127.0.0.1")),
  HOST: "127.0.0.1",
  LOG_LEVEL: "silent",
});
const endless = 1e9;
const service = await openService(config, {
  limitMax: { "alert-sends": endless, "device-registrations": endless },
});
const listening = await listen(service.app, config);

const plainPort = await freePort("127.0.0.1");
const plainApp = new H3().get("/", () => ({ status: "ok" }));
const plain = serve({
  hostname: "127.0.0.1",
  port: plainPort,
  silent: true,
  gracefulShutdown: false,
  fetch: plainApp.fetch,
});
await plain.ready();

process.on("message", async (message) => {
  if (message === "cpu") process.send!({ cpu: process.cpuUsage() });
});
// The parent is gone or done.
process.on("disconnect", async () => {
  await Promise.all([listening.close(), plain.close(true)]);
  await service.close();
  process.exit(0);
});
process.send!({ url: config.publicUrl, plainUrl: `http://127.0.0.1:${plainPort}` });
