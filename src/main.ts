#!/usr/bin/env node
// Starts the service. Its code is read through caches of what is compiled, and of where imports lead.

import { flushCompileCache } from "node:module";
import { exitOnEarlySignals } from "./program/boot/early_signals.ts";
import { cacheModuleResolution, enableCompileCache } from "./program/boot/start_cache.ts";

exitOnEarlySignals();
enableCompileCache();
const keep = cacheModuleResolution();
const { failStart, serveUntilStopped } = await import("./program/boot/run_service.ts");
await serveUntilStopped().catch(failStart);
keep();
// A process that is killed leaves it to the next one too.
flushCompileCache();
