// Review during an MCP call. If only a signed-in person may decide, the client's protocol sends its person to a page.
// The repeated call returns the decision. The client's own response proves nothing: it only shows that the person
// opened the page. It contains no domain logic. rules#mcp-review

import { randomUUID } from "node:crypto";
import {
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/server";
import { ApiError } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { CANCEL_OR_DELETE_APPROVAL_MESSAGE, REVIEW_PROMPT } from "../../model/domain/review_url_and_decision.ts";
import { LIMITS } from "../../model/limits.ts";
import type { OwnerOperation } from "../../operation/define_operation.ts";
import type { OperationResponse } from "../../operation/execute.ts";
import type { ReviewChallenges } from "../../operation/review_challenge.ts";
import { canSaveRefusedCallAsDraft } from "../../operation/review_challenge.ts";
import type { Caller } from "../../store/handler_context.ts";
import { MODERN_MCP_PROTOCOL } from "./mcp_fast_path.ts";
import { createBodyAndJsonText, type ToolAnswer } from "./mcp_results.ts";
import { type CallTool, runToolCall } from "./mcp_server.ts";

/** The method by which a client opens a URL: a result that requires input, or an error. Null: not supported. */
type ReviewPromptMode = "input" | "error" | null;

type Args = Record<string, unknown>;

/** The review state of an alert, from the tool that reports it. */
interface ReviewedAlert {
  id: string;
  pusher_id: string;
  updated_at: string;
  review_url: string;
}

/** Returns the method of a message's client; `opensUrls`: it can open URLs. */
export function getReviewPromptMode({ headers }: Request, opensUrls: boolean): ReviewPromptMode {
  if (!opensUrls) return null;
  return headers.get("mcp-protocol-version") === MODERN_MCP_PROTOCOL ? "input" : "error";
}

/** Checks that a call may need another person's decision. */
export const mayNeedReview = (tool: OwnerOperation): boolean => isReviewed(tool) || tool.mayNeedApproval === true;

/** Checks that the decision is made on the alert's review page. */
const isReviewed = ({ leadsToReview, asDraft, mayRequire }: OwnerOperation): boolean =>
  Boolean(leadsToReview || asDraft || mayRequire);

/** Checks that only a person's decision is missing. */
export const isRefusedForReviewOnly = (tool: OwnerOperation, refused: ApiError): boolean =>
  isReviewed(tool) && (refused.review !== null || canSaveRefusedCallAsDraft(tool, refused));

/** One request's call as far as a person is concerned. */
export interface McpReviewContext {
  caller: Caller;
  asks: ReviewPromptMode;
  /** The scope refusal that its call had. */
  refused?: ApiError;
  /** The state of the alert whose publishing was refused. */
  alert?: ReviewedAlert;
}

interface Retried {
  inputResponses?: Record<string, unknown>;
  requestState(): unknown;
}

/** The only input that is ever required. */
const INPUT = "review";

export function createMcpReviews(tools: readonly OwnerOperation[], challenges: ReviewChallenges) {
  const reviewTool = assertDefined(
    tools.find(({ tellsReview }) => tellsReview),
    "one tool reports the decision on a review",
  );
  const isDecided = (body: unknown) => reviewTool.tellsReview?.(body) === true;

  /**
   * Returns the decision about the alert of a refused call. Null without a decision, if a person cannot decide it, or
   * if the caller may not read it.
   */
  async function readDecision(
    tool: OwnerOperation,
    refused: ApiError,
    call: CallTool,
    context: McpReviewContext,
  ): Promise<OperationResponse | null> {
    if (!refused.review || !isReviewed(tool) || !canReadReview(context.caller)) return null;
    const alert = await call(reviewTool, { ...refused.review, seconds: 0, view: "brief" }).catch(() => null);
    if (!alert) return null;
    // A decision about the alert does not perform an edit.
    if (!tool.mayRequire && isDecided(alert.body)) return alert;
    context.alert = alert.body as ReviewedAlert;
    return null;
  }

  /**
   * Returns the result for a client that can open the page; null for others.
   * @throws the error of 2025
   */
  function question(tool: OwnerOperation, args: Args, context: McpReviewContext): InputRequiredResult | null {
    const { asks, caller, alert, refused } = context;
    const page = refused?.page ?? null;
    if (!asks || !(alert || page)) return null;
    // The same call would be another alert.
    if (asks === "error" && tool.asDraft && !page && args.idempotency_key === undefined) return null;
    context.refused = undefined;
    const address = alert
      ? { url: alert.review_url, message: REVIEW_PROMPT }
      : { url: page as string, message: CANCEL_OR_DELETE_APPROVAL_MESSAGE };
    if (asks === "error")
      throw new UrlElicitationRequiredError(
        [{ mode: "url", elicitationId: randomUUID(), ...address }],
        address.message,
      );
    const question = alert
      ? { review: { pusher_id: alert.pusher_id, alert_id: alert.id }, version: alert.updated_at }
      : { review: null, version: "" };
    const requestState = challenges.state({ caller, tool, args }, question);
    return inputRequired({ inputRequests: { [INPUT]: inputRequired.elicitUrl(address) }, requestState });
  }

  /** Runs the call again for its remaining effects. A missing channel was deleted by the person. */
  async function afterApproval(tool: OwnerOperation, args: Args, call: CallTool): Promise<ToolAnswer> {
    let gone = false;
    const answered = await runToolCall(tool, args, (again, raw) =>
      call(again, raw).catch((error) => {
        gone = error instanceof ApiError && error.type === "not_found";
        throw error;
      }),
    );
    if (!gone || tool.http.status !== 204) return answered;
    return { ...createBodyAndJsonText({ deleted: true, id: args.pusher_id }), isError: false, headers: {} };
  }

  const canReadReview = ({ credential: { scopes } }: Caller) => scopes.includes(reviewTool.scope);

  async function again(
    tool: OwnerOperation,
    args: Args,
    state: unknown,
    responses: Record<string, unknown> | undefined,
    call: CallTool,
    context: McpReviewContext,
  ): Promise<ToolAnswer | InputRequiredResult> {
    const found = typeof state === "string" && (await challenges.take(state, { caller: context.caller, tool, args }));
    if (!found)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", {
        reason: "invalid_request_state",
      });
    if (found.review === null) return afterApproval(tool, args, call);
    const accepted = (responses?.[INPUT] as { action?: unknown } | undefined)?.action === "accept";
    const seconds = accepted ? LIMITS.review_held_seconds : 0;
    const answered = await runToolCall(reviewTool, { ...found.review, seen_updated_at: found.version, seconds }, call);
    // The permission for an edit depends on the current alert.
    if (tool.mayRequire) return runToolCall(tool, args, call);
    const alert = answered.body as ReviewedAlert;
    if (answered.isError || !accepted || isDecided(alert) || alert.updated_at === found.version) return answered;
    // It was edited, so the earlier request to the person is void.
    context.alert = alert;
    return question(tool, args, context) ?? answered;
  }

  return {
    readDecision,
    canReadReview,
    /** Answers a tool call that may need a decision, or its repeat. */
    async answer(
      tool: OwnerOperation,
      args: Args,
      { inputResponses, requestState }: Retried,
      call: CallTool,
      context: McpReviewContext,
    ): Promise<ToolAnswer | InputRequiredResult> {
      const state = context.asks === "input" ? requestState() : undefined;
      if (state !== undefined) return again(tool, args, state, inputResponses, call, context);
      const answered = await runToolCall(tool, args, call);
      return question(tool, args, context) ?? answered;
    },
  };
}
