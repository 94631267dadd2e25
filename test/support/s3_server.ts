// A small S3-compatible provider made of node:http. It refuses unsigned requests, and lists a thousand at a time at
// most.

import { createServer } from "node:http";

export interface S3Server {
  /** Keyed by path: the bucket and the key. */
  objects: Map<string, Buffer>;
  /** The received requests, as "PUT /bucket/key". */
  calls: string[];
  /** The status with which it refuses every request; 0: none. */
  failing: number;
  /** Nothing is stored before it resolves. */
  held: Promise<unknown> | null;
  /** The maximum number of names in a list. */
  listed: number;
  endpoint: string;
  close(): Promise<unknown>;
}

/** A key that it believes, as the settings that begin with `name` have it. */
export const s3Settings = (name: string, { endpoint }: S3Server) => ({
  [`${name}_ENDPOINT`]: `${endpoint}/`,
  [`${name}_REGION`]: "auto",
  [`${name}_ACCESS_KEY_ID`]: "AKIATEST",
  [`${name}_SECRET_ACCESS_KEY`]: "not a secret".replaceAll(" ", "-"),
});

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=AKIATEST\/\d{8}\/auto\/s3\/aws4_request, SignedHeaders=\S+, Signature=[0-9a-f]{64}$/;

export async function startS3Server(): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const calls: string[] = [];
  const provider: S3Server = {
    objects,
    calls,
    failing: 0,
    held: null,
    listed: 1000,
    endpoint: "",
    async close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };

  /** ListObjectsV2: keys below a prefix, and once each common part up to the delimiter. */
  function list(bucket: string, asked: URLSearchParams): string {
    const prefix = asked.get("prefix") ?? "";
    const all = [...objects.keys()]
      .flatMap((path) => (path.startsWith(`${bucket}/${prefix}`) ? [path.slice(bucket.length + 1)] : []))
      .map((key) => {
        const cut = key.indexOf(asked.get("delimiter") ?? "/", prefix.length);
        return cut < 0
          ? `<Contents><Key>${key}</Key></Contents>`
          : `<CommonPrefixes><Prefix>${key.slice(0, cut + 1)}</Prefix></CommonPrefixes>`;
      });
    const found = [...new Set(all)].sort();
    const from = Number(asked.get("continuation-token") ?? 0);
    const more = found.length > from + provider.listed;
    return `<?xml version="1.0"?><ListBucketResult><Prefix>${prefix}</Prefix>${found
      .slice(from, from + provider.listed)
      .join(
        "",
      )}${more ? `<NextContinuationToken>${from + provider.listed}</NextContinuationToken>` : ""}</ListBucketResult>`;
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    calls.push(`${request.method} ${request.url}`);
    const end = (status: number, body?: Buffer | string) => response.writeHead(status).end(body);
    if (!SIGNED.test(request.headers.authorization ?? "") || !request.headers["x-amz-date"]) return end(403);
    if (provider.failing > 0) return end(provider.failing, "its own words");
    const { pathname: key, searchParams } = new URL(request.url!, "http://localhost");
    if (searchParams.has("list-type")) return end(200, list(key, searchParams));
    const object = objects.get(key);
    if (request.method === "PUT") {
      await provider.held;
      objects.set(key, Buffer.concat(chunks));
      return end(200);
    }
    if (request.method === "DELETE") {
      // Some providers return 404 for a missing object, AWS returns 204.
      return end(objects.delete(key) ? 204 : 404);
    }
    return object ? end(200, request.method === "HEAD" ? undefined : object) : end(404);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  provider.endpoint = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  return provider;
}
