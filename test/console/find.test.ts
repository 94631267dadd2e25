// Search of the console: the search page, and the dialog by keyboard. rules#console-find

import { describe, expect, test } from "vitest";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { OWNER, signInMember, signInOwner } from "../support/console_site.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld();
const owner = await signInOwner(world);
const base = `/console/${world.workspace.id}/`;

describe("the search page", () => {
  const found = (text: string) =>
    [...text.matchAll(/<li><a href="([^"]+)"><span class="name">(.*?)<\/span>/g)].map(([, href, name]) => [
      name!.replaceAll(/<\/?mark>/g, ""),
      href,
    ]);
  const search = async (q: string) => {
    const { text } = await owner.get(`${base}find?${new URLSearchParams({ q })}`);
    return { text, names: found(text).map(([name]) => name) };
  };

  test("channels, alerts, pages and actions are found without a script, and each of them opens", async () => {
    const { id } = await world.pusher({ name: "Harbour Watch", handle: "harbour" });
    await world.alert(id, { title: "High tide in the harbour" });
    const { text, names } = await search("harbour");
    expect(names).toEqual(["Harbour Watch", "Write an alert for Harbour Watch", "High tide in the harbour"]);
    expect(text).toContain("High tide in the <mark>harbour</mark>");
    expect((await search("SERVICE this")).names).toEqual(["This service"]);
    expect((await search("add webhook")).names).toEqual(["Add a webhook"]);
    expect(found((await search("upload file")).text)).toEqual([["Upload a file", `${base}files#new`]]);
    expect((await search("two-factor")).names).toEqual(["Two-factor authentication"]);
    expect((await search('"><script>')).text).toContain("No results for “&quot;&gt;&lt;script&gt;”.");
    for (const [, href] of [...found(text), ...found((await search("")).text)]) {
      const { status } = await owner.get(href!.replace(/#.*/, ""));
      expect([href, [200, 303].includes(status)]).toEqual([href, true]);
    }
  });

  test("a viewer finds no page or action that the role may not open, and no other workspace's channel", async () => {
    const email = "viewer@example.org";
    await addWorkspaceMember(world.service.orm.em.fork() as never, {
      workspace: world.workspace.id,
      email,
      role: "viewer",
    });
    const viewer = await signInMember(world, { ...OWNER, email });
    const { text } = await viewer.get(`${base}find`);
    const names = found(text).map(([name]) => name);
    expect(names).toContain("Statistics");
    for (const hidden of ["Members", "Keys", "This service", "Create a channel", "Create a key", "Write an alert"])
      expect(names).not.toContain(hidden);
    const foreign = await world.foreignKey();
    await world.pusher({ name: "Foreign Desk" }, foreign);
    expect((await search("foreign")).names).toEqual([]);
  });
});

describeInBrowser("the search dialog", () => {
  const here = openSiteAsOwner();

  test("the dialog works by keyboard alone, leaves typing alone, and lists the shortcuts", async () => {
    const { context, page, faults } = await here.visit({ viewport: { width: 1280, height: 800 } });
    const { id } = await here.site.world.pusher({ name: "Harbour Watch", handle: "harbour" });
    await here.site.world.alert(id, { title: "High tide in the harbour" });
    await page.goto(`${here.base}channels`);
    const dialog = page.getByRole("dialog", { name: "Search the workspace" });
    await page.locator("#q").press("/");
    expect(await page.locator("#q").inputValue()).toBe("/");
    expect(await dialog.isVisible()).toBe(false);
    await page.locator("#q").press("Control+k");
    await dialog.getByText("Statistics").waitFor();
    expect(await dialog.getByRole("button", { name: "Close", exact: true }).textContent()).toBe("Close Esc");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.locator("h1").click();
    await page.keyboard.press("/");
    await page.keyboard.type("harbour");
    await dialog.getByText("3 results").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL(/channels\/psh_\w+$/);
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByText("Search the workspace", { exact: true }).waitFor();
    await help.getByRole("checkbox").uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    expect(await dialog.isVisible()).toBe(false);
    await page.keyboard.press("Control+k");
    await dialog.waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});
