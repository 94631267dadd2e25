// Uploaded files with an S3-compatible provider: three verbs on one address, signed. Loaded by those alone who use it.

import { AwsClient } from "aws4fetch";
import type { Backend } from "./store.ts";

export interface Bucket {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** What no file is called, to ask whether the provider answers. */
const NO_FILE = "00000000-0000-0000-0000-000000000000";

/** `patienceMs`: no connection stays open for longer. */
export function s3Backend({ endpoint, bucket, ...credentials }: Bucket, patienceMs: number): Backend {
  const client = new AwsClient({ service: "s3", ...credentials });
  const base = `${endpoint.replace(/\/$/, "")}/${bucket}`;

  /** Null for 404, which some providers also answer where what is gone already is removed. @throws naming the status. */
  async function call(method: string, id: string, body?: Uint8Array<ArrayBuffer>): Promise<Response | null> {
    // Signed here and sent once: whoever asked decides about another try.
    const request = await client.sign(`${base}/${encodeURIComponent(id)}`, { method, body });
    const response = await fetch(request, { signal: AbortSignal.timeout(patienceMs) });
    if (response.ok) return response;
    // A connection is free again once its answer is read.
    await response.arrayBuffer();
    if (response.status === 404) return null;
    throw new Error(`${method} was answered ${response.status}`);
  }

  return {
    async put(id, bytes) {
      // A bucket that is not there.
      if (!(await call("PUT", id, new Uint8Array(bytes)))) throw new Error("PUT was answered 404");
    },
    async get(id) {
      const response = await call("GET", id);
      return response && new Uint8Array(await response.arrayBuffer());
    },
    remove: async (id) => void (await call("DELETE", id)),
    ask: async () => void (await call("HEAD", NO_FILE)),
  };
}
