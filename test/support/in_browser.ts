// Tests in a real Chromium: the block that reports a missing one, and the shared parts of its tests. Needs
// CHROMIUM=/path/to/chromium.

import type { BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
import { AppModuleServer } from "./app_modules.ts";
import {
  type BrowserNeeds,
  ConsoleSite,
  type HttpVisitor,
  launchBrowser,
  OWNER,
  openWatchedPage,
  type SharedBrowser,
  signInMember,
} from "./console_site.ts";
import { isMissing } from "./requirements.ts";

/** A block of tests that only a browser can run. */
export function describeInBrowser(name: string, tests: () => void): void {
  describe.skipIf(isMissing("Chromium"))(name, tests);
}

type SiteOptions = Parameters<typeof ConsoleSite.open>[0];

/** A whole service and a browser, from before the first test of the block until after its last. */
export function openSiteAndBrowser(options?: SiteOptions, needs?: BrowserNeeds) {
  return shared(() => ConsoleSite.open(options), needs);
}

interface Signed {
  site: ConsoleSite;
  browser: SharedBrowser;
  /** The first workspace's owner, as a visitor without a browser. */
  owner: HttpVisitor;
  /** The address of the workspace's first page. */
  base: string;
}

/** The same with the first workspace's owner signed in. */
export function openSiteAsOwner(options?: SiteOptions, person = OWNER) {
  const here = openSiteAndBrowser(options) as Signed;
  beforeAll(async () => {
    const { world, url } = here.site;
    here.owner = await signInMember(world, person, url);
    here.base = `${url}/console/${world.workspace.id}/`;
  });
  /** A browser of the owner's own, signed in. */
  const visit = async (more: BrowserContextOptions = {}) => {
    const cookies = [...here.owner.cookies].map(([name, value]) => cookieOf(name, value, here.site.url));
    return openWatchedPage(here.browser, here.site, { storageState: { cookies, origins: [] }, ...more });
  };
  return Object.assign(here, { visit });
}

const cookieOf = (name: string, value: string, url: string) => ({
  ...{ name, value, domain: new URL(url).hostname, path: "/", expires: -1 },
  ...{ httpOnly: true, secure: false, sameSite: "Lax" as const },
});

type Seen = Awaited<ReturnType<typeof openWatchedPage>>;

/** Opens a page as wide as a phone's for each test of a block, and closes it. Its violations fail the test. */
export function openPhonePageForEach(
  its: { site: ConsoleSite; browser: SharedBrowser },
  opened: (phone: Seen) => Promise<void>,
): void {
  let phone: Seen;
  beforeEach(async () => {
    phone = await openWatchedPage(its.browser, its.site, { viewport: { width: 390, height: 844 } });
    await opened(phone);
  });
  afterEach(async () => {
    await phone.context.close();
    expect(phone.faults).toEqual([]);
  });
}

/** The same with nothing but the app's modules. */
export function openModulesAndBrowser(needs?: BrowserNeeds) {
  return shared(() => AppModuleServer.open(), needs);
}

function shared<Opened extends { close(): Promise<void> }>(
  open: () => Promise<Opened>,
  needs?: BrowserNeeds,
): { site: Opened; browser: SharedBrowser } {
  const here = {} as { site: Opened; browser: SharedBrowser };
  beforeAll(async () => {
    here.site = await open();
    here.browser = await launchBrowser(needs);
  });
  afterAll(async () => {
    await here.browser?.close();
    await here.site?.close();
  });
  return here;
}
