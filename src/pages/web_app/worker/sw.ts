// The app's worker: caches the page and its scripts, so that the app opens without a network, and shows push
// notifications while it is closed. A classic script when it is served: the server writes VERSION, SHELL and
// LANGUAGE_FILES above it.

import type { ApiPage, FetchedInboxAlert } from "../browser/api_types.ts";
import { now } from "../browser/current_time.ts";
import {
  fillInboxAlertDefaults,
  fillStoredAlertDefaults,
  fillStoredChannelDefaults,
} from "../browser/field_defaults.ts";
import {
  getStoredFact,
  type LocalStore,
  openLocalStore,
  type QueuedReport,
  type StoredAlert,
  type StoredFacts,
  updateAlerts,
} from "../browser/local_store.ts";
import { buildNotification, findReplyChoice } from "../browser/outputs/notifications.ts";
import { flushReports, REPORT_SYNC, requestReportSync } from "../browser/report_queue.ts";
import { decideEffectsOfNewAlerts } from "../browser/rules/new_and_repeated_alert_effects.ts";
import { isOpenForReplies } from "../browser/rules/replies.ts";
import { isReminderDue } from "../browser/rules/snooze.ts";
import { chooseLanguage } from "../browser/texts/languages.ts";

declare const VERSION: string;
declare const SHELL: string[];
/** Language → the address of its texts. */
declare const LANGUAGE_FILES: Record<string, string>;
declare const self: ServiceWorkerGlobalScope;

const NAME = `belfry-${VERSION}`;
const PAGE = "/app/";
const SIGN = "/static/icon.svg";
/** A limit of notifications, since more at once are not useful. */
const MOST_LINES = 4;

self.addEventListener("install", (event) => {
  const install = async () => {
    const cache = await caches.open(NAME);
    const paths = [...SHELL, await findLanguageFile()];
    await cache.addAll(paths.map((path) => new Request(path, { cache: "reload" })));
  };
  event.waitUntil(install());
});

/** The texts of the language that the app last used, or of the browser's. */
async function findLanguageFile(): Promise<string> {
  const words = await fact("words").catch(() => undefined);
  const { language } = chooseLanguage(
    [words?.language, ...self.navigator.languages].filter((tag) => tag !== undefined),
  );
  return LANGUAGE_FILES[language] as string;
}

self.addEventListener("activate", (event) => {
  const clear = async () => {
    for (const name of await caches.keys()) if (name.startsWith("belfry-") && name !== NAME) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(clear());
});

self.addEventListener("message", ({ data }) => {
  if (data === "skip") void self.skipWaiting();
});

self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  const path = pathname === "/app" ? PAGE : pathname;
  const isLanguage = Object.values(LANGUAGE_FILES).includes(path);
  // The API (with long polls) and every other page are not intercepted.
  if (event.request.method !== "GET" || origin !== self.origin || !(isLanguage || SHELL.includes(path))) return;
  const kept = caches.match(path, { cacheName: NAME });
  event.respondWith(kept.then((found) => found ?? (isLanguage ? fetchLanguage(path) : fetch(event.request))));
});

/** Another language, cached from its first use, so that the app opens in it without a network. */
async function fetchLanguage(path: string): Promise<Response> {
  const response = await fetch(path);
  if (response.ok) await caches.open(NAME).then((cache) => cache.put(path, response.clone()));
  return response;
}

self.addEventListener("push", (event) => {
  event.waitUntil(wake());
  // The network is there, so the queue can be sent.
  event.waitUntil(sendQueue().catch(() => {}));
});

/** A notification is always shown: a browser ends the push subscription of a page that shows none. */
async function wake(): Promise<void> {
  const lines = await news().catch(() => []);
  for (const { title, options } of lines) await self.registration.showNotification(title, options);
  if (lines.length > 0) return;
  const words = await fact("words").catch(() => undefined);
  await self.registration.showNotification("Belfry", {
    body: words?.look ?? "Your inbox has changed.",
    tag: "belfry",
    icon: SIGN,
    silent: true,
  });
}

