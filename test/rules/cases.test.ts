// The case tables over REST, with one success and one refusal of each tool over MCP. The status grid has its own file
// (status_grid.test.ts).

import { afterAll, beforeAll, describe } from "vitest";
import { CASE_TABLES } from "../cases/case_tables.ts";
import { rowsOverMcp, runCases } from "../support/case_runner.ts";
import { World } from "../support/world.ts";

const overMcp = rowsOverMcp(CASE_TABLES.flatMap(({ cases }) => cases));

describe("on a service", () => {
  for (const limits of [false, true])
    describe(limits ? "with the limits" : "without ceilings", () => {
      let world: World;
      beforeAll(async () => {
        world = await World.open({ limits });
      });
      afterAll(() => world.close());
      for (const { file, cases, ...table } of CASE_TABLES)
        if (file !== "alert_status.ts" && (table.limits ?? false) === limits)
          describe(file, () => runCases(cases, () => world, overMcp));
    });
});
