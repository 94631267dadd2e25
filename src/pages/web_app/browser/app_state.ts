// What the app knows at this moment, in one object that is replaced when anything of it changes; views read it,
// actions change it.

import { useEffect, useState } from "preact/hooks";
import { now } from "./clock.ts";
import { fillStoredAlert, fillStoredChannel } from "./field_defaults.ts";
import {
  type AppSettings,
  type AppStore,
  DEFAULT_SETTINGS,
  getFact,
  openStore,
  type StoredAlert,
  type StoredChannel,
  type StoredDevice,
} from "./local_store.ts";
import { markBeforeJoining } from "./rules/merge_inbox.ts";
import { notifyOtherTabs } from "./tab_leader.ts";

/** How the app stands with the service. */
export type ConnectionState = "starting" | "live" | "away";

/**
 * `on` and `off` are the person's choice. The others say why the device cannot get push notifications: the page is
 * not https; an iPhone or iPad only notifies apps on the home screen; this browser cannot; the service does not;
 * notifications of this site are blocked.
 */
export type PushState = "on" | "off" | "insecure" | "ios" | "browser" | "server" | "denied";

export interface AppState {
  /** Null: there is no store, since the browser keeps none for this page. */
  store: AppStore | null;
  ready: boolean;
  device: StoredDevice | null;
  settings: AppSettings;
  channels: ReadonlyMap<string, StoredChannel>;
  alerts: readonly StoredAlert[];
  /** Everything that was followed here has gone to another browser. */
  moved: boolean;
  waiting: number;
  connection: ConnectionState;
  /** When the inbox was last known to be current, in milliseconds since 1970. */
  currentAt: number | null;
  update: (() => void) | null;
  /** Whether this device is woken while the app is closed, or why it cannot be; null: not known. */
  wakes: PushState | null;
  /** The alert that stands over everything else until it is answered. */
  full: string | null;
  /** What has just been done and may be undone or was refused; shown once. */
  said: { text: string; bad: boolean } | null;
  /** The instant that views reckon with; goes on by the minute. */
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
  full: null,
  said: null,
  at: now(),
};

const watchers = new Set<() => void>();

export const getState = (): AppState => state;

export function updateState(part: Partial<AppState>): void {
  state = { ...state, ...part };
  for (const tell of watchers) tell();
}

/** Calls `watcher` after each change. */
export const watchState = (watcher: () => void): void => void watchers.add(watcher);

/** The state as of now, and a view drawn anew with each change of it. */
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
export function waitForState(holds: (state: AppState) => boolean, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!holds(state) && !signal.aborted) return;
      watchers.delete(look);
      signal.removeEventListener("abort", look);
      resolve();
    };
    watchers.add(look);
    signal.addEventListener("abort", look);
    look();
  });
}

/** Opens the store and reads it. A browser that keeps nothing gives none. */
export async function loadState(): Promise<void> {
  try {
    updateState({ store: await openStore() });
    await reloadState();
  } catch {
    updateState({ store: null, ready: true });
  }
}

/** Reads what this or another tab has written. */
export async function reloadState(): Promise<void> {
  const { store } = state;
  if (!store) return;
  const [device, settings, currentAt, moving, channels, alerts, waiting] = await Promise.all([
    getFact(store, "device"),
    getFact(store, "settings"),
    getFact(store, "current_at"),
    getFact(store, "moving"),
    store.getAll("channels"),
    store.getAll("alerts"),
    store.count("reports"),
  ]);
  const followed = new Map(channels.map((channel) => [channel.handle, fillStoredChannel(channel)]));
  updateState({
    ready: true,
    device: device ?? null,
    settings: { ...DEFAULT_SETTINGS, ...settings },
    currentAt: currentAt ?? null,
    channels: followed,
    moved: moving !== undefined && channels.length > 0 && channels.every(({ subscription }) => subscription === null),
    alerts: alerts.map((alert) => markBeforeJoining(fillStoredAlert(alert), followed.get(alert.handle))),
    waiting,
    at: now(),
  });
}

/** After this tab wrote to the store: here and in the others. */
export async function notifyStoreChanged(): Promise<void> {
  await reloadState();
  notifyOtherTabs();
}
