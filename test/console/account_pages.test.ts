// Pages about people that only a form leads to, in Chromium. axe finds nothing, no page is heavy, and secrets that are
// shown once have a copy button. test/console/page_accessibility.test.ts visits all pages that have an address.
// PICTURES=<folder> keeps screenshots.

import { join as joinPath } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { OWNER, openWatchedPage } from "../support/console_site.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { checkAccessibility, MAX_PAGE_BYTES } from "../support/page_checks.ts";
import { computeTotp } from "../support/totp_codes.ts";

const pictures = process.env.PICTURES;

describeInBrowser("pages about people", () => {
  const its = openSiteAsOwner({ name: "localhost" });
  const base = () => `/console/${its.site.world.workspace.id}`;

  test("each answer to a form passes axe at three widths, light and dark, and no page is heavy", async () => {
    const { page, context, faults } = await openWatchedPage(its.browser, its.site);
    let bytes = 0;
    page.on("response", async (response) => {
      bytes += (await response.body().catch(() => "")).length;
    });

    let shown = 0;
    async function look(name: string) {
      expect(bytes, `${name} weighs`).toBeLessThan(MAX_PAGE_BYTES);
      await checkAccessibility(page, name);
      if (pictures)
        await page.screenshot({
          path: joinPath(pictures, `${String(shown).padStart(2, "0")}-${name}.png`),
          fullPage: true,
        });
      shown += 1;
      bytes = 0;
    }
    const open = (path: string) => page.goto(its.site.url + path);
    const press = (name: string | RegExp) => page.getByRole("button", { name, exact: true }).first().click();

    await open("/console/sign-in");
    await press("Sign in");
    await look("sign-in-refused");
    await page.getByLabel("E-mail address").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await press("Sign in");
    await page.waitForURL(/wsp_/);

    await open("/console/account/second-factor");
    await press("Continue");
    await look("second-step-refused");
    await page.getByLabel("Your password").fill(OWNER.password);
    await press("Continue");
    await look("second-step-pairing");
    const uri = await page.locator("input[name=uri]").inputValue();
    await page.getByLabel("6-digit code").fill("000000");
    await press("Turn on");
    await look("second-step-wrong-code");
    await page.getByLabel("6-digit code").fill(await computeTotp(uri));
    await press("Turn on");
    await page.getByRole("button", { name: "Copy the recovery codes" }).waitFor();
    await look("recovery-codes");
    await open("/console/account/second-factor");
    await look("second-step-on");
    await open("/console/account/second-factor/off");
    await look("second-step-off");
    await open(`${base()}/keys`);
    await page.getByText("New key", { exact: true }).first().click();
    await page.getByLabel("Name").fill("Deploys");
    await page.locator("#preset-own").check();
    await page.locator("#scope-pushers\\:read").check();
    await press("Create key");
    await page.getByRole("button", { name: "Copy the key" }).waitFor();
    await look("key-made");

    await signOutAndBack(page, uri, look);
    await page.goto(`${its.site.url}/console/account/second-factor/off`);
    await page.getByLabel("Your password").fill(OWNER.password);
    await press("Turn off");
    await page.getByText("Two-factor authentication is off.").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  async function signOutAndBack(page: Page, uri: string, look: (name: string) => Promise<void>) {
    await page.getByRole("button", { name: "Sign out" }).first().click();
    await page.getByLabel("E-mail address").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByLabel("6-digit code").waitFor();
    await look("code");
    await page.getByLabel("6-digit code").fill(await computeTotp(uri, 1));
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL(/wsp_/);
  }
});
