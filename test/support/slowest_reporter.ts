// The last lines of a whole run: the twenty test files that took longest.

import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

const MOST = 20;

export default class Slowest implements Reporter {
  onTestRunEnd(files: readonly TestModule[]): void {
    if (files.length <= MOST) return;
    const taken = files.map((file) => {
      const { collectDuration, duration } = file.diagnostic();
      return { path: relative("", file.moduleId), seconds: (collectDuration + duration) / 1000 };
    });
    taken.sort((a, b) => b.seconds - a.seconds);
    console.log(`\nThe slowest ${MOST} of ${files.length} files, in seconds:`);
    for (const { path, seconds } of taken.slice(0, MOST)) console.log(`${seconds.toFixed(1).padStart(7)}  ${path}`);
  }
}
