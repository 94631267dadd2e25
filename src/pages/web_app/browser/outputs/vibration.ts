// Vibration, where a browser supports it. Browsers do not report if the device has a motor.

export const canVibrate = (): boolean => typeof navigator.vibrate === "function";

/** Milliseconds on and off by turns. False when the browser would not: it wants to be touched first, or cannot. */
export function vibrate(pattern: readonly number[]): boolean {
  return canVibrate() && navigator.vibrate([...pattern]);
}

export function stopVibrating(): void {
  if (canVibrate()) navigator.vibrate(0);
}
