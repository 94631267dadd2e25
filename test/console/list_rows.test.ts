// Lists of the console in a browser. On a phone a row has one line of values. Rows have menus, and selected alerts have
// actions. Needs a Chromium.

import { beforeAll, expect, test } from "vitest";
import { parseUuid } from "../cases/fixtures.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { listAxeFindings } from "../support/page_checks.ts";
import { createSampleWorkspace } from "../support/sample_workspace.ts";

describeInBrowser("rows of lists", () => {
  const here = openSiteAsOwner();
  let ids: Record<string, string>;
  beforeAll(async () => {
    ({ ids } = await createSampleWorkspace(here.site, here.owner));
  });

  // rules#console-lists
  test.each([320, 390])("on a phone of %d pixels a row is its heading and a line of values", async (width) => {
    const { context, page, faults } = await here.visit({ viewport: { width, height: 844 }, javaScriptEnabled: false });
    for (const path of ["alerts", "channels", "keys", "members", "audit"]) {
      await page.goto(here.base + path);
      const row = page.getByRole("row").nth(1);
      // The browser still reads a table.
      expect(await row.getByRole("rowheader").count()).toBe(1);
      const facts = row.locator("td:not(.selects)").filter({ visible: true });
      expect(await facts.count()).toBeGreaterThan(0);
      const styles = await facts.evaluateAll((cells: any[]) =>
        cells.map((cell) => {
          const { getComputedStyle } = cell.ownerDocument.defaultView;
          const { flexBasis, position } = getComputedStyle(cell);
          return {
            isInLine: flexBasis === "auto" && position !== "absolute",
            before: getComputedStyle(cell, "::before").content,
          };
        }),
      );
      // The menu and the time are in the line of the title. A sentence has its lines for itself.
      const menus = await row.locator("details.menu, th:not(:has(.sentence)) ~ td > .at").count();
      expect([path, styles.filter(({ isInLine }) => !isInLine).length]).toEqual([path, menus]);
      const values = row.locator("td:not(.selects, :has(> :is(.menu, .at, .more)))").filter({ visible: true });
      const middles = await values.evaluateAll((cells: any[]) =>
        cells.map((cell) => cell.getBoundingClientRect()).map(({ top, height }) => top + height / 2),
      );
      expect([path, Math.max(...middles) - Math.min(...middles) < 2]).toEqual([path, true]);
      // A separator does not begin the line.
      expect(styles[0]!.before).not.toMatch(/·/);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    }
    expect(faults).toEqual([]);
    await context.close();
  });

  // rules#console-lists
  test("on a phone no mark, number or time of a row is cut, and no row is wider than the screen", async () => {
    const { context, page } = await here.visit({ viewport: { width: 320, height: 844 }, javaScriptEnabled: false });
    for (const path of ["alerts", "sent", "audit", `channels/${ids.pusher}/senders`, `webhooks/${ids.webhook}`]) {
      await page.goto(here.base + path);
      const values = page.locator(".rows td:is(.number, :has(.priority, .badge, time))").filter({ visible: true });
      expect(await values.count()).toBeGreaterThan(0);
      const cut = await values.evaluateAll((cells: any[]) =>
        cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent),
      );
      expect([path, cut, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([path, [], 320]);
    }
    await context.close();
  });

  // rules#console-lists
  test("actions on alerts are shown for a selection, and a draft has one", async () => {
    const { context, page } = await here.visit({ javaScriptEnabled: false });
    const actions = page.locator(".bulk button").filter({ visible: true });
    await page.goto(`${here.base}alerts`);
    expect(await actions.count()).toBe(0);
    await page.locator("td.selects .scheduled").first().check();
    expect(await actions.allTextContents()).toEqual(["Deselect", "Move", "Cancel sending", "Delete"]);
    await page.getByRole("button", { name: "Deselect" }).click();
    expect([await actions.count(), await page.locator("td.selects :checked").count()]).toEqual([0, 0]);
    await page.goto(`${here.base}drafts`);
    await page
      .getByRole("checkbox", { name: /^Select / })
      .first()
      .check();
    expect(await actions.allTextContents()).toEqual(["Deselect", "Delete"]);
    await context.close();
  });

  // rules#console-lists
  test("on a phone the box for all rows is named, and shows that some rows are selected", async () => {
    const { context, page } = await here.visit({ viewport: { width: 390, height: 844 } });
    await page.goto(`${here.base}alerts`);
    await page.getByRole("button", { name: "Alert state: All" }).click();
    expect(await listAxeFindings(page)).toEqual([]);
    await page.getByText("Select alerts").click();
    expect(await page.locator("#views").isVisible()).toBe(false);
    const all = page.getByRole("checkbox", { name: "Select all" });
    const state = () => all.evaluate((box: any) => [box.checked, box.indeterminate]);
    await page.getByText("Select all").click();
    const rows = page.locator("td.selects input");
    expect(await page.locator("td.selects :checked").count()).toBe(await rows.count());
    expect(await state()).toEqual([true, false]);
    await rows.first().uncheck();
    expect(await state()).toEqual([false, true]);
    await page.getByRole("button", { name: "Deselect" }).click();
    await expect.poll(state).toEqual([false, false]);
    await context.close();
  });

  // rules#console-lists
  test("on a phone the controls above a list are one row, and a filter in use is shown and removed", async () => {
    const { context, page, faults } = await here.visit({
      ...{ viewport: { width: 390, height: 844 }, javaScriptEnabled: false },
    });
    const channel = `channels/${ids.pusher}`;
    const lists = ["alerts", "sent", "channels", "audit", `${channel}?status=sent`, `${channel}/subscribers`];
    for (const path of [...lists, `${channel}/stats`, "stats"]) {
      await page.goto(here.base + path);
      const controls = page
        .locator(".tools")
        .first()
        .locator(":is(input, summary, a, button)")
        .filter({ visible: true });
      const tops = await controls.evaluateAll((all: any[]) => all.map((one) => one.getBoundingClientRect().top));
      expect([path, Math.max(...tops) - Math.min(...tops) < 8]).toEqual([path, true]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    }
    await page.goto(`${here.base}sent?channel=${ids.pusher}`);
    await page.getByRole("button", { name: "Alert state: Sent" }).click();
    await page.getByRole("link", { name: "Cancelled", exact: true }).click();
    const filter = page.getByRole("link", { name: "Remove the filter Channel: Night Trains" });
    await filter.click();
    expect(page.url()).toBe(`${here.base}cancelled`);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("on a phone the time of a row does not cover its title", async () => {
    const { context, page } = await here.visit({ viewport: { width: 390, height: 844 }, locale: "en-US" });
    await here.site.world.sql(
      "update alert set title = 'A title with many short words that fill each line of a row' where send_at is not null",
    );
    for (const path of ["scheduled", "audit"]) {
      await page.goto(here.base + path);
      const covered = await page.locator("tbody tr:has(.at)").evaluateAll((rows: any[]) =>
        rows.map((row) => {
          const range = row.ownerDocument.createRange();
          range.selectNodeContents(row.querySelector("th"));
          const time = row.querySelector(".at").getBoundingClientRect();
          return [...range.getClientRects()].some(
            ({ right, top, bottom }) => right > time.left && top < time.bottom && bottom > time.top,
          );
        }),
      );
      expect([path, covered.length > 0, covered.includes(true)]).toEqual([path, true, false]);
    }
    await context.close();
  });

  test("each tab of a channel has one main button: its own, or a new alert", async () => {
    const { context, page } = await here.visit({ javaScriptEnabled: false });
    const background = (one: any) => one.ownerDocument.defaultView.getComputedStyle(one).backgroundColor;
    await page.goto(`${here.base}channels/${ids.pusher}`);
    const filled = await page.getByRole("link", { name: "New alert" }).evaluate(background);
    for (const [tab, name] of [
      ["", "New alert"],
      ["/stats", "New alert"],
      ["/subscribers", "New alert"],
      ["/invites", "New invite"],
      ["/senders", "Connect a sender"],
      ["/edit", "Save"],
    ] as const) {
      await page.goto(`${here.base}channels/${ids.pusher}${tab}`);
      const main: string[] = [];
      for (const one of await page.locator("main :is(button, .button)").filter({ visible: true }).all())
        if ((await one.evaluate(background)) === filled) main.push((await one.innerText()).trim());
      expect([tab, main]).toEqual([tab, [name]]);
    }
    await context.close();
  });

  test("a key is revoked from the menu of its row", async () => {
    const { context, page } = await here.visit({ viewport: { width: 390, height: 844 } });
    await page.goto(`${here.base}keys`);
    const row = page.getByRole("row").filter({ hasText: "Timetable robot" });
    const revoke = row.getByRole("link", { name: "Revoke Timetable robot" });
    expect(await revoke.isVisible()).toBe(false);
    await row.locator("summary", { hasText: "Actions for" }).click();
    const box = (await revoke.boundingBox())!;
    expect(box.x >= 0 && box.x + box.width <= 390).toBe(true);
    expect(await listAxeFindings(page)).toEqual([]);
    await revoke.click();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Revoke the key Timetable robot?");
    await context.close();
  });

  test("an entry of the audit log shows its whole subject on a phone, with the id as a hint", async () => {
    const { context, page } = await here.visit({ viewport: { width: 390, height: 844 } });
    await here.site.world.sql("update alert set title = ? where id = ?", [
      "<b>A</b> title that is much longer than the line of a row, \u05e9\u05dc\u05d5\u05dd",
      parseUuid(ids.alert!),
    ]);
    await page.goto(`${here.base}audit`);
    const target = page.locator(`a[title="${ids.alert}"] bdi`).last();
    expect(await target.textContent()).toMatch(/^<b>A<\/b> title/);
    const isCut = await target.evaluate((one: any) => {
      const cell = one.closest("th").getBoundingClientRect();
      return [...one.getClientRects()].some(({ right, bottom }: any) => right > cell.right || bottom > cell.bottom);
    });
    expect(isCut).toBe(false);
    await context.close();
  });
});
