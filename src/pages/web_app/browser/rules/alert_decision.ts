// The permitted effects of an alert on this device. Its priority is a maximum and never an outcome. The person's
// grants, mute, quiet hours and position decide below it (rules#priority-is-a-ceiling). Pure: the same facts give the
// same result.

import { getSpotlightEnd, isSnoozed, isWithdrawn } from "./current_alerts_and_history.ts";
import { isInCircle, POSITION_MAX_AGE_MS } from "./geo_circle.ts";
import { isWithinQuietHours } from "./quiet_hours.ts";
import {
  type AlertPermission,
  PRIORITIES,
  type RuleAlert,
  type RuleChannel,
  type RuleDevice,
  type UserToneAndVibration,
} from "./rule_types.ts";

/** Keys of texts that explain to the person why an effect is missing. */
type MissingEffectReason =
  | `why.${"cancelled" | "acknowledged" | "expired" | "late" | "left" | "before_joining" | "muted"}`
  | `why.${"paused" | "snoozed" | "chosen_silent"}`
  | `why.${"quiet_hours" | "quiet_broken" | "outside" | "place_unknown"}`
  | `why.${"sound_off" | "author_silent" | "another_rings"}`
  | `why.${Asked}.${"not_asked" | "not_allowed"}`;

type Asked = Exclude<AlertPermission, "loc">;

export interface AlertEffects {
  /** A line in the device's own list of notifications. */
  notify: boolean;
  /** A tone to play; null for none. */
  sound: string | null;
  /** A recording to play instead of the tone, which is played when this fails; only with `sound`. */
  audio: string | null;
  volume: number;
  /** Milliseconds on and off by turns; null for none. */
  vibrate: number[] | null;
  speak: { text: string; lang: string } | null;
  /** Over everything else in the app, until it is answered. */
  full: boolean;
  because: MissingEffectReason[];
}

/** The most that each priority can be: how loud, and whether it may take over the screen and break into quiet hours. */
const NORMAL = { volume: 0.5, full: false, breaks_quiet: false };
const CEILINGS = new Map([
  ["normal", NORMAL],
  ["important", { volume: 0.75, full: false, breaks_quiet: false }],
  ["urgent", { volume: 1, full: true, breaks_quiet: true }],
]);

/** Milliseconds on and off by turns. */
export const VIBRATION_PATTERNS_BY_NAME: Record<string, number[] | null> = {
  default: [250],
  none: null,
  short: [80],
  double: [140, 110, 140],
  long: [900],
  // Three short, three long, three short.
  sos: [120, 100, 120, 100, 120, 260, 360, 100, 360, 100, 360, 260, 120, 100, 120, 100, 120],
  heartbeat: [90, 110, 190, 620, 90, 110, 190, 620, 90, 110, 190],
};

/** Tones by name; an unknown name sounds as the plainest. */
export const TONE_NAMES = ["default", "chime", "ping", "bell", "knock", "alarm", "siren", "silent"] as const;

export const SILENT_EFFECTS: Omit<AlertEffects, "because"> = {
  notify: false,
  sound: null,
  audio: null,
  volume: 0,
  vibrate: null,
  speak: null,
  full: false,
};

/**
 * The effects when `alert` arrives at the time `now` (milliseconds since 1970). In every case the alert is in the
 * inbox.
 */
