// Timeouts for work that may never respond.

/**
 * Waits for work with a timeout. The work continues after it.
 * @throws Error with the message `late` on the timeout
 */
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

/** Waits for the work with a timeout, with any outcome. */
export const waitUntilSettledOrTimeout = (ms: number, work: Promise<unknown>): Promise<void> =>
  withTimeout(ms, work).then(
    () => {},
    () => {},
  );
