// Tests in a real Chromium: the block that says so where there is none, and what its tests share. Needs CHROMIUM=/path/to/chromium.

import type { BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
import { lacks } from "./lacks.ts";
import { Modules } from "./senses.ts";
import { type BrowserNeeds, type Browsing, launch, OWNER, Site, signedInAs, type Visitor, watched } from "./site.ts";

/** A block of tests that only a browser can run. */
export function inBrowser(name: string, tests: () => void): void {
  describe.skipIf(lacks("Chromium"))(name, tests);
}

type SiteOptions = Parameters<typeof Site.open>[0];

/** A whole service and a browser, from before the first test of the block until after its last. */
export function siteAndBrowser(options?: SiteOptions, needs?: BrowserNeeds) {
  return shared(() => Site.open(options), needs);
}

interface Signed {
  site: Site;
  browser: Browsing;
  /** The first workspace's owner, as a visitor without a browser. */
  owner: Visitor;
  /** The address of the workspace's first page. */
  base: string;
}

/** The same with the first workspace's owner signed in. */
export function siteAndOwner(options?: SiteOptions, person = OWNER) {
  const here = siteAndBrowser(options) as Signed;
  beforeAll(async () => {
    const { world, url } = here.site;
    here.owner = await signedInAs(world, person, url);
    here.base = `${url}/console/${world.workspace.id}/`;
  });
  /** A browser of the owner's own, signed in. */
  const visit = async (more: BrowserContextOptions = {}) => {
    const cookies = [...here.owner.cookies].map(([name, value]) => cookieOf(name, value, here.site.url));
    return watched(here.browser, here.site, { storageState: { cookies, origins: [] }, ...more });
  };
  return Object.assign(here, { visit });
}

const cookieOf = (name: string, value: string, url: string) => ({
  ...{ name, value, domain: new URL(url).hostname, path: "/", expires: -1 },
  ...{ httpOnly: true, secure: false, sameSite: "Lax" as const },
});

type Seen = Awaited<ReturnType<typeof watched>>;

/** Opens a page as wide as a phone's for each test of a block, and closes it. What it did wrong fails the test. */
export function phoneForEach(its: { site: Site; browser: Browsing }, opened: (phone: Seen) => Promise<void>): void {
  let phone: Seen;
  beforeEach(async () => {
    phone = await watched(its.browser, its.site, { viewport: { width: 390, height: 844 } });
    await opened(phone);
  });
  afterEach(async () => {
    await phone.context.close();
    expect(phone.faults).toEqual([]);
  });
}

/** The same with nothing but the app's modules. */
export function modulesAndBrowser(needs?: BrowserNeeds) {
  return shared(() => Modules.open(), needs);
}

function shared<Opened extends { close(): Promise<void> }>(
  open: () => Promise<Opened>,
  needs?: BrowserNeeds,
): { site: Opened; browser: Browsing } {
  const here = {} as { site: Opened; browser: Browsing };
  beforeAll(async () => {
    here.site = await open();
    here.browser = await launch(needs);
  });
  afterAll(async () => {
    await here.browser?.close();
    await here.site?.close();
  });
  return here;
}