/** Polls the inbox, stores new alerts, and returns the permitted notifications. */
async function news() {
  const device = await fact("device");
  if (!device) return [];
  const response = await fetch("/handset/v1/inbox?limit=20&view=lean", {
    headers: { authorization: `Bearer ${device.token}` },
    cache: "no-store",
    signal: AbortSignal.timeout(20_000),
  });
  if (!response.ok) return [];
  const { data } = (await response.json()) as ApiPage<FetchedInboxAlert>;
  const [known, channels, settings, words] = await inStore((store) =>
    Promise.all([
      store.getAll("alerts").then((rows) => rows.map(fillStoredAlertDefaults)),
      store.getAll("channels").then((rows) => rows.map(fillStoredChannelDefaults)),
      getStoredFact(store, "settings"),
      getStoredFact(store, "words"),
    ]),
  );
  const ids = new Set(known.map(({ id }) => id));
  const at = now();
  const fresh = data
    .filter(({ id }) => !ids.has(id))
    .map(
      (row): StoredAlert => ({
        ...fillInboxAlertDefaults(row),
        arrived_at: at,
        read_at: null,
        acked_at: null,
        pushed: true,
      }),
    );
  // Reminders of a closed app come with the next push notification.
  const due = known.filter((alert) => isReminderDue(alert, at)).map((alert) => ({ ...alert, reminded: true }));
  const shown = [...fresh, ...due];
  await inStore(async (store) => {
    const work = store.transaction("alerts", "readwrite");
    for (const alert of shown) void work.store.put(alert);
    await work.done;
  });
  const device_ = {
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    language: self.navigator.language,
    quiet_hours: settings?.quiet_hours ?? null,
    volume: settings?.volume ?? 1,
    position: null,
  };
  const channelOf = (handle: string) => channels.find((one) => one.handle === handle) ?? null;
  return decideEffectsOfNewAlerts(shown, [...known, ...fresh], channelOf, device_, at)
    .filter(({ decision }) => decision.notify)
    .slice(-MOST_LINES)
    .map(({ alert, decision }) => {
      const channel = channelOf(alert.handle)?.name ?? alert.handle;
      return buildNotification(alert, decision, {
        channel,
        ack: words?.ack ?? "Acknowledge",
        test: words?.test ?? "Test",
        icon: SIGN,
        page: false,
        replies: settings?.reports !== false,
      });
    });
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const id: unknown = event.notification.data?.alert_id;
  const known = typeof id === "string" ? id : null;
  event.waitUntil(event.action === "" || known === null ? open(known) : answer(known, event.action));
});

/** The browser's event for a network that is back; lib.webworker lacks it. */
interface SyncEvent extends ExtendableEvent {
  readonly tag: string;
}

self.addEventListener("sync", (event) => {
  const { tag } = event as SyncEvent;
  // A failure has the browser repeat the event later.
  if (tag === REPORT_SYNC) (event as SyncEvent).waitUntil(sendQueue());
});

async function open(id: string | null): Promise<void> {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = windows.find(({ url }) => new URL(url).pathname.replace(/\/$/, "") === "/app");
  if (!there) return void (await self.clients.openWindow(id === null ? PAGE : `${PAGE}#alert/${id}`));
  await there.focus();
  there.postMessage({ open: id });
}

/**
 * Acknowledges or replies, like the buttons in the app. The answer and its reports are stored in one transaction, so
 * that neither is lost when the worker ends (rules#app-answers-notifications). A late reply opens the alert.
 */
async function answer(id: string, action: string): Promise<void> {
  const at = now();
  const reporting = (await fact("settings"))?.reports !== false;
  let late = false;
  await inStore((store) =>
    updateAlerts(store, [id], (stored) => {
      const alert = fillStoredAlertDefaults(stored);
      const read = { ...alert, read_at: alert.read_at ?? new Date(at).toISOString() };
      const reports = (rows: Omit<QueuedReport, "alert_id">[]) =>
        reporting && !alert.test_until ? rows.map((row) => ({ alert_id: id, ...row })) : [];
      if (action === "ack")
        return alert.acked_at === null
          ? {
              alert: { ...read, acked_at: new Date(at).toISOString() },
              reports: reports([{ kind: "read" }, { kind: "ack" }]),
            }
          : null;
      const choice = findReplyChoice(action, alert.actions);
      late = choice === null || !isOpenForReplies(alert, at);
      return late || choice === null || alert.reply === choice
        ? null
        : { alert: { ...read, reply: choice }, reports: reports([{ kind: "reply", choice }]) };
    }),
  );
  new BroadcastChannel("belfry").postMessage({ kind: "changed" });
  if (late) return open(id);
  await sendQueue().catch(() => requestReportSync(self.registration));
}

/** @throws while the service cannot be reached */
async function sendQueue(): Promise<void> {
  const device = await fact("device");
  if (!device || device.refused) return;
  await inStore((store) => flushReports(store, device.token));
  new BroadcastChannel("belfry").postMessage({ kind: "changed" });
}

/** The app's store, opened for one use: an open store would block a newer version. */
async function inStore<Found>(use: (store: LocalStore) => Promise<Found>): Promise<Found> {
  const store = await openLocalStore();
  try {
    return await use(store);
  } finally {
    store.close();
  }
}

const fact = <Name extends keyof StoredFacts>(name: Name): Promise<StoredFacts[Name] | undefined> =>
  inStore((store) => getStoredFact(store, name));
