// Runs every case table on every database, over REST and MCP.

import { afterAll, beforeAll, describe } from "vitest";
import { changeCases } from "./cases/changes.ts";
import { listCases } from "./cases/lists.ts";
import { runCases } from "./support/cases.ts";
import { DATABASES, World } from "./support/world.ts";

describe.each(DATABASES)("on %s", (database) => {
  let world: World;
  beforeAll(async () => {
    world = await World.open(database);
  });
  afterAll(() => world.close());
  runCases([...changeCases, ...listCases], () => world);
});
