// The app's worker as the page sees it: registered, and replaced by a newer one when the person says so.

import { change } from "./state.ts";

/** What a Content-Security-Policy with trusted types asks for: the one address of a script that the app makes itself. */
const POLICY = {
  createScriptURL: (address: string) => {
    if (address !== "/sw.js") throw new TypeError("no worker of ours");
    return address;
  },
};

interface Types {
  createPolicy(name: string, rules: typeof POLICY): { createScriptURL(address: string): unknown };
}

export async function startWorker(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const { trustedTypes } = globalThis as { trustedTypes?: Types };
  const address = trustedTypes?.createPolicy("belfry-worker", POLICY).createScriptURL("/sw.js") ?? "/sw.js";
  const registration = await navigator.serviceWorker.register(address as string, {
    scope: "/app",
    updateViaCache: "none",
  });
  const offer = (waiting: ServiceWorker) => change({ update: () => take(waiting) });
  const watch = (coming: ServiceWorker | null) =>
    coming?.addEventListener("statechange", () => {
      // The first one replaces nobody.
      if (coming.state === "installed" && navigator.serviceWorker.controller) offer(coming);
    });
  if (registration.waiting && navigator.serviceWorker.controller) offer(registration.waiting);
  watch(registration.installing);
  registration.addEventListener("updatefound", () => watch(registration.installing));
}

function take(waiting: ServiceWorker): void {
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
  waiting.postMessage("skip");
}
