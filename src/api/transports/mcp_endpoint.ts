// The MCP endpoint for both protocol eras: one list of tools, every call through dispatch. It adds the parts that the
// SDK leaves to the server: Host and Origin, authentication, the scope challenge. It contains no domain logic.

import {
  createMcpHandler,
  localhostAllowedHostnames,
  TRACEPARENT_META_KEY,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import { supportsOAuth } from "../../identity/auth/redirect_uris.ts";
import { ApiError, forbidden, invalidRequest, unauthorized } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { INITIAL_ASSISTANT_SCOPES } from "../../model/scopes.ts";
import { getRequiredScopes } from "../../operation/access_checks.ts";
import type { OwnerOperation } from "../../operation/define_operation.ts";
import type { Dispatcher } from "../../operation/dispatcher.ts";
import type { OperationResponse } from "../../operation/execute.ts";
import { parseLenientArguments } from "../../operation/lenient_arguments.ts";
import type { Caller, Log } from "../../store/handler_context.ts";
import { currentSpan, runWithActiveSpan } from "../../store/trace_spans.ts";
import type { WaitContext } from "../../store/wait_context.ts";
import { createErrorResponse } from "./http_responses.ts";
import { addMcpResourceReadRefusal } from "./mcp_card.ts";
import { createMcpSessionId, getClientFeatures } from "./mcp_client_features.ts";
import { createMcpFastPathResponder, type McpMessage, parseMcpFastPathRequest } from "./mcp_fast_path.ts";
import { requestsOutputSchemas } from "./mcp_output_schemas.ts";
import { serializeUnclosedToolResult } from "./mcp_results.ts";
import {
  createMcpReviews,
  getReviewPromptMode,
  isRefusedForReviewOnly,
  type McpReviewContext,
  mayNeedReview,
} from "./mcp_review.ts";
import {
  type CallTool,
  createCallCancellations,
  createToolServer,
  getServerInfo,
  LIST_CACHE_HINTS,
  runToolCall,
} from "./mcp_server.ts";
import { createToolFilterByScopes, getToolList } from "./mcp_tool_list.ts";
import { getJsonValueCountError, parseJsonBodyOrError, readBodyBytesOrError } from "./request_body.ts";

interface McpOptions {
  tools: readonly OwnerOperation[];
  dispatcher: Dispatcher;
  authenticate(request: Request): Promise<Caller | null>;
  /** Called for a caller before a scope challenge. */
  onChallenge(caller: Caller): Promise<void>;
  publicUrl: string;
  host: string;
  /** Loads the card for chats (rules#mcp-card). */
  loadCard(): Promise<string>;
}

/** Splits the idempotency key, which is not a field of the operation, from the arguments of a tool call. */
function splitKey(tool: OwnerOperation, args: Record<string, unknown>) {
  if (!tool.creates || !Object.hasOwn(args, "idempotency_key")) return { args, idempotencyKey: null };
  const { idempotency_key, ...rest } = args;
  if (idempotency_key === null) return { args: rest, idempotencyKey: null };
  return { args: rest, idempotencyKey: typeof idempotency_key === "string" ? idempotency_key : "" };
}

/** The state that a request and its calls share. */
interface Passed extends McpReviewContext {
  request: Request;
  message: unknown;
  log: Log;
  patience: WaitContext | undefined;
  /** @throws 401 */
  authenticateAgain(): Promise<Caller>;
  /** Its credential ended while its call waited. */
  ended?: boolean;
  /** True if its scopes can be extended, so a challenge helps. A key's never can. */
  mayGrow: boolean;
  /** Its client draws cards. */
  cards: boolean;
  /** Its connection requests output schemas. */
  outputSchemas: boolean;
}

/** Checks that its call was refused for scopes that it can request; if approval is needed, none would help. */
const canGrowFor = (passed: Passed): passed is Passed & { refused: ApiError } =>
  passed.mayGrow && passed.refused !== undefined && passed.refused.scopes.length > 0;

export function createMcpEndpoint({
  tools,
  dispatcher,
  authenticate,
  onChallenge,
  publicUrl,
  host,
  loadCard,
}: McpOptions) {
  const endpoint = new URL("/mcp", publicUrl).href;
  const hostnames = [...localhostAllowedHostnames(), new URL(publicUrl).hostname, host];
  const metadata = supportsOAuth(publicUrl)
    ? `, resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp"`
    : "";
  const base = INITIAL_ASSISTANT_SCOPES.join(" ");

  const reviews = createMcpReviews(tools, dispatcher.reviewChallenges);
  const cancels = createCallCancellations();

  const callFor = (passed: Passed): CallTool => {
    const { request, message, log } = passed;
    // The parent of the message is closer than that of its request.
    const traceparent = (message as McpMessage | undefined)?.params?._meta?.[TRACEPARENT_META_KEY];
    const followed = <T>(work: () => T) => runWithActiveSpan(currentSpan()?.joined(traceparent), work);
    const call: CallTool = async (tool, raw) => {
      // One call may lead to another one after it has waited.
      if (passed.ended) throw unauthorized();
      const { caller } = passed;
      const run = (patience = passed.patience) =>
        followed(() =>
          dispatcher.runOrDraft(tool, caller, {
            ...splitKey(tool, raw),
            log,
            patience,
            authenticateAgain: passed.authenticateAgain,
            transport: "mcp",
          }),
        );
      const refusedFor = async (refusal: ApiError): Promise<OperationResponse> => {
        const decision = await reviews.readDecision(tool, refusal, call, passed);
        if (decision) return decision;
        passed.refused = refusal;
        throw refusal;
      };
      const outcome = await (tool.waits ? cancels.during(request, message, caller, passed.patience, run) : run()).catch(
        (error: unknown) => {
          if (!(error instanceof ApiError) || error.type !== "insufficient_scope") throw error;
          return refusedFor(error);
        },
      );
      return "needs_review" in outcome ? refusedFor(outcome.refusal) : outcome;
    };
    return call;
  };

  const handler = createMcpHandler(({ authInfo }) => {
    const { passed } = assertDefined(authInfo, "each call has authentication data").extra as { passed: Passed };
    const call = callFor(passed);
    const server = createToolServer(offeredTo(passed.caller), call, {
      publicUrl,
      ask: (tool, args, request) => reviews.answer(tool, args, request, call, passed),
      loadCard: passed.cards ? loadCard : undefined,
      outputSchemas: passed.outputSchemas,
    });
    if (!passed.cards && (passed.message as McpMessage | undefined)?.method === "resources/read")
      addMcpResourceReadRefusal(server);
    return server;
  });
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const offeredTo = createToolFilterByScopes(tools);
  const plain = createMcpFastPathResponder(getServerInfo(publicUrl), LIST_CACHE_HINTS);

  /** The answer to a request in the usual form; null when the SDK has to answer it. */
  async function answerPlainly(request: Request, message: unknown, passed: Passed): Promise<Response | null> {
    const asked = parseMcpFastPathRequest(request, message);
    if (!asked) return null;
    if (asked.name === null) return plain.list(asked, getToolList(offeredTo(passed.caller), passed).tools);
    const tool = byName.get(asked.name);
    if (!tool || (passed.asks && mayNeedReview(tool)) || (asked.progress && tool.waits)) return null;
    const answered = await runToolCall(tool, asked.args, callFor(passed));
    if (passed.ended) throw unknownCaller(request);
    if (tool.mayRequire && canGrowFor(passed)) throw challenge(passed.refused, [tool.scope, ...passed.refused.scopes]);
    return plain.call(asked, serializeUnclosedToolResult(answered), answered.headers);
  }

  // Clients of SDK 2 report the header and drop the body, so both contain the solution.
  const challenge = (refused: ApiError, needed: readonly string[]): ApiError => {
    const said = refused.message.replace(/[^ !#-[\]-~]/g, "");
    refused.headers["www-authenticate"] =
      `Bearer error="insufficient_scope", scope="${needed.join(" ")}"${metadata}, error_description="${said}"`;
    return refused;
  };

  const calledTool = (message: unknown) => {
    const { method, params } = (message ?? {}) as McpMessage;
    return method === "tools/call" ? byName.get(params?.name as string) : undefined;
  };

  /** Replaces the arguments of a call by the arguments as they are read, before anything depends on them. */
  function readMessage(message: unknown): void {
    const tool = calledTool(message);
    const params = (message as McpMessage | undefined)?.params;
    const given = params?.arguments;
    if (tool && params && typeof given === "object" && given !== null && !Array.isArray(given))
      params.arguments = parseLenientArguments(tool, given as Record<string, unknown>);
  }

  /** Returns HTTP 403 with all scopes of the call, for a caller that can request them (rules#mcp-step-up). */
  async function scopeChallenge(message: unknown, passed: Passed): Promise<ApiError | null> {
    const { caller, mayGrow } = passed;
    const tool = calledTool(message);
    if (!tool || !mayGrow) return null;
    const args = (message as McpMessage).params?.arguments;
    const refused = await dispatcher.findScopeError(tool, caller, args);
    if (refused?.scopes.length === 0) return null;
    // Its person can decide about this one alert at once.
    if (passed.asks && refused && isRefusedForReviewOnly(tool, refused)) return null;
    return refused && challenge(refused, getRequiredScopes(tool, args));
  }

  function unknownCaller(request: Request): ApiError {
    const refused = unauthorized();
    const problem = request.headers.has("authorization") ? 'error="invalid_token", ' : "";
    refused.headers["www-authenticate"] = `Bearer ${problem}scope="${base}"${metadata}`;
    return refused;
  }

  async function serve(request: Request, log: Log, patience?: WaitContext): Promise<Response> {
    if (!validateHostHeader(request.headers.get("host"), hostnames).ok)
      throw forbidden("origin_not_allowed", `The Host header of this request is not allowed. Use ${endpoint}.`);
    if (!validateOriginHeader(request.headers.get("origin"), hostnames).ok)
      throw forbidden(
        "origin_not_allowed",
        `The Origin of this request is not allowed. Send it without the Origin header, or from a page on ${publicUrl}.`,
      );
    if (request.method !== "POST") {
      const refused = invalidRequest("malformed_request", "The MCP endpoint accepts only POST.");
      refused.headers.allow = "POST";
      return createErrorResponse(refused, 405);
    }
    const caller = await authenticate(request);
    if (!caller) throw unknownCaller(request);
    const bytes = await readBodyBytesOrError(request);
    if (bytes instanceof ApiError) throw bytes;
    const tooMany = getJsonValueCountError(bytes);
    if (tooMany) throw tooMany;
    const { value } = parseJsonBodyOrError(bytes);
    // The protocol has no batches since 2025-06-18, and one would be many calls that count as one in flight.
    if (Array.isArray(value))
      throw invalidRequest(
        "malformed_request",
        "A request must contain exactly one message. Send the messages of a batch separately.",
      );
    readMessage(value);
    const mayGrow = caller.credential.type === "oauth";
    const features = getClientFeatures(value, request.headers);
    const asks = reviews.canReadReview(caller) ? getReviewPromptMode(request, features.includes("url")) : null;
    const authenticateAgain = async () => {
      const now = await authenticate(request);
      if (now) {
        passed.caller = now;
        return now;
      }
      passed.ended = true;
      throw unauthorized();
    };
    const passed: Passed = {
      request,
      message: value,
      caller,
      log,
      patience,
      authenticateAgain,
      mayGrow,
      asks,
      cards: features.includes("ui"),
      outputSchemas: requestsOutputSchemas(request.url),
    };
    cancels.hear(request, value, caller);
    const refused = await scopeChallenge(value, passed);
    if (refused) {
      await onChallenge(caller);
      throw refused;
    }
    const answered = await answerPlainly(request, value, passed);
    if (answered) return answered;
    const { id: clientId, scopes } = caller.credential;
    const authInfo = { token: "", clientId, scopes: [...scopes], extra: { passed } };
    if (value !== undefined) {
      const response = await handler.fetch(request, { authInfo, parsedBody: value });
      // For these tools, the scope depends on the stored row, so the status waits for the call.
      const session = createMcpSessionId(value);
      if (session) response.headers.set("mcp-session-id", session);
      const tool = calledTool(value);
      // A repeated call returns the decision, and may wait for it.
      if ((value as McpMessage).params?.requestState !== undefined) return response;
      if (!tool || !passed.mayGrow || !(passed.asks ? mayNeedReview(tool) : tool.mayRequire)) return response;
      const text = await response.text();
      if (canGrowFor(passed)) throw challenge(passed.refused, [tool.scope, ...passed.refused.scopes]);
      return new Response(text, response);
    }
    // Passed on unchanged: the protocol refuses invalid JSON.
    const { url, method, headers } = request;
    return handler.fetch(new Request(url, { method, headers, body: bytes }), { authInfo });
  }

  return {
    fetch: (request: Request, log: Log, patience?: WaitContext): Promise<Response> =>
      serve(request, log, patience).catch((error) => createErrorResponse(error)),
    close: () => handler.close(),
  };
}
