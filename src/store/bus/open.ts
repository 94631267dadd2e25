// Which of the three ways carries the words, by the settings; the library of one is loaded when it is that one.

import type { Config } from "../config/settings.ts";
import type { Bus, BusOptions } from "./bus.ts";

/** That of NOTIFY_URL, else the database's own. */
export async function openBus({ notifyUrl }: Pick<Config, "notifyUrl">, options: BusOptions): Promise<Bus> {
  if (notifyUrl === null) return (await import("./postgres.ts")).postgresBus(options);
  if (notifyUrl.startsWith("nats:")) return (await import("./nats.ts")).natsBus(notifyUrl, options);
  return (await import("./redis.ts")).redisBus(notifyUrl, options);
}
