// Lets a bounded number run at once and the rest in the order in which they came, with a pause between. However many polls
// wake together, other requests are served meanwhile.

export function createTurns(width: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  let planned = false;

  const next = () => {
    planned = false;
    while (running < width) {
      const start = waiting.shift();
      if (!start) return;
      running++;
      start();
    }
  };
  const plan = () => {
    if (planned || waiting.length === 0) return;
    planned = true;
    setImmediate(next);
  };

  return {
    /** Resolves when it is one's turn. Each is followed by one `done`. */
    take: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 1 && running < width) next();
        else plan();
      }),
    done() {
      running--;
      plan();
    },
  };
}
