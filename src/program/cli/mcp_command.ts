// The tools over stdio for a local assistant: the same protocol server as /mcp, each call by REST. Nothing but protocol
// messages on standard output. Holds no business word.

import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createToolServer } from "../../api/transports/mcp_server.ts";
import { ApiError } from "../../model/errors.ts";
import { STDIO } from "../../operation/request.ts";
import type { Tool } from "../../operation/tool.ts";
import { type ConnectionOptions, callByRest, connectionFor, stateTarget } from "./client.ts";

/** Serves until standard input ends. The server is looked up at each call: it may start later, or move. */
export async function serveMcp(tools: readonly Tool[], options: ConnectionOptions): Promise<void> {
  checkNames(options);
  const ended = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
  });
  const serving = serveStdio(() =>
    createToolServer(tools, async (tool, args) => callByRest(tool, args, connectionFor(options), STDIO)),
  );
  await ended;
  await serving.close();
  // Calls in flight have nobody left to answer to.
  process.exit(0);
}

/** An address that is none stops the start; a missing key is told in the results, since it may come later. */
function checkNames(options: ConnectionOptions): void {
  try {
    stateTarget(connectionFor(options));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
