#!/usr/bin/env node
// Starts the service. Its code is read from one file where it can be, and through a cache of compiled code.

import { flushCompileCache } from "node:module";
import { useCodeFile } from "./program/boot/code_file.ts";
import { enableCache } from "./program/boot/compile_cache.ts";

enableCache();
const code = useCodeFile();
const { failStart, serveUntilStopped } = await import("./program/boot/serve.ts");
await serveUntilStopped().catch(failStart);
code.served();
// A process that is killed leaves it to the next one as well.
flushCompileCache();
