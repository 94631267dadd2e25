// This device as the service knows it: registered when it first joins something, once for all tabs. And what the rules are told of it.

import { register, removeDevice } from "./api.ts";
import type { Device as RuledDevice } from "./rules/types.ts";
import { change, changed, current } from "./state.ts";
import { type Device, forgetDevice, getFact, type Settings, setFact } from "./store.ts";
import { alone, hurry } from "./tabs.ts";
import { localeNow } from "./texts/texts.ts";

const APP_VERSION = "1.0.0";
/** Stays where the browser empties the store alone: so the app can tell that it was emptied. */
const MARK = "belfry-device";

export class NoStore extends Error {}

/** The device's credential; it is registered when it has none. */
export function ownDevice(): Promise<Device> {
  return alone("belfry-device", async () => {
    const { store } = current();
    if (!store) throw new NoStore();
    const known = await getFact(store, "device");
    if (known && !known.refused) return known;
    const { id, token } = await register({
      platform: "web",
      app_version: APP_VERSION,
      locale: localeNow(),
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC",
    });
    // Of the one that was refused nothing is left to follow.
    if (known) await forgetDevice(store);
    const device = { id, token };
    await setFact(store, "device", device);
    leaveMark(id);
    // Browsers empty the store of a page that they were not asked to keep when the disk is full.
    void navigator.storage?.persist?.().catch(() => {});
    await changed();
    hurry();
    return device;
  });
}

function leaveMark(id: string): void {
  try {
    localStorage.setItem(MARK, id);
  } catch {
    // Without it the app cannot tell that it forgot; it works all the same.
  }
}

/** Whether there was a device here, of which nothing is left. */
export function wasEmptied(): boolean {
  try {
    return current().store !== null && current().device === null && localStorage.getItem(MARK) !== null;
  } catch {
    return false;
  }
}

/** Leaves every channel and removes the device from the service, then from here. The settings stay. */
export async function removeOwnDevice(): Promise<void> {
  const { store, device } = current();
  if (!store || !device) return;
  await removeDevice(device.token);
  await forgetDevice(store);
  try {
    localStorage.removeItem(MARK);
  } catch {
    // There was none.
  }
  await changed();
}

export async function setSettings(part: Partial<Settings>): Promise<void> {
  const { store, settings } = current();
  const after = { ...settings, ...part };
  if (!store) return change({ settings: after });
  await setFact(store, "settings", after);
  await changed();
}

/** The device as the rules see it. `position` is what it last measured; it goes nowhere else. */
export function ruledDevice(position: RuledDevice["position"]): RuledDevice {
  const { settings } = current();
  return {
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC",
    language: localeNow(),
    quiet_hours: settings.quiet_hours,
    volume: settings.volume,
    position,
  };
}
