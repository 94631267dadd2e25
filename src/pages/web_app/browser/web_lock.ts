// Work that only one tab or the worker does at a time.

/** Without https, browsers have no locks, so each tab is then on its own. */
export const runInOneTab = <Result>(name: string, work: () => Promise<Result>): Promise<Result> =>
  "locks" in navigator ? navigator.locks.request(name, work) : work();
