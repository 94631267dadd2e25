// Several tabs are one device: one of them leads and asks the service, the others hear from it what is new. A visible
// tab goes before a hidden one.

import { now } from "./clock.ts";
import { runInOneTab } from "./web_lock.ts";

type TabMessage = { kind: "changed" } | { kind: "led_by_hidden" } | { kind: "visible" } | { kind: "hurry" };

const LOCK = "belfry-inbox";
/** How often it is looked whether the machine slept meanwhile. */
const TICK_MS = 15_000;
const channel = new BroadcastChannel("belfry");
const say = (said: TabMessage) => channel.postMessage(said);

export const isVisible = (): boolean => document.visibilityState === "visible";

/** Tells the other tabs that the store holds something else now. */
export const notifyOtherTabs = () => say({ kind: "changed" });

let giveUp = () => {};

/** Ends what the leading tab waits for, so that it asks again at once. */
export function syncNow(): void {
  giveUp();
  say({ kind: "hurry" });
}

/**
 * Leads whenever it is this tab's turn, for as long as the page lives. `work` asks the service until its signal says
 * that the turn is over: when the tab is hidden or shown, when a visible tab waits, when it must hurry.
 */
export async function runAsLeader(work: (signal: AbortSignal) => Promise<void>): Promise<never> {
  for (;;) {
    // Who asks again stands behind those who wait.
    await runInOneTab(LOCK, async () => {
      const turn = new AbortController();
      giveUp = () => turn.abort();
      if (!isVisible()) say({ kind: "led_by_hidden" });
      await work(turn.signal);
      giveUp = () => {};
    });
  }
}

export function listenToTabs(onChange: () => void): void {
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === "changed") onChange();
    else if (data.kind === "led_by_hidden" && isVisible()) say({ kind: "visible" });
    else if (data.kind === "hurry" || (data.kind === "visible" && !isVisible())) giveUp();
  };
  document.addEventListener("visibilitychange", () => {
    giveUp();
    if (isVisible()) say({ kind: "visible" });
  });
  for (const name of ["online", "offline"]) addEventListener(name, () => giveUp());
  addEventListener("pageshow", ({ persisted }) => persisted && giveUp());
  if (isVisible()) say({ kind: "visible" });
  let last = now();
  setInterval(() => {
    // The machine slept: whatever was open then is dead, and nobody says so.
    const gone = now() - last > 4 * TICK_MS;
    last = now();
    if (gone) giveUp();
  }, TICK_MS);
}
