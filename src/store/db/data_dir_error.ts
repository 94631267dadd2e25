// What is said where somebody else holds the data folder. Apart from the lock, so that who reports it need not load it.

/** Another process holds the data directory. */
export class DataDirInUseError extends Error {
  constructor(dir: string) {
    super(`The data directory ${dir} is in use by another Belfry process. Stop it, or set another DATA_DIR.`);
    this.name = "DataDirInUse";
  }
}
