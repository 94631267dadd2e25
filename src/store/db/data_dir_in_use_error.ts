// The error for a data directory that another process uses. It is separate from the lock, so that it can be reported
// without loading it.

/** Another process uses the data directory. */
export class DataDirInUseError extends Error {
  constructor(dir: string) {
    super(`Another Belfry process is using the data directory ${dir}. Stop that process, or set a different DATA_DIR.`);
    this.name = "DataDirInUse";
  }
}
