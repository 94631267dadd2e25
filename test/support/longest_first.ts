// The order of test files: the longest first, so that at the end no worker waits for one that began late. Vitest would know
// from an earlier run; a fresh clone has none, and there it begins with the largest files, which are not the longest.

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take more than about twenty seconds, the longest first. */
export const LONGEST = [
  "people/every_page",
  "handset/held_stalls",
  "rules/cases",
  "operator/cli_operator",
  "transports/openapi_served",
  "transports/docs_page",
  "faults/kill",
  "faults/rolling",
  "faults/embedded",
  "webhooks/service",
  "operator/export",
  "senders/ntfy_listen",
  "faults/workers",
  "faults/series_kill",
  "rules/concurrency",
  "people/compose_browser",
  "faults/container",
  "content/sanitizer_browser",
  "faults/data_dir",
  "web_app/ring",
  "web_app/follow",
  "web_app/repeats",
  "people/sign_in_throttle",
  "limits/rate_limits",
  "senders/hostile",
  "handset/inbox_property",
  "webhooks/verifiers",
  "operator/start_cache",
  "operator/cli",
  "people/console",
  "house/demo",
  "senders/try",
  "people/webhook_pages",
  "faults/terminal",
  "people/history_pages",
  "handset/held",
  "faults/silent_database",
  "people/account_pages",
  "people/channels_pages",
  "limits/slow_clients",
  "public_pages/browser",
  "push/push",
  "web_app/app",
  "oauth/answers",
  "rules/clock",
  "web_app/moving",
  "people/joining",
  "faults/full_disk",
  "web_app/senses_settings",
  "faults/supervision",
  "operator/backup",
  "operator/installed",
  "people/crawl",
  "web_app/first_start",
  "database/finding",
  "people/many_rows",
  "operator/cli_mcp",
  "transports/installed_clients",
  "faults/stopping",
  "house/release",
  "web_app/heard",
  "faults/cluster",
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
