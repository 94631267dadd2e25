// The case tables over REST, with one success and one refusal of each tool over MCP. The status grid has its own file
// (status_grid.test.ts).

import { afterAll, beforeAll, describe } from "vitest";
import { TABLES } from "../cases/tables.ts";
import { rowsOverMcp, runCases } from "../support/cases.ts";
import { World } from "../support/world.ts";

const overMcp = rowsOverMcp(TABLES.flatMap(({ cases }) => cases));

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
          describe(file, () => runCases(cases, () => world, overMcp));
    });
});