export function decideAlertEffects(
  alert: RuleAlert,
  channel: RuleChannel,
  device: RuleDevice,
  now: number,
): AlertEffects {
  const over = whyNothing(alert, channel, device, now);
  if (over !== null) return { ...SILENT_EFFECTS, because: [over] };

  const because: MissingEffectReason[] = [];
  const ceiling = CEILINGS.get(alert.priority) ?? NORMAL;
  /** Reports if the person permits the channel to do this, and if not, notes why. */
  const may = (what: Asked): boolean => {
    const asked = channel.requested_perms.includes(what);
    if (asked && granted(channel, what)) return true;
    because.push(asked ? `why.${what}.not_allowed` : `why.${what}.not_asked`);
    return false;
  };

  if (granted(channel, "loc") && whereabouts(alert, device, now) === null) because.push("why.place_unknown");
  const notify = may("notify");
  if (isWithinQuietHours(device.quiet_hours, now, device.timezone)) {
    if (!ceiling.breaks_quiet || !may("quiet"))
      return { ...SILENT_EFFECTS, notify, because: ["why.quiet_hours", ...because] };
    because.push("why.quiet_broken");
  }

  const chosen = getSoundChoice(channel, alert.priority);
  // The user chooses the tone; that there is one remains the wish of the alert (rules#chosen-sounds).
  const requested = alert.audio_asset_url ?? alert.audio_url;
  const authorSilent = toneOf(alert.sound) === "silent" && requested === null;
  const recording = chosen.tone === undefined ? requested : null;
  const tone = toneOf(chosen.tone ?? alert.sound);
  const wantsSound = !authorSilent && (tone !== "silent" || recording !== null);
  if (!wantsSound) because.push(authorSilent ? "why.author_silent" : "why.chosen_silent");
  const words = alert.tts_text?.trim() ?? "";
  const [mayRing, mayRead] = [wantsSound && may("sound"), words !== "" && may("tts")];
  if ((mayRing || mayRead) && device.volume <= 0) because.push("why.sound_off");
  const sounds = mayRing && device.volume > 0;
  const reads = mayRead && device.volume > 0;

  const pattern = patternOf(alert.vibrate) && patternOf(chosen.vibrate ?? alert.vibrate);
  // Where the author did not speak of it, nothing is missed: no reason is needed.
  const vibrates = pattern !== null && (alert.vibrate === null ? granted(channel, "vibrate") : may("vibrate"));
  return {
    notify,
    sound: sounds ? tone : null,
    audio: sounds ? recording : null,
    volume: sounds || reads ? ceiling.volume * Math.min(1, device.volume) : 0,
    vibrate: vibrates ? [...pattern] : null,
    speak: reads ? { text: words, lang: alert.tts_lang ?? device.language } : null,
    full: ceiling.full && may("full"),
    because,
  };
}

/** Why the alert has no effect beyond the inbox; null when it may have one. */
function whyNothing(
  alert: RuleAlert,
  channel: RuleChannel,
  device: RuleDevice,
  now: number,
): MissingEffectReason | null {
  if (isWithdrawn(alert)) return "why.cancelled";
  if (alert.acked_at) return "why.acknowledged";
  if (alert.expires_at !== null && Date.parse(alert.expires_at) <= now) return "why.expired";
  if (isSnoozed(alert, now)) return "why.snoozed";
  // An alert outside the spotlight does not ring, even after a long sleep of the device.
  if (getSpotlightEnd(alert) <= now) return "why.late";
  if (channel.subscription === null) return "why.left";
  if (alert.before_joining || alert.sent_at < channel.subscription.subscribed_at) return "why.before_joining";
  if (channel.subscription.muted) return "why.muted";
  if ((channel.paused_until ?? 0) > now) return "why.paused";
  if (granted(channel, "loc") && whereabouts(alert, device, now) === false) return "why.outside";
  return null;
}

/** The user's tone and vibration for this priority; an unknown priority counts as normal. */
function getSoundChoice({ sounds }: RuleChannel, priority: string): UserToneAndVibration {
  return sounds?.[PRIORITIES.find((one) => one === priority) ?? "normal"] ?? {};
}

/** The share of the device's volume at which an alert of this priority plays, 0 to 1. */
export const getPriorityVolumeFactor = (priority: string): number => (CEILINGS.get(priority) ?? NORMAL).volume;

/** A grant counts while the channel requests it (rules#unasked-is-silent). */
function granted({ requested_perms, subscription }: RuleChannel, what: AlertPermission): boolean {
  return requested_perms.includes(what) && (subscription?.permissions.includes(what) ?? false);
}

function whereabouts(alert: RuleAlert, { position }: RuleDevice, now: number): boolean | null {
  const fresh = position !== null && now - position.at <= POSITION_MAX_AGE_MS ? position : null;
  return isInCircle(fresh, alert);
}

/** Without a word of the author it is the device's own tone; so is a word that this version does not know. */
function toneOf(sound: string | null): string {
  return sound !== null && (TONE_NAMES as readonly string[]).includes(sound) ? sound : "default";
}

function patternOf(vibrate: string | null): number[] | null {
  const name = vibrate !== null && Object.hasOwn(VIBRATION_PATTERNS_BY_NAME, vibrate) ? vibrate : "default";
  return VIBRATION_PATTERNS_BY_NAME[name] ?? null;
}
