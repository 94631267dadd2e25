// Vibration, where a browser has it. Whether the device has a motor nobody tells us.

export const canVibrate = (): boolean => typeof navigator.vibrate === "function";

/** Milliseconds on and off by turns. False when the browser would not: it wants to be touched first, or cannot. */
export function vibrate(pattern: readonly number[]): boolean {
  return canVibrate() && navigator.vibrate([...pattern]);
}

export function stopVibrating(): void {
  if (canVibrate()) navigator.vibrate(0);
}
