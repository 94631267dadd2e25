// Text in fewer bytes, for who takes it.

import { promisify } from "node:util";
import { gzip } from "node:zlib";

const zip = promisify(gzip);

/** Below so many bytes there is nothing to gain. */
const WORTH = 1024;

export const takesGzip = ({ headers }: Request): boolean =>
  /\bgzip\b/.test(headers.get("accept-encoding") ?? "");

/**
 * A page that was made for one person. One that another site opened stays as it is: by the length of what is compressed, that site
 * could guess at secrets that stand beside words which it chose itself (BREACH).
 */
export async function compressed(request: Request, page: Response): Promise<Response> {
  const from = request.headers.get("sec-fetch-site") ?? "none";
  const { status, headers } = page;
  if (!headers.get("content-type")?.startsWith("text/html")) return page;
  headers.set("vary", "accept-encoding, sec-fetch-site");
  if (!takesGzip(request) || !["none", "same-origin"].includes(from)) return page;
  const body = Buffer.from(await page.arrayBuffer());
  if (body.length < WORTH) return new Response(body, { status, headers });
  headers.set("content-encoding", "gzip");
  return new Response(await zip(body), { status, headers });
}
