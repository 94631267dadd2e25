// Something that is made when it is first asked for, and then stays.

/** @returns what `make` made the first time; after a failure it is made anew. */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
