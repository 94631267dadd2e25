// Verifies the signature of a delivery. Copy `signatureProblem`; the rest tries it on a body from standard input. Needs
// only Node.
//   WEBHOOK_SECRET=whsec_… node examples/webhooks/verify.ts "$X_WEBHOOK_SIGNATURE" < body

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";

const TOLERANCE_SECONDS = 300;

/**
 * Null when the delivery is genuine, else why it is not. Never throws. `rawBody` is the body before anything parses it.
 * A header may have several `v1`; one that fits is enough. With "wrong time" the signature fits: the delivery is old,
 * or a clock is wrong.
 */
export function signatureProblem(
  header: string | string[] | null | undefined,
  rawBody: Uint8Array,
  secret: string,
): "no secret: set WEBHOOK_SECRET" | "wrong signature" | "wrong time" | null {
  if (!secret) return "no secret: set WEBHOOK_SECRET";
  const elements = String(header ?? "").split(",");
  const named = (name: string) =>
    elements.map((element) => element.trim()).filter((element) => element.startsWith(`${name}=`));
  const timestamp = named("t").join().slice(2);
  if (!/^[0-9]{1,15}$/.test(timestamp)) return "wrong signature";
  const signed = createHmac("sha256", secret).update(`${timestamp}.`).update(rawBody);
  const expected = Buffer.from(`v1=${signed.digest("hex")}`);
  let genuine = false;
  for (const signature of named("v1")) {
    const given = Buffer.from(signature.toLowerCase());
    // Each one is compared as a whole, so the time that it takes reveals nothing.
    if (given.length === expected.length && timingSafeEqual(given, expected)) genuine = true;
  }
  if (!genuine) return "wrong signature";
  return Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS ? "wrong time" : null;
}

if (import.meta.main) {
  const problem = signatureProblem(process.argv[2], readFileSync(0), process.env.WEBHOOK_SECRET ?? "");
  console.log(problem ?? "genuine");
  process.exitCode = problem === null ? 0 : 1;
}
