// A limit of calls that run at once; the others wait in the order in which they came.

/**
 * Makes a function that runs calls, at most `max` at once. A call that had to wait begins in a later turn of the event loop, so that
 * other requests are served meanwhile.
 */
export function limitConcurrency(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  let isPlanned = false;

  const startWaiting = () => {
    isPlanned = false;
    while (running < max) {
      const start = waiting.shift();
      if (!start) return;
      running++;
      start();
    }
  };
  const plan = () => {
    if (isPlanned || waiting.length === 0) return;
    isPlanned = true;
    setImmediate(startWaiting);
  };

  return async (work) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1 && running < max) startWaiting();
      else plan();
    });
    try {
      return await work();
    } finally {
      running--;
      plan();
    }
  };
}
