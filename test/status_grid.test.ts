// The whole grid of status and verb, over REST and MCP, on every database.

import { afterAll, beforeAll, describe } from "vitest";
import { statusCases } from "./cases/alert_status.ts";
import { runCases } from "./support/cases.ts";
import { DATABASES, World } from "./support/world.ts";

describe.each(DATABASES)("on %s", (database) => {
  let world: World;
  beforeAll(async () => {
    world = await World.open(database);
  });
  afterAll(() => world.close());
  runCases(statusCases, () => world);
});
