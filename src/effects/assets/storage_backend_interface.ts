// The interface of a place for the bytes of files: a folder or an S3-compatible bucket.

import type { FileStore } from "../../model/domain/asset_rules.ts";

/** Each method throws the error of the folder or the provider, and StoredFileError. */
export interface StorageBackend extends FileStore {
  /**
   * Returns the file, or null.
   * @throws StoredFileError for a file of more than `maxBytes`
   */
  get(id: string, maxBytes?: number): Promise<Uint8Array | null>;
  /** Checks that the backend responds. */
  ask(): Promise<void>;
}
