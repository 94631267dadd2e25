// Being woken while the app is closed: the browser's push service hands out an address, which the service is told and
// nobody else. The person switches it on and off. What a wake-up shows, the worker decides.

import { getState, type PushState, updateState } from "./app_state.ts";
import { ensureDevice } from "./device.ts";
import { deletePush, getPush, putPush } from "./handset_api.ts";

/** What stands in the way here, whatever the service does. */
function barrier(): PushState | null {
  if (!isSecureContext) return "insecure";
  if ("serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis) return null;
  // An iPad calls itself a Mac.
  const { userAgent, maxTouchPoints } = navigator;
  const apple = /iP(hone|ad|od)/.test(userAgent) || (/Mac/.test(userAgent) && maxTouchPoints > 1);
  return apple && !matchMedia("(display-mode: standalone)").matches ? "ios" : "browser";
}

const manager = async () => (await navigator.serviceWorker.ready).pushManager;

/** Asks how it stands. An address that the service has forgotten is said anew. */
export async function refreshPushState(): Promise<void> {
  const token = getState().device?.token;
  const barred = barrier();
  // Not to know it is no fault that a person could mend.
  if (barred || !token) return updateState({ wakes: barred });
  await standing(token).then(
    (wakes) => updateState({ wakes }),
    () => {},
  );
}

async function standing(token: string): Promise<PushState> {
  const { enabled, kind } = await getPush(token);
  if (!enabled) return "server";
  if (Notification.permission === "denied") return "denied";
  const subscription = await (await manager()).getSubscription();
  if (!subscription) return "off";
  if (kind === null) await putPush(token, subscription.endpoint);
  return "on";
}

/** Asks for the browser's permission where it is not given, so it belongs behind a tap. */
export async function enablePush(): Promise<void> {
  const { token } = await ensureDevice();
  const { public_key } = await getPush(token);
  if (barrier() || public_key === null || (await Notification.requestPermission()) !== "granted")
    return refreshPushState();
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
  updateState({ wakes: "on" });
}

/** The service forgets first: an address that nobody listens at would fail for days. */
export async function disablePush(): Promise<void> {
  await deletePush((await ensureDevice()).token);
  await (await (await manager()).getSubscription())?.unsubscribe();
  updateState({ wakes: "off" });
}
