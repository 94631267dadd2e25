// Starts the service again while the database at DATABASE_URL is away, and serves probes until the database is back
// and migrated.

import { setTimeout as pause } from "node:timers/promises";
import packageJson from "../../../package.json" with { type: "json" };
import { createErrorResponse, createJsonResponse } from "../../api/transports/http_responses.ts";
import type { Config } from "../../store/config/all_settings.ts";
import { StartupDatabaseUnavailableError } from "../../store/db/database_startup_errors.ts";
import { createDatabaseUnavailableApiError } from "../../store/db/database_unavailable_errors.ts";
import { type ListeningServer, listenHttp } from "./http_server.ts";
import type { Logs } from "./log.ts";

/** The pause between two tries is doubled from the first to the longest. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** The log repeats an unchanged reason after this time. */
const LOG_AGAIN_MS = 60_000;

/**
 * Runs `open` until it does not end with a StartupDatabaseUnavailableError (rules#start-waits). `onUnavailable` gets
 * the message before each pause. @throws all other errors of `open`
 */
export async function retryWhileUnavailable<T>(
  open: () => Promise<T>,
  onUnavailable: (message: string) => unknown,
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof StartupDatabaseUnavailableError)) throw error;
      await onUnavailable(error.message);
    }
    await pause(pauseMs * (0.75 + Math.random() / 4));
  }
}

/** Serves HOST and PORT from the first failed try or an upgrade until `close`. Otherwise it listens nowhere. */
export function createStartupResponder(config: Config, log: Logs["log"]) {
  let reason = "";
  let loggedAt = 0;
  let listening: Promise<ListeningServer> | null = null;
  let closed = false;
  const app = {
    async fetch(request: Request): Promise<Response> {
      const { pathname } = new URL(request.url);
      if (pathname === "/healthz") return createJsonResponse(200, { status: "ok", version: packageJson.version });
      if (pathname === "/readyz") return createJsonResponse(503, { status: "not ready", reason });
      return createErrorResponse(createDatabaseUnavailableApiError());
    },
    stopping() {},
    ending() {},
  };
  const listen = async (why: string): Promise<void> => {
    reason = why;
    if (closed) return;
    listening ??= listenHttp(app, { ...config, shutdownDelayMs: 0 });
    await listening;
  };
  return {
    /** The database is being migrated. @throws the error of a socket that cannot be opened */
    reportUpgrade: () => listen("The database is being migrated."),
    /** The database is away. @throws the error of a socket that cannot be opened */
    async report(message: string): Promise<void> {
      if (message !== reason || performance.now() - loggedAt > LOG_AGAIN_MS) {
        loggedAt = performance.now();
        log.warn({}, `${message} Startup will be retried until the database responds.`);
      }
      await listen(message);
    },
    async close(): Promise<void> {
      closed = true;
      if (!listening) return;
      await (await listening).close();
      if (loggedAt > 0) log.info({}, "the database is responding");
    },
  };
}
