// The web app in a browser, as a person uses it: opened, joined to a channel, and what it keeps.

import type { Page } from "playwright-core";
import { subscribeSilently } from "../../scripts/demo_browser.ts";
import { waitUntil } from "./wait.ts";

/**
 * Opens the app and joins a channel by its link with all permissions off, so without its test notification. Grants
 * permissions by their labels afterwards.
 */
export async function joinInApp(
  page: Page,
  url: string,
  { handle, invite, grants = [] }: { handle: string; invite?: string; grants?: string[] },
): Promise<void> {
  await page.goto(`${url}/app/#join=${handle}${invite ? `&invite=${invite}` : ""}`);
  await subscribeSilently(page);
  if (grants.length === 0) return;
  await page.goto(`${url}/app/#channel/${handle}/settings`);
  for (const label of grants) await page.getByRole("switch", { name: label }).check();
  await waitUntil(async () => {
    const channels = await readAppStore(page, "channels");
    return channels.find((one) => one.handle === handle)?.subscription.permissions.length === grants.length;
  });
  await page.goto(`${url}/app/#channel/${handle}`);
}

/** Opens the cards of a view that are closed at first. */
export async function expandAllCards(page: Page): Promise<void> {
  await page.locator("details.fold").first().waitFor();
  await page.evaluate('for (const card of document.querySelectorAll("details.fold")) card.open = true');
}

export const findAlertCard = (page: Page, title: string) => page.locator(".list .alert", { hasText: title });

/** The contents of a store of the app. */
export const readAppStore = (page: Page, store: "alerts" | "reports" | "facts" | "channels"): Promise<any[]> =>
  page.evaluate(
    (name) =>
      new Promise<any[]>((resolve, reject) => {
        const web: any = globalThis;
        const asked = web.indexedDB.open("belfry");
        asked.onerror = () => reject(asked.error);
        asked.onsuccess = () => {
          const rows = asked.result.transaction(name).objectStore(name).getAll();
          rows.onsuccess = () => {
            asked.result.close();
            resolve(rows.result);
          };
        };
      }),
    store,
  );

/** The device's credential. */
export async function readDeviceToken(page: Page): Promise<string> {
  const found = (await readAppStore(page, "facts")).find((fact) => typeof fact?.token === "string");
  if (!found) throw new Error("the app has no device");
  return found.token;
}

/** Makes the page hidden or visible again, as a phone does with a sleeping app. */
export const setHidden = (page: Page, hidden: boolean): Promise<void> =>
  page.evaluate((is) => {
    const web: any = globalThis;
    Object.defineProperty(web.document, "visibilityState", {
      configurable: true,
      get: () => (is ? "hidden" : "visible"),
    });
    web.document.dispatchEvent(new web.Event("visibilitychange"));
  }, hidden);
