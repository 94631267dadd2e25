// Several tabs are one device. One of them leads and sends the requests, and the others receive the changes from it. A
// visible tab has precedence over a hidden one.

import { now } from "./current_time.ts";
import { runInOneTab } from "./web_lock.ts";

type TabMessage = { kind: "changed" } | { kind: "led_by_hidden" } | { kind: "visible" } | { kind: "hurry" };

const LOCK = "belfry-inbox";
/** The interval of the check if the machine slept in the meantime. */
const TICK_MS = 15_000;
const channel = new BroadcastChannel("belfry");
const say = (said: TabMessage) => channel.postMessage(said);

export const isTabVisible = (): boolean => document.visibilityState === "visible";

/** Notifies the other tabs that the store has changed. */
export const notifyTabsOfStoreChange = () => say({ kind: "changed" });

let giveUp = () => {};

/** Ends the leading tab's wait, so that it sends a request at once. */
export function requestImmediateSync(): void {
  giveUp();
  say({ kind: "hurry" });
}

/**
 * Leads during this tab's turns, for as long as the page exists. `work` polls the service until its signal ends the
 * turn. A turn ends when the tab is hidden or shown, when a visible tab waits, or when it must hurry.
 */
export async function runInLeaderTab(work: (signal: AbortSignal) => Promise<void>): Promise<never> {
  for (;;) {
    // A tab that requests the lock again queues behind the waiting ones.
    await runInOneTab(LOCK, async () => {
      const turn = new AbortController();
      giveUp = () => turn.abort();
      if (!isTabVisible()) say({ kind: "led_by_hidden" });
      await work(turn.signal);
      giveUp = () => {};
    });
  }
}

export function listenToTabs(onChange: () => void): void {
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === "changed") onChange();
    else if (data.kind === "led_by_hidden" && isTabVisible()) say({ kind: "visible" });
    else if (data.kind === "hurry" || (data.kind === "visible" && !isTabVisible())) giveUp();
  };
  document.addEventListener("visibilitychange", () => {
    giveUp();
    if (isTabVisible()) say({ kind: "visible" });
  });
  for (const name of ["online", "offline"]) addEventListener(name, () => giveUp());
  addEventListener("pageshow", ({ persisted }) => persisted && giveUp());
  if (isTabVisible()) say({ kind: "visible" });
  let last = now();
  setInterval(() => {
    // The machine slept: all open connections are dead, without an event.
    const gone = now() - last > 4 * TICK_MS;
    last = now();
    if (gone) giveUp();
  }, TICK_MS);
}
