// Idempotency: a repeat returns the response of the first call (rules#idempotency). One transaction contains the claim
// of the key, the action and the stored response, so a retry after a lost response never acts twice. An operation with
// one statement has it store the key. If the key was used, it looks up the first response (docs/decisions/0034).

import { createHash, timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import { createApiAndUiText } from "../model/api_and_ui_error_texts.ts";
import { invalidRequest } from "../model/api_error.ts";
import { assertDefined } from "../model/assert.ts";
import { LIMITS } from "../model/limits.ts";
import type { CallTransport } from "../model/tables/audit_event.ts";
import { runStatement } from "../store/db/statement.ts";
import type { HandlerContext } from "../store/handler_context.ts";
import {
  claimIdempotencyKey,
  findIdempotentResponse,
  removeExpiredIdempotencyKey,
  storeIdempotentResponse,
} from "../store/queries/audit_and_events.ts";
import type { Encryption } from "../store/secret/encryption.ts";
import type { OwnerOperation } from "./define_operation.ts";

export interface IdempotencyRequest {
  credentialId: string;
  tool: Pick<OwnerOperation, "name" | "answerAgain">;
  key: string;
  input: unknown;
  seal: Encryption;
  /**
   * Checks that the caller still sees the rows.
   * @throws the error for the repeat
   */
  recheck(db: Kysely<unknown>, first: unknown): Promise<void>;
}

/** The treatment of an identical send without a key, by transport (rules#sent-once). */
export const KEYLESS_REPEAT_RESPONSE_BY_TRANSPORT: Partial<Record<CallTransport, "answer" | "note">> = {
  mcp: "answer",
  cli: "answer",
  rest: "note",
};

type TakenKey = ReturnType<HandlerContext["sqlBatched"]["idempotencyInStatement"]>;

export const NO_IDEMPOTENCY_KEY_SQL_PARAMETERS: TakenKey = {
  key_of: null,
  key: null,
  key_hash: null,
  key_answer: null,
};

/** A statement found the key used, and has done nothing. */
export class IdempotencyKeyUsedError extends Error {}

/** Hashes arguments independently of their order. */
export function hashInput(input: unknown): Buffer {
  const canonical = JSON.stringify(input, (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash("sha256").update(canonical).digest();
}

/**
 * The response that is stored under a key, with the hash of the arguments; null for none. The caller compares the
 * arguments.
 */
export async function readIdempotentResponseAndHash(
  db: Kysely<unknown>,
  { credentialId, tool, key, seal }: Pick<IdempotencyRequest, "credentialId" | "tool" | "key" | "seal">,
): Promise<{ answer: unknown; hash: Buffer } | null> {
  const own = { credential_id: credentialId, operation: tool.name, key };
  const [first] = await runStatement(db, findIdempotentResponse, { ...own, hours: LIMITS.idempotency_hours });
  if (!first) return null;
  if (!first.sealed_response) throw new Error("an idempotency record without a response was committed");
  const kept: unknown = JSON.parse(seal.decrypt(first.sealed_response));
  const answer = first.response_patch && tool.answerAgain ? tool.answerAgain(kept, first.response_patch) : kept;
  return { answer, hash: Buffer.from(first.request_hash) };
}

/**
 * Returns the beginning and end of an action that runs once, both for its transaction, or their equivalents for a
 * single statement.
 */
export function createIdempotencySteps({ credentialId, tool, key, input, seal, recheck }: IdempotencyRequest) {
  const own = { credential_id: credentialId, operation: tool.name, key };
  const hash = hashInput(input);
  const hours = LIMITS.idempotency_hours;

  /** The earlier response, if there is one; locks nothing. @throws 422. */
  async function earlier(db: Kysely<unknown>): Promise<{ answer: unknown } | null> {
    const first = await readIdempotentResponseAndHash(db, { credentialId, tool, key, seal });
    if (!first) return null;
    const { answer, hash: firstHash } = first;
    await recheck(db, answer);
    if (!timingSafeEqual(hash, firstHash))
      throw invalidRequest(
        "idempotency_key_reused",
        createApiAndUiText(
          "This idempotency key was already used with different arguments. Use a new key for a new request.",
          "This form was already submitted with different content. Reload the page to start again.",
        ),
        "idempotency_key",
      );
    return { answer };
  }

  return {
    /** The same for all repeats. */
    name: JSON.stringify(own),
    earlier,
    /** The earlier response; null when this call is the first, whose key is then taken. @throws 422. */
    async firstAnswer(db: Kysely<unknown>): Promise<{ answer: unknown } | null> {
      await runStatement(db, removeExpiredIdempotencyKey, { ...own, hours });
      const [isNew] = await runStatement(db, claimIdempotencyKey, { ...own, request_hash: hash });
      if (isNew) return null;
      return assertDefined(await earlier(db), "the transaction that used the key has committed");
    },
    /** Stores the first call's response for the repeats. */
    async keep(db: Kysely<unknown>, answer: unknown): Promise<void> {
      await runStatement(db, storeIdempotentResponse, { ...own, answer: seal.encrypt(JSON.stringify(answer)) });
    },
    /** `answer`: all of it that is known before the statement runs. */
    taking: (answer: unknown): TakenKey => ({
      key_of: credentialId,
      key,
      key_hash: hash.toString("base64"),
      key_answer: seal.encrypt(JSON.stringify(answer)).toString("base64"),
    }),
  };
}

export type IdempotentAction = ReturnType<typeof createIdempotencySteps>;

const IDEMPOTENCY_KEY = new RegExp(`^[\\x20-\\x7e]{1,${LIMITS.idempotency_key}}$`);

/** The key as it is used, or null for none. @throws 422. */
export function checkIdempotencyKey(key: string | null | undefined): string | null {
  if (key === null || key === undefined) return null;
  if (!IDEMPOTENCY_KEY.test(key))
    throw invalidRequest(
      "invalid_format",
      createApiAndUiText(
        `The idempotency key must be 1 to ${LIMITS.idempotency_key} printable ASCII characters.`,
        "The form is not valid. Reload the page and try again.",
      ),
      "idempotency_key",
    );
  return key;
}
