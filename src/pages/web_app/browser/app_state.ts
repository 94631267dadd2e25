// The app's current state, in one object that is replaced on each change. Views read it, actions change it.

import { useEffect, useState } from "preact/hooks";
import { now } from "./current_time.ts";
import { fillStoredAlertDefaults, fillStoredChannelDefaults } from "./field_defaults.ts";
import {
  type AppSettings,
  DEFAULT_SETTINGS,
  getStoredFact,
  type LocalStore,
  openLocalStore,
  type StoredAlert,
  type StoredChannel,
  type StoredDevice,
} from "./local_store.ts";
import { markAlertSentBeforeJoining } from "./rules/merge_inbox.ts";
import { notifyTabsOfStoreChange } from "./tab_leader.ts";
import type { TextKey } from "./texts/text_types.ts";

/** The state of the connection to the service. */
type ConnectionState = "starting" | "live" | "away";

/**
 * `on` and `off` are the user's choice. `asking`: the browser's question is open. `pending` and `failed` are states of
 * the registration. The others are reasons against push notifications. The page is not https (`insecure`), or the app
 * is not on the home screen (`ios`). The browser or the server does not support them, or the user blocked them.
 */
export type PushState =
  | ("on" | "off" | "asking" | "pending" | "failed")
  | ("insecure" | "ios" | "browser" | "server" | "denied");

interface AppState {
  /** Null: the browser provides no storage for this page. */
  store: LocalStore | null;
  ready: boolean;
  device: StoredDevice | null;
  settings: AppSettings;
  channels: ReadonlyMap<string, StoredChannel>;
  alerts: readonly StoredAlert[];
  /** Every followed channel has moved to another browser. */
  moved: boolean;
  waiting: number;
  connection: ConnectionState;
  /** When the inbox was last known to be current, in milliseconds since 1970. */
  currentAt: number | null;
  update: (() => void) | null;
  /** The state of push notifications while the app is closed, or why they are unavailable; null: unknown. */
  wakes: PushState | null;
  /** The reason of a failed registration. */
  pushProblem: TextKey | null;
  /**
   * The registration that just succeeded, until the user closes its note: for one channel or, with null, for all.
   * `test`: a test notification was shown.
   */
  confirmed: { handle: string | null; test: boolean } | null;
  /** Opens the browser's dialog that installs the app; null where the browser offers none. */
  install: (() => Promise<void>) | null;
  /** The alert that covers everything else until the person responds. */
  full: string | null;
  /** An action that can be undone for some seconds. */
  undo: { text: string; undo: () => Promise<void> } | null;
  /** The last action, which can be undone or was refused; shown once. */
  said: { text: string; bad: boolean } | null;
  /** The time that views use; updated every minute. */
  at: number;
}

let state: AppState = {
  store: null,
  ready: false,
  device: null,
  settings: DEFAULT_SETTINGS,
  channels: new Map(),
  alerts: [],
  moved: false,
  waiting: 0,
  connection: "starting",
  currentAt: null,
  update: null,
  wakes: null,
  pushProblem: null,
  confirmed: null,
  install: null,
  full: null,
  undo: null,
  said: null,
  at: now(),
};

const watchers = new Set<() => void>();

export const getAppState = (): AppState => state;

export function updateAppState(part: Partial<AppState>): void {
  state = { ...state, ...part };
  for (const tell of watchers) tell();
}

/** Calls `watcher` after each change. */
export const watchAppState = (watcher: () => void): void => void watchers.add(watcher);

/** The current state, and a view that is redrawn after each change of it. */
export function useAppState(): AppState {
  const [, draw] = useState(0);
  useEffect(() => {
    const tell = () => draw((times) => times + 1);
    watchers.add(tell);
    return () => void watchers.delete(tell);
  }, []);
  return state;
}

/** Waits until the state is so, or the signal ends it. */
export function waitForAppState(holds: (state: AppState) => boolean, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!holds(state) && !signal.aborted) return;
      watchers.delete(check);
      signal.removeEventListener("abort", check);
      resolve();
    };
    watchers.add(check);
    signal.addEventListener("abort", check);
    check();
  });
}

/** Opens the store and reads it. A browser that keeps nothing gives none. */
export async function loadAppState(): Promise<void> {
  try {
    updateAppState({ store: await openLocalStore() });
    await reloadAppState();
  } catch {
    updateAppState({ store: null, ready: true });
  }
}

/** Reads what this or another tab has written. */
export async function reloadAppState(): Promise<void> {
  const { store } = state;
  if (!store) return;
  const [device, settings, currentAt, moving, channels, alerts, waiting] = await Promise.all([
    getStoredFact(store, "device"),
    getStoredFact(store, "settings"),
    getStoredFact(store, "current_at"),
    getStoredFact(store, "moving"),
    store.getAll("channels"),
    store.getAll("alerts"),
    store.count("reports"),
  ]);
  const followed = new Map(channels.map((channel) => [channel.handle, fillStoredChannelDefaults(channel)]));
  updateAppState({
    ready: true,
    device: device ?? null,
    settings: { ...DEFAULT_SETTINGS, ...settings },
    currentAt: currentAt ?? null,
    channels: followed,
    moved: moving !== undefined && channels.length > 0 && channels.every(({ subscription }) => subscription === null),
    alerts: alerts.map((alert) =>
      markAlertSentBeforeJoining(fillStoredAlertDefaults(alert), followed.get(alert.handle)),
    ),
    waiting,
    at: now(),
  });
}

/** After this tab wrote to the store: here and in the others. */
export async function reloadStateInAllTabs(): Promise<void> {
  await reloadAppState();
  notifyTabsOfStoreChange();
}
