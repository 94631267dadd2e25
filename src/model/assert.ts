// Returns a value that cannot be missing, and throws with the given reason if it is missing all the same.

/** @throws where `why` does not hold. */
export function assertDefined<T>(value: T | null | undefined, why: string): T {
  if (value === null || value === undefined) throw new Error(`Something is missing that cannot be: ${why}.`);
  return value;
}
