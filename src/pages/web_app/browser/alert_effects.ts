// The effects of arriving alerts. The rules decide, the outputs execute. A decision for the whole screen is shown over
// everything.

import { getAppState, reloadStateInAllTabs, updateAppState } from "./app_state.ts";
import { now } from "./current_time.ts";
import { toRuleDevice } from "./device.ts";
import { fillStoredAlertDefaults } from "./field_defaults.ts";
import { type StoredAlert, updateAlerts } from "./local_store.ts";
import { playAlert } from "./outputs/alert_player.ts";
import { buildNotification, showNotification } from "./outputs/notifications.ts";
import { getPosition } from "./outputs/position.ts";
import { arrangeInbox } from "./rules/current_alerts_and_history.ts";
import { toCompleteCircle } from "./rules/geo_circle.ts";
import {
  decideEffectsOfNewAlerts,
  decideRepeatEffects,
  getDueRepeatNumber,
  hasNoticeableEffect,
} from "./rules/new_and_repeated_alert_effects.ts";
import { isReminderDue } from "./rules/snooze.ts";
import { t } from "./texts/translate.ts";

const SIGN = "/static/icon.svg";

/** `fresh` are those that the device did not have before. */
export async function announceAlerts(fresh: readonly StoredAlert[]): Promise<void> {
  const { store, alerts, channels, settings } = getAppState();
  if (fresh.length === 0 || !store) return;
  const channelOf = (handle: string) => channels.get(handle) ?? null;
  const placed = fresh.some(
    (alert) => toCompleteCircle(alert) && channelOf(alert.handle)?.subscription?.permissions.includes("loc"),
  );
  const position = placed ? await getPosition(now()) : null;
  const decided = decideEffectsOfNewAlerts(
    fresh.map((alert) => (settings.elsewhere ? alert : fromHereOnly(alert))),
    alerts,
    channelOf,
    toRuleDevice(position),
    now(),
  );
  for (const { alert, decision } of decided) {
    const { because } = decision;
    if (because.length > 0) await updateAlerts(store, [alert.id], (kept) => ({ alert: { ...kept, because } }));
    if (decision.full) updateAppState({ full: alert.id });
    if (decision.notify) {
      const channel = channelOf(alert.handle)?.name ?? `@${alert.handle}`;
      const { title, options } = buildNotification(alert, decision, {
        channel,
        ack: t("alert.ack"),
        test: t("alert.test"),
        icon: SIGN,
        page: true,
        replies: settings.reports,
      });
      void showNotification(title, options);
    }
    // The page shows sounds that could not be played. No failure of an effect may end polling.
    if (hasNoticeableEffect(decision)) void playAlert(decision, alert).catch(() => {});
  }
  await reloadStateInAllTabs();
}

/** Shows postponed alerts whose reminder is due, as new ones and once among all tabs. */
export async function showDueReminders(): Promise<void> {
  const { store, alerts } = getAppState();
  const at = now();
  const due = alerts.filter((alert) => isReminderDue(alert, at)).map(({ id }) => id);
  if (!store || due.length === 0) return;
  const mine: StoredAlert[] = [];
  await updateAlerts(store, due, (kept) => {
    if (!isReminderDue(kept, at)) return null;
    const alert = { ...fillStoredAlertDefaults(kept), reminded: true, read_at: null };
    mine.push(alert);
    return { alert };
  });
  await reloadStateInAllTabs();
  await announceAlerts(mine);
}

/** Shows again what is due to be, once among all tabs. */
export async function showDueAlertRepeats(): Promise<void> {
  const { store, alerts, channels } = getAppState();
  if (!store) return;
  const at = now();
  const standing = new Set(arrangeInbox(alerts, at).spotlight);
  for (const alert of alerts) {
    const channel = channels.get(alert.handle);
    if (!channel || channel.once || !standing.has(alert) || getDueRepeatNumber(alert, at) === null) continue;
    let mine = false;
    await updateAlerts(store, [alert.id], (kept) => {
      const due = getDueRepeatNumber(fillStoredAlertDefaults(kept), at);
      mine = due !== null;
      return due === null ? null : { alert: { ...kept, repeated: due } };
    });
    if (mine && decideRepeatEffects(alert, channel, toRuleDevice(null), at)) await announceAlerts([alert]);
  }
}

/** A sound on another site is not fetched without the person's permission: its tone is played instead. */
function fromHereOnly(alert: StoredAlert): StoredAlert {
  return alert.audio_url === null || isOwnOrigin(alert.audio_url) ? alert : { ...alert, audio_url: null };
}

/** Reports if an address is of this service itself. */
export function isOwnOrigin(address: string): boolean {
  try {
    return new URL(address, location.href).origin === location.origin;
  } catch {
    return false;
  }
}
