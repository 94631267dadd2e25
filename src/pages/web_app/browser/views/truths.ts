// What is true of this device, per capability, and asking the browser for its leave where that is needed.

import { now } from "../clock.ts";
import type { Capability } from "../rules/types.ts";
import { notifying } from "../senses/notify.ts";
import { whereNow } from "../senses/place.ts";
import { sounding, unlock } from "../senses/ring.ts";
import { speechIn } from "../senses/speak.ts";
import { canVibrate } from "../senses/vibrate.ts";
import { change, current } from "../state.ts";
import { languageName } from "../texts/formats.ts";
import { languageNow, t } from "../texts/texts.ts";

/** What only a question to the browser tells, as last answered. */
let speech: "ready" | "no_voice" | "missing" = "ready";
let place: PermissionState | "missing" = "prompt";

/** Asks the browser what it can and allows; views are drawn anew with the answers. */
export async function learnTruths(): Promise<void> {
  speech = await speechIn(languageNow()).catch(() => "missing" as const);
  place = await placeState();
  change({});
}

async function placeState(): Promise<typeof place> {
  if (!("geolocation" in navigator)) return "missing";
  try {
    const state = await navigator.permissions.query({ name: "geolocation" });
    state.onchange = () => {
      place = state.state;
      change({});
    };
    return state.state;
  } catch {
    return "prompt";
  }
}

const TRUTHS: Record<Capability, () => string> = {
  notify: () => t(`truth.notify.${notifying()}`),
  sound: () => t(current().settings.volume <= 0 ? "truth.sound.off" : `truth.sound.${sounding()}`),
  vibrate: () => t(canVibrate() ? "truth.vibrate.ready" : "truth.vibrate.missing"),
  tts: () =>
    speech === "missing"
      ? t("truth.tts.missing")
      : t(`truth.tts.${speech}`, { language: languageName(languageNow()) }),
  full: () => t("truth.full.ready"),
  loc: () => t(`truth.loc.${place}`),
  quiet: () => {
    const hours = current().settings.quiet_hours;
    return hours ? t("truth.quiet.set", { from: hours.from, to: hours.to }) : t("truth.quiet.none");
  },
};

export const truthOf = (what: Capability): string => TRUTHS[what]();

/** To be called in a gesture: asks the browser where it has not been asked. Whatever it says, the grant stands. */
export async function askFor(what: Capability): Promise<void> {
  if (what === "notify" && notifying() === "default") await Notification.requestPermission().catch(() => {});
  if (what === "sound") await unlock();
  if (what === "loc") await whereNow(now());
  if (what === "loc") place = await placeState();
}
