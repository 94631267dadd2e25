// Read the settings, open the database, listen, close on a signal: in this process, or with workers.

import { writeSync } from "node:fs";
import { isIP } from "node:net";
import { pino } from "pino";
import type { Config } from "../../store/config/all_settings.ts";
import { dataPaths } from "../../store/config/data_paths.ts";
import {
  loadConfig,
  readShellEnvironmentFacts,
  rejectMisspelledEnvironment,
} from "../../store/config/load_settings.ts";
import { ConfigError } from "../../store/config/setting_types.ts";
import { DataDirInUseError } from "../../store/db/data_dir_in_use_error.ts";
import { createStartupResponder, retryWhileUnavailable } from "./database_startup_wait.ts";
import { stopExitOnSignals } from "./early_signals.ts";
import type { FirstStartResult, RunningService } from "./first_start.ts";
import { findFreePort, listenHttp } from "./http_server.ts";
import { releaseMemoryWhenIdle } from "./idle_memory.ts";
import { createLogs } from "./log.ts";
import { openServiceWithoutListening } from "./service.ts";
import { detectShellCommandPrefix } from "./shell_command_prefix.ts";
import { formatWelcome } from "./welcome_message.ts";
import { AlreadyReportedError, WORKER_ARGUMENT } from "./worker_ipc.ts";

/**
 * Ctrl-C reaches all processes of the terminal, and npm forwards its signal, so one press arrives twice. The same
 * happens when systemd sends SIGTERM to a process group.
 */
const SAME_SIGNAL_MS = 1_000;

/** Runs the service until a signal ends it; what is in flight is finished first. */
export async function serveUntilStopped(): Promise<void> {
  if (process.argv[2] === WORKER_ARGUMENT && process.connected)
    return (await import("./worker_process.ts")).runWorker();
  const config = await settingsWithPort();
  const serving = config.workers > 1 ? await openWorkers(config) : await openAlone(config);
  const { log } = serving;
  releaseMemoryWhenIdle(log);
  let stopping: number | null = null;
  const stop = async (signal: string) => {
    const now = performance.now();
    // A second signal ends the process at once.
    if (stopping !== null && now - stopping > SAME_SIGNAL_MS) process.exit(1);
    if (stopping !== null) return;
    stopping = now;
    log.info({ signal }, "stopping");
    // Independent of the database: the embedded one ends with the process.
    setTimeout(() => {
      log.error({}, "shutdown timed out; exiting now");
      process.exit(1);
    }, config.shutdownDelayMs + config.shutdownTimeoutMs).unref();
    await serving.close();
    log.info({}, "stopped");
    process.exit(0);
  };
  stopExitOnSignals();
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  // The welcome message is last, because its reader may send a signal at once.
  greet(config, serving, await serving.begin());
}

async function openAlone(config: Config): Promise<RunningService> {
  const startup = createStartupResponder(config, createLogs(config).log);
  const service = await retryWhileUnavailable(
    () => openServiceWithoutListening(config, { onUpgrade: startup.reportUpgrade }),
    startup.report,
  );
  await startup.close();
  const listening = await listenHttp(service.app, config);
  return {
    ...service,
    begin: async () => (await import("./first_start.ts")).completeStartWithExampleChannel(service, config),
    async close() {
      await listening.close();
      await service.close();
    },
  };
}

const openWorkers = async (config: Config) => (await import("./primary_process.ts")).openPrimaryProcess(config);

/**
 * Prints the addresses, and on a first start the welcome (rules#first-start). Only a terminal gets all as text.
 * Elsewhere the welcome is text, and the other lines are JSON.
 */
function greet(config: Config, { cluster }: RunningService, { made, example, page }: FirstStartResult): void {
  const { publicUrl: url, dataDir } = config;
  const inTerminal = process.stdout.isTTY;
  const subscribe = `To subscribe a device, open ${page}`;
  const address = listenAddress(config);
  const listens = `Belfry listens on ${address}${address === url ? "" : ` for clients of ${url} (PUBLIC_URL)`}`;
  const shell = detectShellCommandPrefix(readShellEnvironmentFacts());
  const welcome = made && formatWelcome(made, { example, dataDir, inTerminal, shell });
  if (inTerminal) {
    for (const text of [welcome, cluster?.elsewhere, page && subscribe, listens]) if (text) console.log(text);
    return;
  }
  const out = pino(
    { base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 1, sync: true }),
  );
  if (made) {
    const { workspace_id, member_id } = made;
    const where = { url, mcp: `${url}/mcp`, channel: example, credentials: dataPaths(dataDir).credentials };
    out.info({ workspace_id, member_id, ...where }, "first start");
    writeSync(1, `${welcome}\n`);
  }
  if (cluster?.elsewhere) out.info({}, cluster.elsewhere);
  if (page) out.info({ page }, subscribe);
  out.info({ address, url }, listens);
}

/** The address of the socket as a URL. */
const listenAddress = ({ host, port }: Config) => `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

async function settingsWithPort(): Promise<Config> {
  rejectMisspelledEnvironment();
  const config = loadConfig();
  if (config.port !== 0) return config;
  return loadConfig({ PORT: String(await findFreePort(config.host)) });
}

/** Errors of a listening socket, with the setting that fixes each. */
const LISTENING: Record<string, string> = {
  EADDRINUSE: "PORT is already in use. Set another port.",
  EACCES: "This user is not allowed to listen on PORT. Set a port above 1023.",
  EADDRNOTAVAIL:
    "HOST is not an address of this machine. Set HOST to one of this machine's addresses, or to 0.0.0.0 for all of " +
    "them.",
  ENOTFOUND:
    "HOST does not resolve to an address of this machine. Set HOST to one of this machine's addresses, or to 0.0.0.0 " +
    "for all of them.",
};

/** Prints an error that the operator can fix in one line, and any other with its stack. */
export function failStart(error: unknown): never {
  const { code = "", syscall = "" } = error as NodeJS.ErrnoException;
  const known = /^(listen|getaddrinfo)$/.test(syscall) ? LISTENING[code] : undefined;
  if (error instanceof ConfigError || error instanceof DataDirInUseError) console.error(`belfry: ${error.message}`);
  else if (known) console.error(`belfry: ${known}`);
  else if (!(error instanceof AlreadyReportedError)) console.error("belfry: could not start:", error);
  process.exit(1);
}
