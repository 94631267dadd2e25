// The device's data in IndexedDB: its own credential, channels, alerts with the person's actions, and pending reports.
// No other module of the app reads or writes it.

import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { ChannelCard, FetchedInboxAlert, ReportKind } from "./api_types.ts";
import type { QuietHours } from "./rules/rule_types.ts";

export interface StoredDevice {
  id: string;
  token: string;
  /** The service does not know the token any more. */
  refused?: boolean;
}

export interface StoredAlert extends FetchedInboxAlert {
  /** When the device had it, in milliseconds since 1970. */
  arrived_at: number;
  read_at: string | null;
  acked_at: string | null;
  /** The number of its last repeat. */
  repeated?: number;
  /** The reminder was shown. */
  reminded?: boolean;
  /** The person's last response. */
  reply?: string;
  /** Why it was quieter than it might have been, as keys of texts. */
  because?: string[];
  /** The worker took it in while the app was closed: what was sent before it may be missing. */
  pushed?: boolean;
}

export interface StoredChannel extends ChannelCard {
  /** When the card was last requested, in milliseconds since 1970. */
  looked_at: number;
  /** The person wants no urgent alert of it shown again. */
  once?: boolean;
}

/** Choices that only this device knows; a card from the service has none of them. */
export type LocalChannelChoices = Pick<StoredChannel, "once" | "paused_until" | "sounds">;

export interface QueuedReport {
  alert_id: string;
  kind: ReportKind;
  choice?: string;
}

export interface AppSettings {
  /** Set if the app reports to channels what was read and confirmed. */
  reports: boolean;
  quiet_hours: QuietHours | null;
  /** Null: the browser's. */
  language: string | null;
  volume: number;
  /** Set if pictures and sounds of other sites are fetched without confirmation. */
  elsewhere: boolean;
}

export const DEFAULT_SETTINGS: AppSettings = {
  reports: true,
  quiet_hours: null,
  language: null,
  volume: 1,
  elsewhere: false,
};

export interface StoredFacts {
  device: StoredDevice;
  settings: AppSettings;
  /** Validator of the newest page that was taken in. */
  etag: string | null;
  /** When the inbox was last known to be current, in milliseconds since 1970. */
  current_at: number;
  /** When the device last forgot its old reports, likewise. */
  pruned_at: number;
  /** Alerts that were read and confirmed on the device whose channels were moved here (rules/moved.ts). */
  seen: string;
  /** Until when a link works by which everything can move away. */
  moving: string;
  /** Texts of the worker, in the person's language. */
  words: { language?: string; ack: string; look: string; test: string };
}

interface Schema extends DBSchema {
  facts: { key: string; value: unknown };
  channels: { key: string; value: StoredChannel };
  alerts: { key: string; value: StoredAlert };
  /** Keys count up, so that they are sent in the order in which they were made. */
  reports: { key: number; value: QueuedReport };
}

export type LocalStore = IDBPDatabase<Schema>;

export function openLocalStore(): Promise<LocalStore> {
  return openDB<Schema>("belfry", 1, {
    upgrade(database) {
      database.createObjectStore("facts");
      database.createObjectStore("channels", { keyPath: "handle" });
      database.createObjectStore("alerts", { keyPath: "id" });
      database.createObjectStore("reports", { autoIncrement: true });
    },
    // A newer version of the app waits in another tab.
    blocking: (_current, _wanted, event) => (event.target as IDBDatabase).close(),
  });
}

export async function getStoredFact<Name extends keyof StoredFacts>(
  store: LocalStore,
  name: Name,
): Promise<StoredFacts[Name] | undefined> {
  return (await store.get("facts", name)) as StoredFacts[Name] | undefined;
}

export async function setStoredFact<Name extends keyof StoredFacts>(
  store: LocalStore,
  name: Name,
  value: StoredFacts[Name],
): Promise<void> {
  await store.put("facts", value, name);
}

/**
 * The changes of one response of the inbox, applied completely or not at all. Concurrent actions of the person stay.
 */
export async function applyInboxChanges(
  store: LocalStore,
  taken: { fresh: StoredAlert[]; withdrawn: string[]; remove: string[]; etag: string | null; at: number },
): Promise<void> {
  const work = store.transaction(["alerts", "facts"], "readwrite");
  const alerts = work.objectStore("alerts");
  for (const alert of taken.fresh) void alerts.put(alert);
  for (const id of taken.withdrawn) {
    const alert = await alerts.get(id);
    if (alert) void alerts.put({ ...alert, status: "cancelled" });
  }
  for (const id of taken.remove) void alerts.delete(id);
  void work.objectStore("facts").put(taken.etag, "etag");
  void work.objectStore("facts").put(taken.at, "current_at");
  await work.done;
}

/** Changes alerts as they are kept now, with the reports that go with them. Null of `change`: nothing is to be done. */
export async function updateAlerts(
  store: LocalStore,
  ids: readonly string[],
  change: (alert: StoredAlert) => { alert: StoredAlert; reports?: QueuedReport[] } | null,
): Promise<void> {
  const work = store.transaction(["alerts", "reports"], "readwrite");
  for (const id of ids) {
    const kept = await work.objectStore("alerts").get(id);
    const after = kept ? change(kept) : null;
    if (after) void work.objectStore("alerts").put(after.alert);
    for (const report of after?.reports ?? []) void work.objectStore("reports").add(report);
  }
  await work.done;
}

/** The oldest reports that wait, with their keys. */
export async function oldestReports(store: LocalStore, most: number): Promise<[key: number, QueuedReport][]> {
  const work = store.transaction("reports");
  const [keys, reports] = await Promise.all([work.store.getAllKeys(null, most), work.store.getAll(null, most)]);
  return keys.flatMap((key, i) => (reports[i] ? [[key, reports[i]]] : []));
}

export async function removeQueuedReports(store: LocalStore, keys: number[]): Promise<void> {
  const work = store.transaction("reports", "readwrite");
  for (const key of keys) void work.store.delete(key);
  await work.done;
}

/** A channel, and everything of it. */
export async function deleteStoredChannel(store: LocalStore, handle: string): Promise<void> {
  const work = store.transaction(["channels", "alerts"], "readwrite");
  void work.objectStore("channels").delete(handle);
  for (const alert of await work.objectStore("alerts").getAll())
    if (alert.handle === handle) void work.objectStore("alerts").delete(alert.id);
  await work.done;
}

/** Everything but the settings: the device starts from scratch. */
export async function clearDevice(store: LocalStore): Promise<void> {
  const work = store.transaction(["facts", "channels", "alerts", "reports"], "readwrite");
  for (const name of ["device", "etag", "current_at", "pruned_at", "seen", "moving"])
    void work.objectStore("facts").delete(name);
  for (const name of ["channels", "alerts", "reports"] as const) void work.objectStore(name).clear();
  await work.done;
}
