// A value that cannot be missing, and why: where that is wrong, it fails here and says so, instead of somewhere later.

/** @throws where `why` does not hold. */
export function need<T>(value: T | null | undefined, why: string): T {
  if (value === null || value === undefined) throw new Error(`Something is missing that cannot be: ${why}.`);
  return value;
}
