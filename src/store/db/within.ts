// A bound on how long something is waited for that may never say anything.

/** @throws where the work takes longer; it goes on all the same. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let late: NodeJS.Timeout | undefined;
  work.catch(() => {});
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        late = setTimeout(() => reject(new Error("no answer in time")), ms);
      }),
    ]);
  } finally {
    clearTimeout(late);
  }
}
