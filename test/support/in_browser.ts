// Tests in a real Chromium: the block that says so where there is none, and what its tests share. Needs CHROMIUM=/path/to/chromium.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { Modules } from "./senses.ts";
import { executablePath, launch, Site } from "./site.ts";

/** A block of tests that only a browser can run. */
export function inBrowser(name: string, tests: () => void): void {
  if (!executablePath) console.log(`${name}: skipped, since CHROMIUM names no browser`);
  describe.skipIf(!executablePath)(name, tests);
}

type SiteOptions = Parameters<typeof Site.open>[0];

/** A whole service and a browser, from before the first test of the block until after its last. */
export function siteAndBrowser(options?: SiteOptions, args?: readonly string[]) {
  return shared(() => Site.open(options), args);
}

/** The same with nothing but the app's modules. */
export function modulesAndBrowser(args?: readonly string[]) {
  return shared(() => Modules.open(), args);
}

function shared<Opened extends { close(): Promise<void> }>(
  open: () => Promise<Opened>,
  args?: readonly string[],
): { site: Opened; browser: Browser } {
  const here = {} as { site: Opened; browser: Browser };
  beforeAll(async () => {
    here.site = await open();
    here.browser = await launch(args);
  });
  afterAll(async () => {
    await here.browser?.close();
    await here.site?.close();
  });
  return here;
}
