// Push notifications while the app is closed: the browser's push service issues an address, which only the server
// receives. The user turns them on and off, and every state that keeps them from arriving has a reason to show.

import { getAppState, type PushState, updateAppState } from "./app_state.ts";
import { ensureDevice } from "./device.ts";
import {
  deleteWebPushEndpoint,
  getPushConfiguration,
  putWebPushEndpoint,
  ServiceRefusedError,
  ServiceUnreachableError,
} from "./handset_api.ts";
import { getNotificationPermission } from "./outputs/notifications.ts";
import { hasNoticeablePermission } from "./rules/alerting_problem.ts";
import type { TextKey } from "./texts/text_types.ts";

/** A registration without an answer is reported after this time; it continues, and may still succeed. */
const PATIENCE_MS = 4_000;

class WorkerMissing extends Error {}

/** The reason why this browser has no push notifications, independent of the server; null for none. */
export function findBarrier(): PushState | null {
  if (!isSecureContext) return "insecure";
  if ("serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis) return null;
  return getBrowserFamily() === "ios" && !matchMedia("(display-mode: standalone)").matches ? "ios" : "browser";
}

/** The browser's permission. On iPhone and iPad, the app has notifications only on the home screen. */
export const getNotificationState = (): ReturnType<typeof getNotificationPermission> =>
  findBarrier() === "ios" ? "missing" : getNotificationPermission();

/** Browsers that differ in the way to their permissions. */
type BrowserFamily = "ios" | "firefox" | "chromium" | "safari";

export function getBrowserFamily(): BrowserFamily {
  const { userAgent, maxTouchPoints } = navigator;
  // An iPad calls itself a Mac.
  if (/iP(hone|ad|od)/.test(userAgent) || (/Mac/.test(userAgent) && maxTouchPoints > 1)) return "ios";
  if (/Firefox\//.test(userAgent)) return "firefox";
  return /Chrom/.test(userAgent) ? "chromium" : "safari";
}

/** The worker's registration. @throws WorkerMissing when it does not start in time */
export async function waitForServiceWorker(): Promise<ServiceWorkerRegistration> {
  const late = new Promise<never>((_, reject) => setTimeout(() => reject(new WorkerMissing()), PATIENCE_MS));
  return Promise.race([navigator.serviceWorker.ready, late]);
}

/** A registration is pending, so its result decides about the state. */
let registering = false;

const setPush = (wakes: PushState | null, pushProblem: TextKey | null = null) => updateAppState({ wakes, pushProblem });

/** Reads the state from the browser and the server. An address that the server has forgotten is stored again. */
export async function refreshPushState(): Promise<void> {
  const token = getAppState().device?.token;
  if (registering) return;
  const barrier = findBarrier();
  // An unknown state is not a fault that the user could fix.
  if (barrier || !token) return setPush(barrier);
  try {
    const before = getAppState().wakes;
    const wakes = await readState(token);
    if (before === "denied" && wakes === "off" && !registering) return await enableUnblocked();
    // The reason of a failure stays until the next try.
    if (!registering && !(wakes === "off" && getAppState().wakes === "failed")) setPush(wakes);
  } catch (error) {
    const certain = error instanceof WorkerMissing || isEndpointRefusal(error);
    if (certain && !registering) setPush("failed", describeProblem(error));
  }
}

/** The user has unblocked notifications, so a channel that was granted alerts before gets them without a question. */
async function enableUnblocked(): Promise<void> {
  const granted = [...getAppState().channels.values()].some(
    ({ subscription }) => subscription && hasNoticeablePermission(subscription.permissions),
  );
  if (!granted || getNotificationPermission() !== "granted") return setPush("off");
  await enablePush(Promise.resolve("granted"));
  if (getAppState().wakes === "on") updateAppState({ confirmed: { handle: null, test: false } });
}

async function readState(token: string): Promise<PushState> {
  const { enabled, kind } = await getPushConfiguration(token);
  if (!enabled) return "server";
  if (Notification.permission === "denied") return "denied";
  const subscription = await (await waitForServiceWorker()).pushManager.getSubscription();
  if (!subscription) return "off";
  if (kind === null) await putWebPushEndpoint(token, subscription.endpoint);
  return "on";
}

/** Reads the state again when the user changes the permission, or returns from where it is changed. */
export async function refreshPushOnPermissionChange(): Promise<void> {
  addEventListener("focus", () => {
    const { wakes } = getAppState();
    if (wakes !== null && wakes !== "on") void refreshPushState();
  });
  try {
    const state = await navigator.permissions.query({ name: "notifications" });
    state.onchange = () => void refreshPushState();
  } catch {
    // Safari before 16.4 cannot report it; the state is read with the next focus.
  }
}

/** Requests the browser's permission, where it was not decided before. To be called in a gesture. */
export async function requestNotificationPermission(): Promise<NotificationPermission | "missing"> {
  if (getNotificationPermission() !== "default") return getNotificationPermission();
  return Notification.requestPermission().catch(() => "default");
}

/**
 * Registers for push notifications. Each step is visible at once: the browser's question, the registration, and the
 * reason of a failure (rules#app-says-silence). @param answer of the browser
 */
export async function enablePush(answer = requestNotificationPermission()): Promise<void> {
  const barrier = findBarrier();
  if (barrier) return setPush(barrier);
  registering = true;
  let late: number | undefined;
  try {
    if (getNotificationPermission() === "default") setPush("asking");
    const permission = await answer;
    if (permission !== "granted") return setPush(permission === "denied" ? "denied" : "off");
    setPush("pending");
    late = setTimeout(() => setPush("failed", "push.failed_late"), PATIENCE_MS);
    setPush((await register()) ? "on" : "server");
  } catch (error) {
    setPush("failed", describeProblem(error));
  } finally {
    clearTimeout(late);
    registering = false;
  }
}

/** False where the server sends no push notifications. */
async function register(): Promise<boolean> {
  const { token } = await ensureDevice();
  const { public_key } = await getPushConfiguration(token);
  if (public_key === null) return false;
  const push = (await waitForServiceWorker()).pushManager;
  const wanted = { userVisibleOnly: true, applicationServerKey: public_key };
  const subscription = await push.subscribe(wanted).catch(async (error: unknown) => {
    // A subscription for another server's key prevents it.
    const old = await push.getSubscription();
    if (!old) throw error;
    await old.unsubscribe();
    return push.subscribe(wanted);
  });
  await putWebPushEndpoint(token, subscription.endpoint);
  return true;
}

const isEndpointRefusal = (error: unknown) => error instanceof ServiceRefusedError && error.status === 422;

/** The reason as a text of the app: the server's sentence about a refused endpoint is for its operator. */
function describeProblem(error: unknown): TextKey {
  if (isEndpointRefusal(error)) return "push.failed_refused";
  if (error instanceof ServiceUnreachableError) return "net.trouble";
  if (error instanceof WorkerMissing) return "push.failed_worker";
  const refused = error instanceof DOMException && error.name === "NotAllowedError";
  return refused ? "push.failed_private" : "push.failed_service";
}

/** The server forgets first: an address without a receiver would fail for days. */
export async function disablePush(): Promise<void> {
  await deleteWebPushEndpoint((await ensureDevice()).token);
  await (await (await waitForServiceWorker()).pushManager.getSubscription())?.unsubscribe();
  setPush("off");
}
