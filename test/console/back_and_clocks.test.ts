// The console in Chromium: the way back to a refused form, and the clock format of times.

import { expect, test } from "vitest";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";

describeInBrowser("in Chromium", () => {
  const here = openSiteAsOwner();

  // rules#console-kept
  test("Back after a corrected form returns to it with its text, and offers no new submission", async () => {
    const { page, context } = await here.visit({ viewport: { width: 390, height: 844 } });
    await page.goto(`${here.base}channels/new`);
    await page.getByLabel("Name", { exact: true }).fill("Harbour");
    const submit = () => page.locator("main form button:not([value])").last().click();
    await submit();
    await page.getByText("Short description is missing.").first().waitFor();
    await page
      .getByLabel(/Handle/)
      .first()
      .fill("harbour-watch");
    await page.getByLabel("Short description").fill("Tides and bridges");
    await submit();
    await page.waitForURL(/\/channels\/psh_/);
    expect((await page.goBack())?.status()).toBe(422);
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Harbour");
    await context.close();
  });

  test.each([
    ["en-US", /\b(?:am|pm)\b/],
    ["de-DE", /, \d\d:\d\d$/],
  ])("a browser in %s has one kind of clock on a page", async (locale, clock) => {
    const { page, context } = await here.visit({ locale });
    await page.goto(`${here.base}audit`);
    const times = page.locator("time[datetime]");
    await times.first().waitFor();
    const shown = await times.evaluateAll((all) => all.map((time) => [time.textContent, (time as any).title]));
    for (const [text, title] of shown)
      if (/\d:\d/.test(text ?? ""))
        expect([text, title?.replace(/ UTC$/, "")]).toEqual([
          expect.stringMatching(clock),
          expect.stringMatching(clock),
        ]);
    expect(shown.some(([text]) => clock.test(text ?? ""))).toBe(true);
    await context.close();
  });
});
