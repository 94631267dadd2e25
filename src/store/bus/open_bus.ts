// The choice of the message-bus backend by the settings. Only its library is loaded.

import { assertDefined } from "../../model/assert.ts";
import type { Config } from "../config/all_settings.ts";
import { getKysely, runStatement } from "../db/statement.ts";
import { readInstallationId } from "../queries/database_epoch.ts";
import { BUS_TOPIC, type BusOptions, type MessageBus } from "./message_bus.ts";

/** Opens the bus of MESSAGE_BUS_URL, or else that of the database. Each database on one server has its own topic. */
export async function openBus(
  { messageBusUrl }: Pick<Config, "messageBusUrl">,
  options: BusOptions,
): Promise<MessageBus> {
  if (messageBusUrl === null) return (await import("./postgres_bus.ts")).createPostgresBus(options);
  const [row] = await runStatement(getKysely(options.orm), readInstallationId, {});
  const named = {
    ...options,
    topic: `${BUS_TOPIC}_${assertDefined(row, "the service stores this row when it starts").installation}`,
  };
  if (messageBusUrl.startsWith("nats:")) return (await import("./nats_bus.ts")).createNatsBus(messageBusUrl, named);
  return (await import("./redis_bus.ts")).createRedisBus(messageBusUrl, named);
}
