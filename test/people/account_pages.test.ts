// The pages about people in Chromium, as somebody finds them on every kind of screen: nothing keeps anybody out (axe), nothing
// scrolls sideways, no page is heavy, and what is shown once has a copy button. PICTURES=<folder> keeps what was seen.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join as joinPath } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeOf } from "../support/codes.ts";
import { executablePath, join, launch, Site, watched } from "../support/site.ts";

if (!executablePath) console.log("account_pages: skipped, since CHROMIUM names no browser");

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const OWNER = { name: "Ada Ferreira", email: "owner@example.org", password: "correct horse battery" };
const MOST_BYTES = 150_000;
const pictures = process.env.PICTURES;

describe.skipIf(!executablePath)("pages about people", () => {
  let site: Site;
  let browser: Browser;
  beforeAll(async () => {
    site = await Site.open({ name: "localhost" });
    browser = await launch();
    const { page, context } = await watched(browser, site);
    await join(page, await site.link(), OWNER);
    await page.waitForURL(/wsp_/);
    await site.world.key({ name: "Ferry board" });
    await site.world.sql(
      `insert into auth.passkey (id, name, "userId", "publicKey", "credentialID", counter, "deviceType", "backedUp", "createdAt")
        select 'one', 'Laptop at the pier', id, '', '', 0, 'multiDevice', true, now() from auth."user"`,
    );
    await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const base = () => `/console/${site.world.workspace.id}`;

  test.each([
    { colorScheme: "light", width: 1280 },
    { colorScheme: "dark", width: 390 },
  ] as const)("$colorScheme, and at $width, 390 and 320 pixels", async ({ colorScheme, width }) => {
    const { page, context, faults } = await watched(browser, site, { colorScheme });
    await page.addInitScript(AXE);
    let bytes = 0;
    page.on("response", async (response) => {
      bytes += (await response.body().catch(() => "")).length;
    });

    let shown = 0;
    async function look(name: string) {
      expect(bytes, `${name} weighs`).toBeLessThan(MOST_BYTES);
      for (const wide of [...new Set([width, 1280, 390, 320])]) {
        await page.setViewportSize({ width: wide, height: 844 });
        const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect({ name, wide, over }).toEqual({ name, wide, over: 0 });
        if (pictures)
          await page.screenshot({
            path: joinPath(pictures, `${String(shown).padStart(2, "0")}-${name}-${wide}-${colorScheme}.png`),
            fullPage: true,
          });
        if (wide !== width) continue;
        const { violations } = await page.evaluate<any>("axe.run()");
        expect(
          violations.map(({ id, nodes }: any) => [name, id, nodes.map(({ html }: any) => html)]),
        ).toEqual([]);
      }
      shown += 1;
      await page.setViewportSize({ width, height: 844 });
      bytes = 0;
    }
    const open = async (path: string, name: string) => {
      await page.goto(site.url + path);
      await look(name);
    };
    const press = (name: string | RegExp) => page.getByRole("button", { name, exact: true }).first().click();

    await open("/console/sign-in", "sign-in");
    await press("Sign in");
    await look("sign-in-refused");
    await page.getByLabel("E-mail address").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await press("Sign in");
    await page.waitForURL(/wsp_/);

    await open("/console/account", "account");
    await open("/console/account/passkeys/new", "passkey-new");
    await open("/console/account/second-factor", "second-step-ask");
    await press("Go on");
    await look("second-step-refused");
    await page.getByLabel("Your password").fill(OWNER.password);
    await press("Go on");
    await look("second-step-pairing");
    const uri = await page.locator("input[name=uri]").inputValue();
    await page.getByLabel("Code that the app shows").fill("000000");
    await press("Turn the second step on");
    await look("second-step-wrong-code");
    await page.getByLabel("Code that the app shows").fill(await codeOf(uri));
    await press("Turn the second step on");
    await page.getByRole("button", { name: "Copy the recovery codes" }).waitFor();
    await look("recovery-codes");
    await open("/console/account/second-factor", "second-step-on");
    await open("/console/account/second-factor/off", "second-step-off");
    await open("/console/account/close", "close");
    await open(`${base()}/leave`, "leave");
    await open(`${base()}/name`, "rename");
    await open(`${base()}/members`, "members");
    await open(`${base()}/keys`, "keys");
    await page.getByLabel("Name").fill("Deploys");
    await page.locator("#scope-pushers\\:read").check();
    await press("Make the key");
    await page.getByRole("button", { name: "Copy the key" }).waitFor();
    await look("key-made");
    await open(`${base()}/assistants`, "assistants");
    await open(`${base()}/files`, "files");

    await signOutAndBack(page, uri, look);
    await page.goto(`${site.url}/console/account/second-factor/off`);
    await page.getByLabel("Your password").fill(OWNER.password);
    await press("Turn it off");
    await page.getByText("The second step is off.").waitFor();
    // What looks at the page puts a sheet of its own into it; one of ours the policy would have refused.
    expect(faults.filter((fault) => !fault.startsWith("inline "))).toEqual([]);
    await context.close();
  });

  async function signOutAndBack(page: Page, uri: string, look: (name: string) => Promise<void>) {
    await page.getByRole("button", { name: "Sign out" }).first().click();
    await page.getByLabel("E-mail address").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByLabel("Code from your app").waitFor();
    await look("code");
    await page.getByText("I do not have my phone").click();
    await look("code-recovery");
    await page.getByLabel("Code from your app").fill(await codeOf(uri, 1));
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL(/wsp_/);
  }
});
