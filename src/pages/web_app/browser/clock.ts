// The only place where the device's clock is read; everything else is given the instant.

/** Milliseconds since 1970. */
export const now = (): number => Date.now();
