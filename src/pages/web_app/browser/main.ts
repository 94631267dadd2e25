// Starts the app: reads what the device keeps, takes the place of what the page said before, and asks the service from then on.

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
import { learnTruths } from "./views/truths.ts";
import { learnWakeUps } from "./wake_ups.ts";
import { startWorker } from "./worker.ts";

/** How often what is over is looked for, while nothing else changes. */
const MINUTE_MS = 60_000;

async function speakAs(language: string | null): Promise<void> {
  const chosen = await setLanguage(language === null ? navigator.languages : [language]);
  document.documentElement.lang = chosen;
  const { store } = current();
  if (store)
    await setFact(store, "words", { ack: t("alert.ack"), look: t("inbox.look"), test: t("alert.test") });
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
