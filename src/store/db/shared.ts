// Readings of one moment are one. Who asks while a reading is under way gets the next, which begins after it and therefore sees
// whatever was committed before they asked: nobody is shown an older state for it.

interface UnderWay<R> {
  now: Promise<R>;
  next?: Promise<R>;
}

/** @param read what is asked again and again under the same key; a failure is that of all who share it. */
export function sharedReading<R>(read: (key: string) => Promise<R>): (key: string) => Promise<R> {
  const underWay = new Map<string, UnderWay<R>>();

  function start(key: string): Promise<R> {
    const reading: UnderWay<R> = { now: read(key) };
    underWay.set(key, reading);
    const over = () => {
      if (underWay.get(key) === reading && !reading.next) underWay.delete(key);
    };
    reading.now.then(over, over);
    return reading.now;
  }

  return (key) => {
    const reading = underWay.get(key);
    if (!reading) return start(key);
    const begin = () => start(key);
    reading.next ??= reading.now.then(begin, begin);
    return reading.next;
  };
}
