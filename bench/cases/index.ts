// The ordered list of all cases.

import type { BenchCase } from "../case_types.ts";
import { INBOX_CASES } from "./inbox.ts";
import { MCP_CASES } from "./mcp.ts";
import { EVERYTHING_CASES } from "./mcp_everything_server.ts";
import { LOG_CASES } from "./request_log.ts";
import { SEARCH_CASES } from "./search.ts";
import { WRITE_CASES } from "./writes.ts";

/** Cases that write are last. */
export const CASES: BenchCase[] = [
  ...INBOX_CASES,
  ...MCP_CASES,
  ...EVERYTHING_CASES,
  ...LOG_CASES,
  ...SEARCH_CASES,
  ...WRITE_CASES,
];
