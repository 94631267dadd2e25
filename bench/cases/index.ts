// What is measured: the ordered list of all cases.

import type { Case } from "../case.ts";
import { EVERYTHING_CASES } from "./everything.ts";
import { INBOX_CASES } from "./inbox.ts";
import { LOG_CASES } from "./log.ts";
import { MCP_CASES } from "./mcp.ts";
import { SEARCH_CASES } from "./search.ts";
import { WRITE_CASES } from "./writes.ts";

/** Those that write stand last. */
export const CASES: Case[] = [
  ...INBOX_CASES,
  ...MCP_CASES,
  ...EVERYTHING_CASES,
  ...LOG_CASES,
  ...SEARCH_CASES,
  ...WRITE_CASES,
];
