// Plays sounds and vibrations of a decision, one at a time, and reports failures. Every sound has something visible
// (`watchRingState`, which a view shows). A browser plays no sound before the page was touched.

import { LIMITS } from "../../../../model/limits.ts";
import type { AlertEffects } from "../rules/alert_decision.ts";
import { type SpeechResult, speakText, stopSpeaking } from "./speech.ts";
import { type PlayingTone, playTone } from "./tones.ts";
import { stopVibrating, vibrate } from "./vibration.ts";

/** The longest that a device plays of a recording. */
const MAX_RECORDING_SECONDS = LIMITS.recording_seconds;
/** The time limit for starting. */
const BEGINS_WITHIN_MS = 5000;

/** `failed`: nothing was played. `stopped`: the person stopped it. */
type PlaybackResult = "ended" | "cut" | "failed" | "stopped";

interface PlayingRecording {
  /** Reports if a sound plays; resolves when it starts or fails. */
  begun: Promise<boolean>;
  heard: Promise<PlaybackResult>;
  stop(): void;
}

/**
 * A channel's recording: streamed, played for a limited time, and given up when it does not start soon. The
 * specification has phones fetch it themselves. The file's server receives only the request. @param volume 0 to 1
 */
function playRecording(url: string, volume: number): PlayingRecording {
  const element = new Audio();
  const begun = Promise.withResolvers<boolean>();
  const heard = Promise.withResolvers<PlaybackResult>();
  let timer = setTimeout(() => end("failed"), BEGINS_WITHIN_MS);
  let over = false;

  function end(how: PlaybackResult): void {
    if (over) return;
    over = true;
    clearTimeout(timer);
    begun.resolve(false);
    element.pause();
    // Also ends the download.
    element.removeAttribute("src");
    element.load();
    heard.resolve(how);
  }

  element.addEventListener("playing", () => {
    if (over) return;
    begun.resolve(true);
    clearTimeout(timer);
    // Counted from the first sound by the clock, so that a recording which stalls does not keep the device busy.
    if (!element.dataset.begun) timer = setTimeout(() => end("cut"), MAX_RECORDING_SECONDS * 1000);
    element.dataset.begun = "yes";
  });
  element.addEventListener("ended", () => end("ended"));
  element.addEventListener("error", () => end("failed"));
  element.preload = "auto";
  element.volume = Math.min(1, Math.max(0, volume));
  element.src = url;
  element.play().catch(() => end("failed"));
  return { begun: begun.promise, heard: heard.promise, stop: () => end("stopped") };
}

/** Keys of texts that the person should see, since it was not played or not as intended. */
type PlaybackProblem =
  | `ring.${"locked" | "no_sound" | "recording_failed" | "recording_cut" | "no_vibration"}`
  | `ring.${"no_voice" | "not_spoken"}`;

export interface RingState {
  alert_id: string;
  /** Something can be playing right now: offer to stop it. */
  sounding: boolean;
  /** The text that is being read aloud, or should have been. */
  speech: { text: string; lang: string } | null;
  trouble: readonly PlaybackProblem[];
}

let context: AudioContext | null = null;
let ringing: RingState | null = null;
let tone: PlayingTone | null = null;
let recording: PlayingRecording | null = null;
/** Counts rings, so that an older one that ends late changes nothing. */
let turn = 0;
const watchers = new Set<(ringing: RingState | null) => void>();

/**
 * Calls `watcher` now and after each change, until the returned function is called. Null: nothing is playing, nothing
 * to report.
 */
export function watchRingState(watcher: (ringing: RingState | null) => void): () => void {
  watchers.add(watcher);
  watcher(ringing);
  return () => watchers.delete(watcher);
}

function show(next: RingState | null): void {
  ringing = next;
  for (const watcher of watchers) watcher(next);
}

/** The permission to play sounds: `locked` until the page was touched. */
export function getSoundState(): "ready" | "locked" | "missing" {
  if (typeof AudioContext !== "function") return "missing";
  return context?.state === "running" ? "ready" : "locked";
}

/** To be called in the person's first gesture; returns whether sounds can be played from now on. */
export async function unlockSound(): Promise<boolean> {
  if (getSoundState() !== "locked") return getSoundState() === "ready";
  context ??= new AudioContext();
  // A browser that does not take this for a gesture leaves the promise open.
  await Promise.race([context.resume().catch(() => {}), pause(500)]);
  // Known facts of this device may have changed.
  show(ringing);
  return getSoundState() === "ready";
}

