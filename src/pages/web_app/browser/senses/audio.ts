// A recording that a channel sends along: played as it streams, for a while at most, and given up when it does not
// begin soon. The specification has phones fetch it themselves; nothing but the request reaches whoever holds the file.

import { LIMITS } from "#limits";

/** The longest that a device plays of a recording. */
export const LONGEST_SECONDS = LIMITS.recording_seconds;
/** How long it may take to begin. */
const BEGINS_WITHIN_MS = 5000;

/** `failed`: nothing of it was heard. `stopped`: somebody stopped it. */
export type Heard = "ended" | "cut" | "failed" | "stopped";

export interface Recording {
  /** Whether a sound comes; settles when it begins or cannot. */
  begun: Promise<boolean>;
  heard: Promise<Heard>;
  stop(): void;
}

/** @param volume 0 to 1 */
export function playRecording(url: string, volume: number): Recording {
  const element = new Audio();
  const begun = Promise.withResolvers<boolean>();
  const heard = Promise.withResolvers<Heard>();
  let timer = setTimeout(() => end("failed"), BEGINS_WITHIN_MS);
  let over = false;

  function end(how: Heard): void {
    if (over) return;
    over = true;
    clearTimeout(timer);
    begun.resolve(false);
    element.pause();
    // Ends the download, too.
    element.removeAttribute("src");
    element.load();
    heard.resolve(how);
  }

  element.addEventListener("playing", () => {
    if (over) return;
    begun.resolve(true);
    clearTimeout(timer);
    // Counted from the first sound by the clock, so that a recording which stalls does not keep the device busy.
    if (!element.dataset.begun) timer = setTimeout(() => end("cut"), LONGEST_SECONDS * 1000);
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
