// The whole grid of status and verb over REST, with one success and one refusal of each verb over MCP.
// rules#change-tools

import { afterAll, beforeAll, describe } from "vitest";
import { statusCases } from "../cases/alert_status.ts";
import { runCases } from "../support/case_runner.ts";
import { World } from "../support/world.ts";

describe("on a service", () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open();
  });
  afterAll(() => world.close());
  runCases(statusCases, () => world);
});
