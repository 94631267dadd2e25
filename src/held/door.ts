// Lets a bounded number of polls be asked at once and the rest in the order in which they came, and answers a few between two
// breaths: however many polls wake together, other requests are served meanwhile. Who has an answer goes before who asks.

/** Polls that are asked at once: enough that they share what they read. */
const WIDTH = 500;
/** Polls that begin to be asked, and polls that are answered, until other work has a turn. */
const ASKED_AT_ONCE = 100;
const ANSWERED_AT_ONCE = 50;

export interface Door {
  /** Resolves when one may ask; null: at once. Each is followed by one `asked`. */
  ask(): Promise<void> | null;
  asked(): void;
  /** Resolves when one may be answered, which is after `asked`; null: at once. */
  leave(): Promise<void> | null;
}

export function createDoor(): Door {
  const asking: (() => void)[] = [];
  const leaving: (() => void)[] = [];
  let running = 0;
  let begun = 0;
  let answered = 0;
  let planned = false;

  const plan = () => {
    if (planned) return;
    planned = true;
    setImmediate(next);
  };

  const next = () => {
    planned = false;
    begun = 0;
    answered = 0;
    for (const answer of leaving.splice(0, ANSWERED_AT_ONCE)) {
      answered++;
      answer();
    }
    if (leaving.length === 0)
      for (const ask of asking.splice(0, Math.min(ASKED_AT_ONCE, WIDTH - running))) {
        begun++;
        running++;
        ask();
      }
    if (begun + answered > 0) plan();
  };

  const queued = (queue: (() => void)[]) => {
    plan();
    return new Promise<void>((resolve) => queue.push(resolve));
  };

  return {
    ask() {
      if (asking.length > 0 || leaving.length > 0 || running >= WIDTH || begun >= ASKED_AT_ONCE)
        return queued(asking);
      begun++;
      running++;
      plan();
      return null;
    },
    asked() {
      running--;
      if (asking.length > 0) plan();
    },
    leave() {
      if (leaving.length > 0 || answered >= ANSWERED_AT_ONCE) return queued(leaving);
      answered++;
      plan();
      return null;
    },
  };
}
