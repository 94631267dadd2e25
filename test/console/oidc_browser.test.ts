// Signing in with an OpenID Connect provider in Chromium: two origins, their cookies and policies, and the way back.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OWNER, signIn, signInMember } from "../support/console_site.ts";
import { describeInBrowser, openSiteAndBrowser } from "../support/in_browser.ts";
import { type OidcIssuer, startOidcIssuer } from "../support/oidc_issuer.ts";

const urls: string[] = [];
const issuer: OidcIssuer = await startOidcIssuer(urls);
afterAll(() => issuer.close());

const ADA = { sub: "ada", email: OWNER.email, email_verified: true, name: "Ada" };
const BEN = { sub: "ben", email: "ben@example.org", email_verified: true, name: "Ben", groups: ["crew"] };

// rules#oidc-sign-in rules#oidc-accounts
describeInBrowser("in Chromium", () => {
  const here = openSiteAndBrowser({
    settings: {
      ...issuer.settings,
      OIDC_SCOPES: "openid profile email groups",
      OIDC_MEMBER_CLAIM: "groups",
      OIDC_MEMBERS: "crew=viewer",
    },
  });
  let page: Page;
  beforeAll(async () => {
    urls.push(here.site.url);
    await signInMember(here.site.world, OWNER, here.site.url);
    page = await here.browser.newPage({ viewport: { width: 390, height: 844 } });
  });

  const button = () => page.getByRole("link", { name: "Sign in with Keyhouse" });
  const alert = () => page.locator("main").innerText();

  test("a member by claim signs in, after a cancelled and a falsified answer", async () => {
    await page.goto(`${here.site.url}/console/sign-in?next=/console/account`);
    issuer.state.person = null;
    await button().click();
    await page.waitForURL("**/console/sign-in/oidc/callback?*");
    expect(await alert()).toContain("Keyhouse did not sign you in");

    issuer.state.person = BEN;
    issuer.state.falsify = async (tokens, claims) => ({
      ...tokens,
      id_token: await issuer.sign({ ...claims, nonce: "another" }),
    });
    await button().click();
    await page.getByText("The response from Keyhouse is not valid").waitFor();

    issuer.state.falsify = null;
    await button().click();
    await page.waitForURL("**/console/account");
    expect(await alert()).toContain("ben@example.org");
    // Back finds no form to be sent again.
    const back = await page.goBack();
    expect([back?.status(), new URL(page.url()).origin]).toEqual([401, here.site.url]);
    await page.goto(`${here.site.url}/console/account`);
    await page.getByRole("button", { name: "Sign out" }).first().click();
  });

  test("an owner is not opened by the address, connects the account, and signs in with it", async () => {
    issuer.state.person = ADA;
    await page.context().clearCookies();
    await page.goto(`${here.site.url}/console/sign-in`);
    await button().click();
    await page.getByText("Your e-mail address already has an account here.").waitFor();
    await signIn(page, OWNER);
    await page.waitForURL(/\/console\/wsp_/);

    await page.goto(`${here.site.url}/console/account`);
    await page.getByRole("link", { name: "Connect Keyhouse" }).click();
    await page.getByLabel("Your password").fill(OWNER.password);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Single sign-on is connected.").waitFor();

    await page.context().clearCookies();
    await page.goto(`${here.site.url}/console/sign-in`);
    await button().click();
    await page.waitForURL(/\/console\/wsp_/);
    await page.goto(`${here.site.url}/console/account`);
    expect(await alert()).toContain(OWNER.email);
  });
});
