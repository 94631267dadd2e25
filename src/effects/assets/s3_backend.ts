// Files with an S3-compatible provider: three verbs on one address, signed, and lists of objects. Loaded only if it is
// configured.

import { AwsClient } from "aws4fetch";
import type { StorageBackend } from "./storage_backend_interface.ts";
import { assertSafeFileName, createStoredFileSizeError } from "./stored_file_errors.ts";

export interface S3BucketConfig {
  endpoint: string;
  /** The name, optionally with a path prefix. */
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** An unused file name for checking the provider. */
const NO_FILE = "00000000-0000-0000-0000-000000000000";

const LIST_MS = 60_000;

/** `patienceMs`: no connection stays open for longer. */
export function createS3Backend(
  { endpoint, bucket, ...credentials }: S3BucketConfig,
  patienceMs: number,
): StorageBackend {
  const client = new AwsClient({ service: "s3", ...credentials });
  const base = `${endpoint.replace(/\/$/, "")}/${bucket}`;

  /**
   * Returns null for 404, which some providers also return when a deleted file is deleted again.
   * @throws with the status
   */
  async function call(method: string, id: string, body?: Uint8Array<ArrayBuffer>): Promise<Response | null> {
    // Signed here and sent once: the caller decides about a retry.
    const request = await client.sign(`${base}/${assertSafeFileName(id)}`, { method, body });
    const response = await fetch(request, { signal: AbortSignal.timeout(patienceMs) });
    if (response.ok) return response;
    // A connection is free again once its response is read.
    await response.arrayBuffer();
    if (response.status === 404) return null;
    throw new Error(`${method} returned ${response.status}`);
  }

  return {
    async put(id, bytes) {
      // A bucket that is not there.
      if (!(await call("PUT", id, new Uint8Array(bytes)))) throw new Error("PUT returned 404");
    },
    async get(id, maxBytes = Number.POSITIVE_INFINITY) {
      const response = await call("GET", id);
      return response && readBytes(response, maxBytes);
    },
    remove: async (id) => void (await call("DELETE", id)),
    ask: async () => void (await call("HEAD", NO_FILE)),
  };
}

/** @throws StoredFileError, and reads no further, beyond `maxBytes`. */
async function readBytes({ body }: Response, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > maxBytes) throw createStoredFileSizeError();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/**
 * Lists the bucket below a path that is empty or ends with a slash. It returns names up to the next slash, and a folder
 * once with its slash. The provider returns a thousand at a time.
 * @throws with the status
 */
export async function listBucketFolder(
  { endpoint, bucket, ...credentials }: S3BucketConfig,
  path: string,
): Promise<string[]> {
  const client = new AwsClient({ service: "s3", ...credentials });
  const found: string[] = [];
  for (let token = ""; ; ) {
    const asked = new URLSearchParams({ "list-type": "2", delimiter: "/", prefix: path });
    if (token) asked.set("continuation-token", token);
    const request = await client.sign(`${endpoint.replace(/\/$/, "")}/${bucket}?${asked}`);
    const response = await fetch(request, { signal: AbortSignal.timeout(LIST_MS) });
    const said = await response.text();
    if (!response.ok) throw new Error(`LIST returned ${response.status}`);
    for (const [, , name = ""] of said.matchAll(/<(Key|Prefix)>([^<]*)<\/\1>/g))
      if (name.startsWith(path) && name !== path) found.push(name.slice(path.length));
    token = /<NextContinuationToken>([^<]*)</.exec(said)?.[1] ?? "";
    if (!token) return found;
  }
}
