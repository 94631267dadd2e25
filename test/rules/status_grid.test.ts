// The whole grid of status and verb over REST, with one success and one refusal of each verb over MCP.
// rules#change-tools

import { describe } from "vitest";
import { statusCases } from "../cases/alert_status.ts";
import { runCases } from "../support/case_runner.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld();

describe("on a service", () => {
  runCases(statusCases, () => world);
});
