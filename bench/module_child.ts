// One process that loads modules and reports their cost to module_costs.ts. Without arguments, it loads the modules of
// a start, and after them each part that is loaded on first use.

import { statSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { readProcessMemory } from "./process_usage.ts";

/** MB. */
export interface Cost {
  heap: number;
  pss: number;
}

export interface StartReport {
  /** Address and bytes of each loaded file. */
  files: [url: string, bytes: number][];
  cost: Cost;
  onFirstUse: [name: string, Cost][];
}

/** Parts that a start does not load. */
const ON_FIRST_USE: Record<string, () => Promise<unknown>> = {
  "sign-in library (better-auth)": () => import("../src/identity/auth/better_auth.ts"),
  "MCP endpoint": () => import("../src/api/transports/mcp_endpoint.ts"),
  "OpenAPI document": () => import("../src/api/openapi/openapi_document.ts"),
  "docs pages": () => import("../src/pages/docs_site/site.ts"),
  "pictures (sharp)": () => import("sharp"),
  "migrations (MikroORM)": () => import("@mikro-orm/migrations"),
  "Redis limits": () => import("../src/store/rate_limits/redis_windows.ts"),
  "NATS bus": () => import("../src/store/bus/nats_bus.ts"),
  tracing: () => import("../src/program/boot/tracing.ts"),
};

function readCost(): Cost {
  // With --expose-gc.
  globalThis.gc!({ type: "major", execution: "sync", flavor: "last-resort" });
  return { heap: process.memoryUsage().heapUsed / 1e6, pss: readProcessMemory(process.pid)?.pss ?? Number.NaN };
}

async function measureLoad(load: () => Promise<unknown>): Promise<Cost> {
  const before = readCost();
  await load();
  const after = readCost();
  return { heap: after.heap - before.heap, pss: after.pss - before.pss };
}

async function measureStart(): Promise<StartReport> {
  const files = new Map<string, number>();
  const hooks = registerHooks({
    load(url, context, next) {
      if (url.startsWith("file:")) files.set(url, statSync(fileURLToPath(url)).size);
      return next(url, context);
    },
  });
  const cost = await measureLoad(async () => {
    await import("../src/program/boot/run_service.ts");
    await import("../src/program/boot/composition_root.ts");
  });
  hooks.deregister();
  const onFirstUse: StartReport["onFirstUse"] = [];
  for (const [name, load] of Object.entries(ON_FIRST_USE)) onFirstUse.push([name, await measureLoad(load)]);
  return { files: [...files], cost, onFirstUse };
}

/** In the order of a start. Node cannot import files of CommonJS at the same time. */
async function importAll(urls: readonly string[]): Promise<void> {
  // pg tries an optional package, whose absence it handles itself.
  for (const url of urls) await import(url).catch(() => {});
}

const urls = process.argv.slice(2);
process.send!(await (urls.length > 0 ? measureLoad(() => importAll(urls)) : measureStart()));
process.disconnect();