/** Unlocks on the person's first action. Returns a function that stops listening. */
export function unlockSoundOnTouch(target: EventTarget): () => void {
  const events = ["pointerup", "keydown", "touchend"];
  const stop = () => {
    for (const name of events) target.removeEventListener(name, touched, true);
  };
  const touched = () => {
    unlockSound().then((ready) => ready && stop());
  };
  for (const name of events) target.addEventListener(name, touched, true);
  return stop;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Plays as decided: sound and vibration at once, speech after the sound. Ends the previous alert first. Resolves when
 * all is over.
 */
export async function playAlert(decision: AlertEffects, alert: { id: string }): Promise<void> {
  hush();
  const mine = ++turn;
  const { sound, vibrate: pattern, speak: speech } = decision;
  if (sound === null && pattern === null && speech === null) return show(null);
  show({ alert_id: alert.id, sounding: false, speech: null, trouble: [] });
  const change = (fields: Partial<RingState>) => {
    if (mine === turn && ringing) show({ ...ringing, ...fields });
  };
  const say = (trouble: PlaybackProblem) => change({ trouble: [...(ringing?.trouble ?? []), trouble] });

  if (pattern !== null && !vibrate(pattern)) say("ring.no_vibration");
  if (sound !== null) await play(decision, sound, () => mine === turn, change, say);
  if (speech !== null && mine === turn) {
    change({ speech, sounding: true });
    const how = await speakText(speech, decision.volume);
    const trouble = SPEECH_TROUBLE[how];
    if (trouble) say(trouble);
    else change({ speech: null });
  }
  change({ sounding: false });
  // A problem stays visible. The view ends it after some time on a visible page.
  if (mine === turn && ringing?.trouble.length === 0) show(null);
}

const SPEECH_TROUBLE: Record<SpeechResult, PlaybackProblem | null> = {
  spoken: null,
  stopped: null,
  no_voice: "ring.no_voice",
  failed: "ring.not_spoken",
  missing: "ring.not_spoken",
};

/** The recording, or the tone if the recording is missing or fails. */
async function play(
  { audio, volume }: AlertEffects,
  sound: string,
  current: () => boolean,
  change: (fields: Partial<RingState>) => void,
  say: (trouble: PlaybackProblem) => void,
): Promise<void> {
  const state = getSoundState();
  if (state !== "ready") return say(state === "locked" ? "ring.locked" : "ring.no_sound");
  if (audio !== null) {
    const mine = playRecording(audio, volume);
    recording = mine;
    change({ sounding: await mine.begun });
    const how = await mine.heard;
    if (how === "cut") say("ring.recording_cut");
    if (how !== "failed" || !current()) return;
    say("ring.recording_failed");
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  // biome-ignore lint/style/noNonNullAssertion: whoever is ready to sound has one
  tone = playTone(context!, sound, volume, resolve);
  change({ sounding: tone.seconds > 0 });
  await promise;
}

/** Values for the texts of `PlaybackProblem`. */
export const PLAYBACK_PROBLEM_PLACEHOLDERS = { seconds: MAX_RECORDING_SECONDS };

/** Plays a tone as a test, or stops the one that plays. Resolves when it is over. */
export async function playTestTone(name: string, volume: number): Promise<void> {
  stopRinging();
  if (!(await unlockSound())) return;
  const mine = ++turn;
  const { promise, resolve } = Promise.withResolvers<void>();
  // biome-ignore lint/style/noNonNullAssertion: unlocking made one
  tone = playTone(context!, name, volume, resolve);
  await promise;
  if (mine === turn) tone = null;
}

/** Plays a recording alone, without a limit of time; returns the outcome. */
export async function tryRecording(url: string, volume: number): Promise<PlaybackResult> {
  stopRinging();
  recording = playRecording(url, volume);
  return recording.heard;
}

/** Ends every sound and vibration, and removes what was shown of it. */
export function stopRinging(): void {
  turn++;
  hush();
  show(null);
}

function hush(): void {
  tone?.stop();
  recording?.stop();
  tone = null;
  recording = null;
  stopVibrating();
  stopSpeaking();
}
