// Starts the app: reads the device's data, replaces the initial page, and starts polling. Registers the app's worker. A
// newer worker replaces it when the person agrees.

import { render } from "preact";
import { showDueAlertRepeats, showDueReminders } from "./alert_effects.ts";
import { getAppState, loadAppState, reloadAppState, updateAppState, watchAppState } from "./app_state.ts";
import { now } from "./current_time.ts";
import { html } from "./html_template.ts";
import { runInboxSyncLoop } from "./inbox_sync.ts";
import { setStoredFact } from "./local_store.ts";
import { unlockSoundOnTouch } from "./outputs/alert_player.ts";
import { refreshPushOnPermissionChange, refreshPushState } from "./push_notifications.ts";
import { routeHashes } from "./router.ts";
import { listenToTabs, runInLeaderTab } from "./tab_leader.ts";
import { getDirection, getLangAttribute, LANGUAGE_STORAGE_KEY } from "./texts/languages.ts";
import { loadPreferredLanguage, t, watchLanguage } from "./texts/translate.ts";
import { App } from "./views/app.ts";
import { refreshCapabilities } from "./views/settings.ts";

/**
 * The policy for a Content-Security-Policy with trusted types: it permits the one script address that the app makes
 * itself.
 */
const POLICY = {
  createScriptURL: (address: string) => {
    if (address !== "/sw.js") throw new TypeError("unknown service worker");
    return address;
  },
};

interface Types {
  createPolicy(name: string, rules: typeof POLICY): { createScriptURL(address: string): unknown };
}

async function registerServiceWorker(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const { trustedTypes } = globalThis as { trustedTypes?: Types };
  const address = trustedTypes?.createPolicy("belfry-worker", POLICY).createScriptURL("/sw.js") ?? "/sw.js";
  const registration = await navigator.serviceWorker.register(address as string, {
    scope: "/app",
    updateViaCache: "none",
  });
  const offer = (waiting: ServiceWorker) => updateAppState({ update: () => take(waiting) });
  const watch = (coming: ServiceWorker | null) =>
    coming?.addEventListener("statechange", () => {
      // The first worker replaces no other.
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

/** A type that lib.dom lacks: only Chromium has it. */
interface InstallPrompt extends Event {
  prompt(): Promise<unknown>;
}

/** Keeps the browser's offer to install the app for our own button. It works once. */
function offerInstallation(): void {
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    const install = async () => {
      updateAppState({ install: null });
      await (event as InstallPrompt).prompt();
    };
    updateAppState({ install });
  });
  addEventListener("appinstalled", () => updateAppState({ install: null }));
}

/** The interval of the check for expired alerts, while nothing else changes. */
const MINUTE_MS = 60_000;

/** Changes to the language of the settings, or to the browser's; the worker and the public pages learn of it. */
async function useLanguage(setting: string | null): Promise<void> {
  const language = await loadPreferredLanguage(setting === null ? navigator.languages : [setting]);
  const { documentElement: root } = document;
  root.lang = getLangAttribute(language);
  root.dir = getDirection(language);
  rememberForPages(setting);
  const { store } = getAppState();
  const words = { language, ack: t("alert.ack"), look: t("inbox.look"), test: t("alert.test") };
  if (store) await setStoredFact(store, "words", words);
}

function rememberForPages(setting: string | null): void {
  try {
    if (setting === null) localStorage.removeItem(LANGUAGE_STORAGE_KEY);
    else localStorage.setItem(LANGUAGE_STORAGE_KEY, setting);
  } catch {
    // A browser without storage: the pages go by its own languages.
  }
}

async function start(): Promise<void> {
  await loadAppState();
  let language = getAppState().settings.language;
  await useLanguage(language);
  // biome-ignore lint/style/noNonNullAssertion: the page that loads this script has it
  const root = document.getElementById("app")!;
  root.replaceChildren();
  render(html`<${App} />`, root);
  watchLanguage(() => updateAppState({ at: now() }));
  watchAppState(() => {
    if (getAppState().settings.language === language) return;
    language = getAppState().settings.language;
    void useLanguage(language);
  });
  listenToTabs(() => void reloadAppState());
  setInterval(() => {
    updateAppState({ at: now() });
    void showDueAlertRepeats();
    void showDueReminders();
  }, MINUTE_MS);
  unlockSoundOnTouch(document);
  void refreshCapabilities();
  void showDueReminders();
  void registerServiceWorker();
  void refreshPushState();
  void refreshPushOnPermissionChange();
  navigator.serviceWorker?.addEventListener("message", ({ data }) => {
    if (typeof data?.open === "string") location.hash = routeHashes.alert(data.open);
  });
  if (getAppState().store) void runInLeaderTab(runInboxSyncLoop);
}

offerInstallation();
void start();
