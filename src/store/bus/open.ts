// Which of the three ways carries the words, by the settings; the library of one is loaded when it is that one.

import { need } from "../../model/need.ts";
import type { Config } from "../config/settings.ts";
import { databaseOf, run } from "../db/statement.ts";
import { readInstallation } from "../queries/epoch.ts";
import { type Bus, type BusOptions, TOPIC } from "./bus.ts";

/** That of MESSAGE_BUS_URL, else the database's own. Of several databases on one server each has a topic of its own. */
export async function openBus({ messageBusUrl }: Pick<Config, "messageBusUrl">, options: BusOptions): Promise<Bus> {
  if (messageBusUrl === null) return (await import("./postgres.ts")).postgresBus(options);
  const [row] = await run(databaseOf(options.orm), readInstallation, {});
  const named = { ...options, topic: `${TOPIC}_${need(row, "a start writes it").installation}` };
  if (messageBusUrl.startsWith("nats:")) return (await import("./nats.ts")).natsBus(messageBusUrl, named);
  return (await import("./redis.ts")).redisBus(messageBusUrl, named);
}
