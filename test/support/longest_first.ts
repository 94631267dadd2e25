// The order of test files: the longest first, so that at the end no worker waits for one that began late. Vitest would know
// from an earlier run; a fresh clone has none, and there it begins with the largest files, which are not the longest.

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take more than about twenty seconds, the longest first. */
export const LONGEST = [
  "people/every_page",
  "rules/cases",
  "web_app/follow",
  "content/sanitizer_browser",
  "faults/kill",
  "rules/concurrency",
  "web_app/ring",
  "operator/cli_operator",
  "people/history_pages",
  "faults/embedded",
  "oauth/answers",
  "people/webhook_pages",
  "public_pages/browser",
  "faults/rolling",
  "faults/data_dir",
  "transports/docs_page",
  "people/compose_browser",
  "people/console",
  "web_app/app",
  "people/account_pages",
  "faults/container",
  "operator/code_file",
  "limits/slow_clients",
  "faults/supervision",
  "people/second_factor",
  "operator/cli",
  "webhooks/service",
  "handset/inbox_property",
  "people/channels_pages",
  "people/session_operations",
  "faults/silent_database",
  "people/console_consent",
  "limits/rate_limits",
  "rules/clock",
  "faults/full_disk",
  "handset/held",
  "operator/cli_mcp",
  "webhooks/verifiers",
  "transports/openapi_served",
  "push/push",
  "people/joining",
  "house/demo",
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
