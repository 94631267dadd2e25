// Programs that send alerts in words of their own, put together: their routes beside ours, and alone at the root of the host names
// that settings give them. Nothing of ours is served there, so no page and no cookie lives under such a name.

import type { H3, H3Event } from "h3";
import { addIngestRoutes, hostApp, type IngestRoutes } from "../../api/ingest/routes.ts";
import { parseId } from "../../model/domain/ids.ts";
import { need } from "../../model/need.ts";
import { withChannelIds } from "../../operation/handles.ts";
import type { Tool } from "../../operation/tool.ts";
import type { Config } from "../../store/config/settings.ts";
import type { Log } from "../../store/context.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import { scope, visibleChannel } from "../../store/queries/channels.ts";
import { noteSenderRequest } from "../../store/queries/sender_log.ts";
import type { NtfyListening, Support } from "./ntfy_listen.ts";

interface Deps extends Pick<IngestRoutes, "dispatcher" | "authenticate" | "now"> {
  orm: Orm;
  log: Log;
  isLow(): boolean;
  listening: NtfyListening;
  config: Pick<Config, "ntfyHost" | "gotifyHost">;
}

/** What the app gives: itself, what stands in front of every route, and the operations. */
type Mount = (
  app: H3,
  prepare: (app: H3) => void,
  tools: readonly Tool[],
  support: Support & { logOf(event: H3Event): Log },
) => (request: Request) => H3;

/** `mount` adds the routes, and answers which app serves a request; `stop` ends those that listen. */
export function createIngest({ orm, log, isLow, config, listening, ...known }: Deps) {
  const db = databaseOf(orm);
  const rows: Pick<IngestRoutes, "note" | "sees"> = {
    async note(keyId, request) {
      const key_id = parseId("key", keyId);
      if (key_id === null || isLow()) return;
      await run(db, noteSenderRequest, { key_id, request }).catch((error: unknown) =>
        log.warn({ err: error }, "a sender's request was not noted"),
      );
    },
    async sees(caller, channel) {
      const { pusher_id } = await withChannelIds({ pusher_id: channel }, orm, caller);
      const id = parseId("psh", pusher_id);
      return id !== null && (await run(db, visibleChannel, scope(id, caller))).length > 0;
    },
  };
  const mount: Mount = (app, prepare, tools, { logOf, ...support }) => {
    const found = tools.find(({ name }) => name === "create_alert");
    const listen: IngestRoutes["listen"] = (event, asked) => listening.listen(event, asked, support);
    const routes = { ...known, ...rows, listen, create: need(found, "alerts are created"), logOf };
    addIngestRoutes(app, routes);
    const byHost = new Map<string, H3>();
    if (config.ntfyHost) byHost.set(config.ntfyHost, hostApp("ntfy", routes, prepare));
    if (config.gotifyHost) byHost.set(config.gotifyHost, hostApp("gotify", routes, prepare));
    if (byHost.size === 0) return () => app;
    return ({ url }) => byHost.get(new URL(url).hostname) ?? app;
  };
  return { mount, stop: () => listening.stop() };
}
