// Signals to a service that is still starting. The kernel ignores them for number 1 of a container until a handler is
// set.

import { constants } from "node:os";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

const end = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal]);

/**
 * Makes a signal end this process, if it is number 1. An embedded database ends with it. Call it before the program is
 * loaded.
 */
export function exitOnEarlySignals(): void {
  if (process.pid === 1) for (const signal of SIGNALS) process.on(signal, end);
}

/** Ends the effect of `exitOnEarlySignals`, for a caller that handles the signals itself. */
export function stopExitOnSignals(): void {
  for (const signal of SIGNALS) process.off(signal, end);
}
