// Refusals of operator commands whose files or folders the system does not accept (rules#file-messages).

import { ApiError } from "../../model/api_error.ts";
import { describeFileSystemError } from "../../store/config/file_system_error_messages.ts";

/** As 409 for the command line; null for errors that are not of files. */
export function createFileError(error: unknown, path: string | null = null): ApiError | null {
  const message = describeFileSystemError(error, path);
  return message === null ? null : new ApiError("file_inaccessible", message);
}

/** Runs `work` on a path. @throws ApiError in place of an error of the file system */
export async function withFileErrors<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw createFileError(error, path) ?? error;
  }
}
