// A repeat answers as the first call did (docs/rules.md#idempotency). One transaction
// holds the claim of the key, the action and the kept answer, so that a retry after a lost answer never acts twice.

import { createHash, timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import { run } from "../db/statement.ts";
import { invalidRequest } from "../errors.ts";
import { claimKey, firstAnswer, forgetOldKey, keepAnswer } from "../queries/idempotency.ts";
import type { Seal } from "../secret/seal.ts";

export interface Claim {
  credentialId: string;
  tool: { name: string };
  key: string;
  input: unknown;
}

/** The same arguments give the same hash, whatever order they were written in. */
function hashOf(input: unknown): Buffer {
  const canonical = JSON.stringify(input, (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash("sha256").update(canonical).digest();
}

/**
 * Runs `act` unless this key was used before, in which case the first answer is given again. `recheck` runs before a
 * repeat is answered: what the caller no longer sees is not shown again.
 * @throws 422 when the key came with other arguments before.
 */
export async function once(
  db: Kysely<unknown>,
  seal: Seal,
  claim: Claim,
  act: () => Promise<unknown>,
  recheck: (first: unknown) => Promise<void>,
): Promise<unknown> {
  const own = { credential_id: claim.credentialId, operation: claim.tool.name, key: claim.key };
  const hash = hashOf(claim.input);
  await run(db, forgetOldKey, own);
  const [isNew] = await run(db, claimKey, { ...own, request_hash: hash });
  if (!isNew) {
    const [first] = await run(db, firstAnswer, own);
    if (!first?.answer) throw new Error("an idempotency record without an answer was committed");
    const answer: unknown = JSON.parse(seal.open(first.answer));
    await recheck(answer);
    if (!timingSafeEqual(hash, Buffer.from(first.request_hash)))
      throw invalidRequest(
        "This idempotency key was used with other arguments; use a new key for a new request.",
        "idempotency_key",
      );
    return answer;
  }
  const answer = await act();
  await run(db, keepAnswer, { ...own, answer: seal.seal(JSON.stringify(answer)) });
  return answer;
}
