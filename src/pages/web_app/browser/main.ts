// Starts the app: reads what the device keeps, takes the place of what the page said before, and asks the service from then on. Registers
// the app's worker, which a newer one replaces when the person says so.

import { render } from "preact";
import { now } from "./clock.ts";
import { html } from "./markup.ts";
import { repeat } from "./rings.ts";
import { at } from "./router.ts";
import { unlockByTouch } from "./senses/ring.ts";
import { change, current, onChange, openState, readStore } from "./state.ts";
import { setFact } from "./store.ts";
import { follow } from "./sync.ts";
import { lead, listen } from "./tabs.ts";
import { onLanguage, setLanguage, t } from "./texts/texts.ts";
import { App } from "./views/app.ts";
import { learnTruths } from "./views/settings.ts";
import { learnWakeUps } from "./wake_ups.ts";

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

/** How often what is over is looked for, while nothing else changes. */
const MINUTE_MS = 60_000;

async function speakAs(language: string | null): Promise<void> {
  const chosen = await setLanguage(language === null ? navigator.languages : [language]);
  document.documentElement.lang = chosen;
  const { store } = current();
  if (store) await setFact(store, "words", { ack: t("alert.ack"), look: t("inbox.look"), test: t("alert.test") });
}

async function start(): Promise<void> {
  await openState();
  let language = current().settings.language;
  await speakAs(language);
  // biome-ignore lint/style/noNonNullAssertion: the page that loads this script has it
  const root = document.getElementById("app")!;
  root.replaceChildren();
  render(html`<${App} />`, root);
  onLanguage(() => change({ at: now() }));
  onChange(() => {
    if (current().settings.language === language) return;
    language = current().settings.language;
    void speakAs(language);
  });
  listen(() => void readStore());
  setInterval(() => {
    change({ at: now() });
    void repeat();
  }, MINUTE_MS);
  unlockByTouch(document);
  void learnTruths();
  void startWorker();
  void learnWakeUps();
  navigator.serviceWorker?.addEventListener("message", ({ data }) => {
    if (typeof data?.open === "string") location.hash = at.alert(data.open);
  });
  if (current().store) void lead(follow);
}

void start();
