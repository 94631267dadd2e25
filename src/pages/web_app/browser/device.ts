// This device in the service: registered when it first joins a channel, once for all tabs. Also the device as input of
// the rules.

import { getAppState, reloadStateInAllTabs, updateAppState } from "./app_state.ts";
import { deleteDeviceOnServer, registerDeviceOnServer } from "./handset_api.ts";
import { type AppSettings, clearDevice, getStoredFact, type StoredDevice, setStoredFact } from "./local_store.ts";
import type { RuleDevice as RuledDevice } from "./rules/rule_types.ts";
import { requestImmediateSync } from "./tab_leader.ts";
import { getLocale } from "./texts/translate.ts";
import { runInOneTab } from "./web_lock.ts";

const APP_VERSION = "1.0.0";
/** It survives when the browser deletes only the database, so the app can detect the loss. */
const MARK = "belfry-device";

export class LocalStoreUnavailableError extends Error {}

/** The device's credential; it is registered when it has none. */
export function ensureDevice(): Promise<StoredDevice> {
  return runInOneTab("belfry-device", async () => {
    const { store } = getAppState();
    if (!store) throw new LocalStoreUnavailableError();
    const known = await getStoredFact(store, "device");
    if (known && !known.refused) return known;
    const { id, token } = await registerDeviceOnServer({
      platform: "web",
      app_version: APP_VERSION,
      locale: getLocale(),
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC",
    });
    // Nothing of the refused device is left to follow.
    if (known) await clearDevice(store);
    const device = { id, token };
    await setStoredFact(store, "device", device);
    leaveMark(id);
    // Browsers empty the store of a page without persistent storage when the disk is full.
    void navigator.storage?.persist?.().catch(() => {});
    await reloadStateInAllTabs();
    requestImmediateSync();
    return device;
  });
}

function leaveMark(id: string): void {
  try {
    localStorage.setItem(MARK, id);
  } catch {
    // Without it the app cannot detect the loss, but works otherwise.
  }
}

/** Reports if there was a device here, of which nothing is left. */
export function wasStoreEmptied(): boolean {
  try {
    return getAppState().store !== null && getAppState().device === null && localStorage.getItem(MARK) !== null;
  } catch {
    return false;
  }
}

/** Leaves every channel and removes the device from the service, then from here. The settings stay. */
export async function removeOwnDevice(): Promise<void> {
  const { store, device } = getAppState();
  if (!store || !device) return;
  await deleteDeviceOnServer(device.token);
  await clearDevice(store);
  try {
    localStorage.removeItem(MARK);
  } catch {
    // The device did not exist.
  }
  await reloadStateInAllTabs();
}

export async function setSettings(part: Partial<AppSettings>): Promise<void> {
  const { store, settings } = getAppState();
  const after = { ...settings, ...part };
  if (!store) return updateAppState({ settings: after });
  await setStoredFact(store, "settings", after);
  await reloadStateInAllTabs();
}

/** The device as the rules see it. `position` is what it last measured; it is sent nowhere. */
export function toRuleDevice(position: RuledDevice["position"]): RuledDevice {
  const { settings } = getAppState();
  return {
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC",
    language: getLocale(),
    quiet_hours: settings.quiet_hours,
    volume: settings.volume,
    position,
  };
}
