// The order of test files: the longest first, so that at the end no worker waits for one that began late. Vitest would know
// from an earlier run; a fresh clone has none, and there it begins with the largest files, which are not the longest.

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take more than about twenty seconds, the longest first. */
export const LONGEST = [
  "rules/cases",
  "faults/kill",
  "operator/cli_operator",
  "faults/rolling",
  "faults/data_dir",
  "faults/silent_database",
  "content/sanitizer_browser",
  "transports/docs_page",
  "rules/concurrency",
  "faults/embedded",
  "faults/supervision",
  "oauth/answers",
  "people/console",
  "limits/slow_clients",
  "operator/cli",
  "faults/full_disk",
  "operator/cli_mcp",
  "people/joining",
  "webhooks/service",
  "people/console_consent",
  "people/console_members",
  "house/examples",
  "rules/status_grid",
].map((name) => `test/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
      return found < 0 ? LONGEST.length : found;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
