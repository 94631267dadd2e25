// Runs the case tables on every database, over REST and MCP. The status grid has a file of its own (status_grid.test.ts).

import { afterAll, beforeAll, describe } from "vitest";
import { TABLES } from "../cases/tables.ts";
import { runCases } from "../support/cases.ts";
import { World } from "../support/world.ts";

describe("on a service", () => {
  for (const limits of [false, true])
    describe(limits ? "with the ceilings" : "without ceilings", () => {
      let world: World;
      beforeAll(async () => {
        world = await World.open({ limits });
      });
      afterAll(() => world.close());
      for (const { file, cases, ...table } of TABLES)
        if (file !== "alert_status.ts" && (table.limits ?? false) === limits)
          describe(file, () => runCases(cases, () => world));
    });
});
