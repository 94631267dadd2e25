// The process that is measured: the service with its own socket and without limits, and the simplest response that the
// same libraries can give. Reports its processor time on request, and profiles itself.

import { writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { H3 } from "h3";
import { serve } from "srvx";
import { findFreePort, listenHttp } from "../src/program/boot/http_server.ts";
import { openServiceWithoutListening } from "../src/program/boot/service.ts";
import { loadConfig } from "../src/store/config/load_settings.ts";

const config = loadConfig({ PORT: String(await findFreePort("127.0.0.1")), HOST: "127.0.0.1" });
const endless = 1e9;
const service = await openServiceWithoutListening(config, {
  soleProcess: process.env.BENCH_ALONE === "1",
  limitMax: { "alert-sends": endless, "device-registrations": endless, "joins-of-address": endless },
});
const listening = await listenHttp(service.app, config);

const plainPort = await findFreePort("127.0.0.1");
const plainApp = new H3().get("/", () => ({ status: "ok" }));
const plain = serve({
  hostname: "127.0.0.1",
  port: plainPort,
  silent: true,
  gracefulShutdown: false,
  fetch: plainApp.fetch,
});
await plain.ready();

let session: Session | undefined;
const ANSWERS: Record<string, (file: string) => unknown> = {
  cpu: () => process.cpuUsage(),
  /** From now on. */
  profile: async () => {
    session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: 500 });
    await session.post("Profiler.start");
  },
  /** Until now, into a file. */
  profiled: async (file) => {
    const { profile } = await session!.post("Profiler.stop");
    session!.disconnect();
    await writeFile(file, JSON.stringify(profile));
  },
};
process.on("message", async ({ ask, file }: { ask: string; file: string }) => {
  process.send!({ answer: (await ANSWERS[ask]!(file)) ?? null });
});
// The parent has ended.
process.on("disconnect", async () => {
  await Promise.all([listening.close(), plain.close(true)]);
  await service.close();
  process.exit(0);
});
process.send!({ answer: { url: config.publicUrl, plainUrl: `http://127.0.0.1:${plainPort}` } });
