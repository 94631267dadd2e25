// A bound on how long something is waited for that may never say anything.

/** @throws `late` as an error where the work takes longer; it goes on all the same. */
export async function withTimeout<T>(ms: number, work: Promise<T>, late = "no response in time"): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  work.catch(() => {});
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(late)), ms);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for the work, and no longer than that, whatever becomes of it. */
export const waitAtMost = (ms: number, work: Promise<unknown>): Promise<void> =>
  withTimeout(ms, work).then(
    () => {},
    () => {},
  );
