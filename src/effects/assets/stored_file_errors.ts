// The names under which files are stored and read, in a folder as in a bucket.

/** A file that a store neither writes nor reads. The message completes a sentence that begins with the file. */
export class StoredFileError extends Error {}

export const createNotRegularFileError = () => new StoredFileError("is not a regular file");

/** For a file with more bytes than its reader takes. */
export const createStoredFileSizeError = () => new StoredFileError("is larger than expected");

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/**
 * The name itself: letters, digits, dots, hyphens and underscores, so no separator, no `..`, no NUL, and not empty.
 * @throws StoredFileError, which does not repeat the name.
 */
export function assertSafeFileName(name: string): string {
  if (!FILE_NAME.test(name) || name.includes("..")) throw new StoredFileError("has a name that is not allowed");
  return name;
}
