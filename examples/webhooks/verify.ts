// Whether a delivery is genuine. Copy `isGenuine`; the rest tries it on a body from standard input. Needs Node and nothing else.
//   WEBHOOK_SECRET=whsec_… node examples/webhooks/verify.ts "$X_WEBHOOK_SIGNATURE" < body

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";

const TOLERANCE_SECONDS = 300;

/** `rawBody` is what came, before anything parses it. A header may hold several `v1`: one that fits is enough. */
export function isGenuine(header: string, rawBody: Uint8Array, secret: string): boolean {
  const elements = header.split(",").map((element) => element.trim().split("=", 2) as [string, string?]);
  const named = (wanted: string) =>
    elements.flatMap(([name, value = ""]) => (name === wanted ? [value] : []));
  const [timestamp = "", ...further] = named("t");
  if (!/^\d{1,15}$/.test(timestamp) || further.length > 0) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(rawBody).digest();
  let genuine = false;
  for (const signature of named("v1")) {
    const given = Buffer.from(signature, "hex");
    // Every one is compared, whole: the time that it takes tells nothing.
    if (given.length === expected.length && timingSafeEqual(given, expected)) genuine = true;
  }
  return genuine;
}

if (import.meta.main) {
  const genuine = isGenuine(process.argv[2] ?? "", readFileSync(0), process.env.WEBHOOK_SECRET ?? "");
  console.log(genuine ? "genuine" : "refused");
  process.exitCode = genuine ? 0 : 1;
}
