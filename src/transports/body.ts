// Reading a request's body within bounds. What is wrong with it is returned, not thrown: the credential comes first.

import { ApiError, invalidRequest } from "../errors.ts";

/** "body over 4 MiB (also at /mcp)" */
export const MAX_BODY = 4 * 1024 * 1024;

export type Body = { value: unknown; problem?: undefined } | { value?: undefined; problem: ApiError };

/** The bytes of the body. After one that is too large the connection is not usable, so that refusal closes it. */
export async function readBytes(request: Request, max = MAX_BODY): Promise<Uint8Array | ApiError> {
  try {
    let size = Number(request.headers.get("content-length") ?? 0);
    const chunks: Uint8Array[] = [];
    if (size <= max) {
      size = 0;
      for await (const chunk of request.body ?? []) {
        size += chunk.byteLength;
        if (size > max) break;
        chunks.push(chunk);
      }
    }
    if (size <= max) return Buffer.concat(chunks);
    const problem = invalidRequest(
      max === MAX_BODY ? "The body is larger than 4 MiB; send less at once." : "The file is too large.",
    );
    problem.headers.connection = "close";
    return problem;
  } catch {
    return invalidRequest("The body could not be read; send it again.");
  }
}

/** The JSON value of a body; an empty one is undefined. */
export async function readJson(request: Request): Promise<Body> {
  const bytes = await readBytes(request);
  if (bytes instanceof ApiError) return { problem: bytes };
  if (bytes.length === 0) return { value: undefined };
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    return { problem: invalidRequest("The body must be sent with Content-Type: application/json.") };
  return parseJson(bytes);
}

export function parseJson(bytes: Uint8Array): Body {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    return { problem: invalidRequest("The body is not valid JSON in UTF-8.") };
  }
}
