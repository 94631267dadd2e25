// What happens when alerts arrive: the rules decide, the senses do it, and one that takes over the screen is shown over everything.

import { now } from "./clock.ts";
import { ruledDevice } from "./device.ts";
import { arrivals, decideAgain, isHeard, repeatDue } from "./rules/arrivals.ts";
import { wholeCircle } from "./rules/circle.ts";
import { arrange } from "./rules/spotlight.ts";
import { lineOf, showLine } from "./senses/notify.ts";
import { whereNow } from "./senses/place.ts";
import { ring } from "./senses/ring.ts";
import { change, changed, current } from "./state.ts";
import { amend, type KeptAlert } from "./store.ts";
import { t } from "./texts/texts.ts";
import { wholeAlert } from "./whole.ts";

const SIGN = "/static/icon.svg";

/** `fresh` are those that the device did not have before. */
export async function announce(fresh: readonly KeptAlert[]): Promise<void> {
  const { store, alerts, channels, settings } = current();
  if (fresh.length === 0 || !store) return;
  const channelOf = (handle: string) => channels.get(handle) ?? null;
  const placed = fresh.some(
    (alert) => wholeCircle(alert) && channelOf(alert.handle)?.subscription?.permissions.includes("loc"),
  );
  const position = placed ? await whereNow(now()) : null;
  const decided = arrivals(
    fresh.map((alert) => (settings.elsewhere ? alert : fromHereOnly(alert))),
    alerts,
    channelOf,
    ruledDevice(position),
    now(),
  );
  for (const { alert, decision } of decided) {
    const { because } = decision;
    if (because.length > 0) await amend(store, [alert.id], (kept) => ({ alert: { ...kept, because } }));
    if (decision.full) change({ full: alert.id });
    if (decision.notify) {
      const channel = channelOf(alert.handle)?.name ?? `@${alert.handle}`;
      const { title, options } = lineOf(alert, decision, {
        channel,
        ack: t("alert.ack"),
        test: t("alert.test"),
        icon: SIGN,
        page: true,
      });
      void showLine(title, options);
    }
    // It says on the page what could not be heard; nothing of it may end the app's asking.
    if (isHeard(decision)) void ring(decision, alert).catch(() => {});
  }
  await changed();
}

/** Shows again what is due to be, once among all tabs. */
export async function repeat(): Promise<void> {
  const { store, alerts, channels } = current();
  if (!store) return;
  const at = now();
  const standing = new Set(arrange(alerts, at).spotlight);
  for (const alert of alerts) {
    const channel = channels.get(alert.handle);
    if (!channel || channel.once || !standing.has(alert) || repeatDue(alert, at) === null) continue;
    let mine = false;
    await amend(store, [alert.id], (kept) => {
      const due = repeatDue(wholeAlert(kept), at);
      mine = due !== null;
      return due === null ? null : { alert: { ...kept, repeated: due } };
    });
    if (mine && decideAgain(alert, channel, ruledDevice(null), at)) await announce([alert]);
  }
}

/** A sound on another site is not fetched unless the person allowed it: its tone is heard instead. */
function fromHereOnly(alert: KeptAlert): KeptAlert {
  return alert.audio_url === null || isHere(alert.audio_url) ? alert : { ...alert, audio_url: null };
}

/** Whether an address is of this service itself. */
export function isHere(address: string): boolean {
  try {
    return new URL(address, location.href).origin === location.origin;
  } catch {
    return false;
  }
}
