// Being woken while the app is closed: the browser's push service hands out an address, which the service is told and nobody
// else. The person switches it on and off. What a wake-up shows, the worker decides.

import { deletePush, getPush, putPush } from "./api.ts";

/** `unable`: this browser or this service cannot. `denied`: the browser shows no notifications of this site. */
export type WakeUps = "unable" | "denied" | "off" | "on";

const able = () =>
  "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;

const manager = async () => (await navigator.serviceWorker.ready).pushManager;

/** How it stands. An address that the service has forgotten is said anew. */
export async function wakeUpsOf(token: string): Promise<WakeUps> {
  if (!able()) return "unable";
  const { enabled, kind } = await getPush(token);
  if (!enabled) return "unable";
  if (Notification.permission === "denied") return "denied";
  const subscription = await (await manager()).getSubscription();
  if (!subscription) return "off";
  if (kind === null) await putPush(token, subscription.endpoint);
  return "on";
}

/** Asks for the browser's permission where it is not given, so it belongs behind a tap. */
export async function wakeMe(token: string): Promise<WakeUps> {
  const { enabled, public_key } = await getPush(token);
  if (!able() || !enabled || public_key === null) return "unable";
  if ((await Notification.requestPermission()) !== "granted") return "denied";
  const push = await manager();
  const wanted = { userVisibleOnly: true, applicationServerKey: public_key };
  const subscription = await push.subscribe(wanted).catch(async (error: unknown) => {
    // One that is bound to another server's key stands in the way.
    const old = await push.getSubscription();
    if (!old) throw error;
    await old.unsubscribe();
    return push.subscribe(wanted);
  });
  await putPush(token, subscription.endpoint);
  return "on";
}

/** The service forgets first: an address that nobody listens at would fail for days. */
export async function wakeMeNoMore(token: string): Promise<WakeUps> {
  await deletePush(token);
  await (await (await manager()).getSubscription())?.unsubscribe();
  return "off";
}
