// The only place that reads the device's clock; other modules receive the time as an argument.

/** Milliseconds since 1970. */
export const now = (): number => Date.now();
