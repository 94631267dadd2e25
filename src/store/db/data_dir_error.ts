// The error for a data directory that another process uses. It is separate from the lock, so that it can be reported
// without loading it.

/** Another process uses the data directory. */
export class DataDirInUseError extends Error {
  constructor(dir: string) {
    super(`The data directory ${dir} is in use by another Belfry process. Stop it, or set another DATA_DIR.`);
    this.name = "DataDirInUse";
  }
}
