// An assertion that a value exists.

/**
 * @param why the reason why the value exists
 * @throws if the value is null or undefined
 */
export function assertDefined<T>(value: T | null | undefined, why: string): T {
  if (value === null || value === undefined) throw new Error(`A value is missing. It should exist because ${why}.`);
  return value;
}
