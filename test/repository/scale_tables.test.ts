// The tables of docs/explanation/scale.md follow from dated costs by arithmetic that a reader can check. gen's own test
// checks that they are current.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COSTS, computeLoad, DEFAULT_ASSUMPTIONS } from "../../scripts/scale_model.ts";
import { ROOT, runProgram } from "../support/processes.ts";

const page = readFileSync(join(ROOT, "docs/explanation/scale.md"), "utf8");

test("each cost has the date and the source of its measurement, and the page shows it", () => {
  for (const { what, service, database, date, command } of Object.values(COSTS)) {
    expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(page).toContain(`| ${what} | ${service} | ${database} | ${date} | `);
    expect(page).toContain(command);
  }
});

test("a million handsets are what the assumptions make of them", () => {
  const of = computeLoad(1e6, { poll: 50, held: 10_000, kb: 20, connections: 3, report: 30, minutes: 5 });
  expect(of).toMatchObject({ polls: 20_000, gb: 20, processes: 100, connections: 300, reports: 1_000 });
  expect(of.idle.service).toBeCloseTo((20_000 * COSTS.poll.service) / 1e6);
  expect(of.idle.database).toBeCloseTo((20_000 * COSTS.poll.database) / 1e6);
  expect(of.reporting.service).toBeCloseTo(COSTS.report.service / 1e3);
  expect(of.streams).toBe(COSTS.stream.service);
  const twice = computeLoad(2e6, DEFAULT_ASSUMPTIONS);
  expect(twice.idle.service).toBeCloseTo(2 * computeLoad(1e6, DEFAULT_ASSUMPTIONS).idle.service);
});

test("npm run simulate prints the lines of the page, others for other assumptions, and refuses texts", async () => {
  const simulated = (...args: string[]) =>
    runProgram(process.execPath, [join(ROOT, "scripts/scale_tables.ts"), ...args], {});
  const [own, other, wrong] = await Promise.all([
    simulated("1000000"),
    simulated("--poll", "110", "1000000"),
    simulated("--poll", "soon"),
  ]);
  const [, , first] = own.stdout.split("\n");
  expect(page).toContain(`\n${first}\n`);
  expect(other.stdout).toContain("| 1,000,000 | 9,100 |");
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("--poll must be a number") });
});
