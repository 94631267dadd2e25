// A repeat answers as the first call did (docs/rules.md#idempotency). One transaction
// holds the claim of the key, the action and the kept answer, so that a retry after a lost answer never acts twice.

import { createHash, timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import { invalidRequest } from "../model/errors.ts";
import { forBoth } from "../model/for_people.ts";
import { LIMITS } from "../model/limits.ts";
import { run } from "../store/db/statement.ts";
import { claimKey, firstAnswer, forgetOldKey, keepAnswer } from "../store/queries/idempotency.ts";
import type { Seal } from "../store/secret/seal.ts";

export interface Claim {
  credentialId: string;
  tool: { name: string };
  key: string;
  input: unknown;
  seal: Seal;
  /** What the caller no longer sees is not shown again. @throws what a repeat is refused with. */
  recheck(db: Kysely<unknown>, first: unknown): Promise<void>;
}

/** The two ends of an action that is done once; both in its transaction. */
export interface Repeats {
  /** The answer that was given before; null when this call is the first, whose key is then taken. @throws 422. */
  firstAnswer(db: Kysely<unknown>): Promise<{ answer: unknown } | null>;
  /** Keeps the first call's answer for the repeats. */
  keep(db: Kysely<unknown>, answer: unknown): Promise<void>;
}

/** The same arguments give the same hash, whatever order they were written in. */
export function hashOf(input: unknown): Buffer {
  const canonical = JSON.stringify(input, (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash("sha256").update(canonical).digest();
}

export function repeatsOf({ credentialId, tool, key, input, seal, recheck }: Claim): Repeats {
  const own = { credential_id: credentialId, operation: tool.name, key };
  const hash = hashOf(input);
  return {
    async firstAnswer(db) {
      await run(db, forgetOldKey, { ...own, hours: LIMITS.idempotency_hours });
      const [isNew] = await run(db, claimKey, { ...own, request_hash: hash });
      if (isNew) return null;
      const [first] = await run(db, firstAnswer, own);
      if (!first?.answer) throw new Error("an idempotency record without an answer was committed");
      const answer: unknown = JSON.parse(seal.open(first.answer));
      await recheck(db, answer);
      if (!timingSafeEqual(hash, Buffer.from(first.request_hash)))
        throw invalidRequest(
          forBoth(
            "This idempotency key was used with other arguments; use a new key for a new request.",
            "This form was sent already, with something else in it. Reload the page to begin anew.",
          ),
          "idempotency_key",
        );
      return { answer };
    },
    async keep(db, answer) {
      await run(db, keepAnswer, { ...own, answer: seal.seal(JSON.stringify(answer)) });
    },
  };
}
