// A look at something that many ask about, done once for all who ask within a moment.

/** `look`, whose answer or failure stands for `ms` milliseconds from its start. */
export function recent<T>(
  ms: number,
  look: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let last: { at: number; result: Promise<T> } | undefined;
  return () => {
    if (!last || now() - last.at > ms) last = { at: now(), result: look() };
    return last.result;
  };
}
