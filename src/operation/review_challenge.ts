// Review challenges: the pending request to a person, carried by the client that repeats the call. They are encrypted
// and valid once, within an hour, for one caller, call, alert and version. They allow nothing: only a signed-in
// person's decision counts (rules#mcp-review). Also the outcome of a call whose alert was kept as a draft for a person.

import { randomUUID } from "node:crypto";
import { type AlertReviewTarget, type ApiError, insufficientScope } from "../model/api_error.ts";
import { LIMITS } from "../model/limits.ts";
import { PUBLISH_SCOPE } from "../model/scopes.ts";
import type { Orm } from "../store/db/orm.ts";
import { getKysely, runStatement } from "../store/db/statement.ts";
import type { Caller } from "../store/handler_context.ts";
import { claimIdempotencyKey } from "../store/queries/audit_and_events.ts";
import type { Encryption } from "../store/secret/encryption.ts";
import type { OwnerOperation } from "./define_operation.ts";
import { hashInput } from "./idempotency.ts";

/** The challenged call, which the repeat must match. */
interface ChallengedCall {
  caller: Caller;
  tool: { name: string };
  args: unknown;
}

/** The content that the person sees. */
interface ReviewedAlertVersion {
  /** Null where the person is sent to another page than an alert's review. */
  review: AlertReviewTarget | null;
  /** `updated_at` of the alert; empty without one. */
  version: string;
}

interface Sealed extends ReviewedAlertVersion {
  caller: string;
  call: string;
  until: number;
  once: string;
}

interface ReviewChallengeDeps {
  orm: Orm;
  reviewChallengeSeal: Encryption;
  now(): Date;
  mustHaveRoom?(): void;
}

export function createReviewChallenges({ orm, reviewChallengeSeal, now, mustHaveRoom }: ReviewChallengeDeps) {
  const callOf = ({ tool, args }: ChallengedCall) => hashInput([tool.name, args]).toString("base64url");

  function opened(state: string): Sealed | null {
    try {
      return JSON.parse(reviewChallengeSeal.decrypt(Buffer.from(state, "base64url")));
    } catch {
      return null;
    }
  }

  return {
    /** The question in the form that travels. */
    state(call: ChallengedCall, question: ReviewedAlertVersion): string {
      const until = now().getTime() + LIMITS.review_asked_minutes * 60_000;
      const sealed: Sealed = {
        ...question,
        caller: call.caller.credential.id,
        call: callOf(call),
        until,
        once: randomUUID(),
      };
      return reviewChallengeSeal.encrypt(JSON.stringify(sealed)).toString("base64url");
    },
    /**
     * The question that this call was about; null for what was altered, belongs to another call, is over or was used.
     */
    async take(state: string, call: ChallengedCall): Promise<ReviewedAlertVersion | null> {
      const found = opened(state);
      if (!found || found.caller !== call.caller.credential.id || found.call !== callOf(call)) return null;
      if (found.until < now().getTime()) return null;
      mustHaveRoom?.();
      const use = { credential_id: found.caller, operation: "asked", key: found.once };
      const [isFirst] = await runStatement(getKysely(orm), claimIdempotencyKey, {
        ...use,
        request_hash: Buffer.alloc(0),
      });
      return isFirst ? { review: found.review, version: found.version } : null;
    },
  };
}

export type ReviewChallenges = ReturnType<typeof createReviewChallenges>;

/** Checks that a refused call can leave a draft. */
export const canSaveRefusedCallAsDraft = (tool: OwnerOperation, { scopes }: ApiError): boolean =>
  tool.asDraft !== undefined && scopes.every((scope) => scope === PUBLISH_SCOPE);

/** The outcome of a call whose alert was kept as a draft, because only a person may publish it. */
export interface ReviewRequired {
  /** The draft. */
  needs_review: AlertReviewTarget;
  /** Explains why nothing was published, and where a person decides. */
  refusal: ApiError;
}

/** `missing`: the refusal of the call; `body`: the response with the draft. */
export function createReviewRequired({ scopes }: ApiError, body: unknown): ReviewRequired {
  const { id, pusher_id, review_url } = body as { id: string; pusher_id: string; review_url: string };
  const why =
    scopes.length > 0
      ? `this credential lacks the scope ${PUBLISH_SCOPE}`
      : "this credential needs human approval before it can publish";
  const needs_review = { pusher_id, alert_id: id };
  const message =
    `The alert was not published: ${why}. It was saved as draft ${id}, so do not create it again. Ask a person to ` +
    `review it in the console: ${review_url}`;
  return { needs_review, refusal: insufficientScope(scopes, message, needs_review) };
}
