// One call of an operation by REST: the request within bounded time, and a refusal read back from its envelope. Knows
// no operation by name.

import { invalidRequest, parseApiError } from "../../model/api_error.ts";
import { LIMITS } from "../../model/limits.ts";
import { buildRestRequest, CLI_USER_AGENT } from "../../operation/build_rest_request.ts";
import { getPathArguments, IDEMPOTENCY_ARGUMENT_NAMES, type OwnerOperation } from "../../operation/define_operation.ts";
import type { OperationResponse } from "../../operation/execute.ts";
import { createValidationError } from "../../operation/validation_errors.ts";
import {
  convertFetchError,
  getLimitHeaders,
  getUnknownAnswerError,
  type ServerConnection,
  sendAuthenticatedRequest,
} from "./server_connection.ts";

/** More than a call waits for a review. */
const ANSWER_MS = 60_000;

/** Runs the operation on the server. @throws ApiError, and nothing else. */
export async function callByRest(
  tool: OwnerOperation,
  args: Record<string, unknown>,
  connection: Pick<ServerConnection, "url" | "key" | "login">,
): Promise<OperationResponse> {
  refuseUnsendable(tool, args);
  const { url } = connection;
  const { method, path, headers, body } = buildRestRequest(tool, args);
  headers["user-agent"] = CLI_USER_AGENT;
  const send = (key: string | null) => {
    if (key) headers.authorization = `Bearer ${key}`;
    const signal = AbortSignal.timeout(ANSWER_MS);
    // A redirect is not followed: the key is for this address.
    return fetch(`${url}${path}`, { method, headers, body, redirect: "manual", signal });
  };
  let response: Response;
  let text: string;
  try {
    response = await sendAuthenticatedRequest(connection, send);
    text = await response.text();
  } catch (error) {
    throw convertFetchError(url, error);
  }
  const answerHeaders = getLimitHeaders(response);
  if (response.status === 204) return { body: deleted(tool, args), headers: answerHeaders };
  const answer = parsed(text);
  if (response.ok && answer !== undefined) return { body: answer, headers: answerHeaders };
  throw parseApiError(answer, answerHeaders) ?? getUnknownAnswerError(url, response);
}

/** rules#deleted-answer */
function deleted(tool: OwnerOperation, args: Record<string, unknown>) {
  return { deleted: true, id: args[getPathArguments(tool.http.path).at(-1) ?? ""] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Refuses arguments that no request can carry as intended, with the service's own messages. An absent path argument
 * would name another route, and a field `action` would turn an edit into a send.
 */
function refuseUnsendable(tool: OwnerOperation, args: Record<string, unknown>): void {
  const { idempotency_key: key, ...rest } = args;
  if (tool.creates && Object.hasOwn(args, "idempotency_key"))
    if (typeof key !== "string" || !new RegExp(`^[\\x20-\\x7e]{1,${LIMITS.idempotency_key}}$`).test(key))
      throw invalidRequest(
        "invalid_format",
        `The idempotency key must be 1 to ${LIMITS.idempotency_key} printable ASCII characters.`,
        "idempotency_key",
      );
  const inPath = getPathArguments(tool.http.path);
  const result = tool.input.safeParse(tool.creates ? rest : args, { reportInput: true });
  const issue = result.error?.issues.find(
    ({ code, path }) => (code === "unrecognized_keys" && path.length === 0) || inPath.includes(String(path[0])),
  );
  if (issue)
    throw createValidationError({ issues: [issue] }, tool.input, tool.creates ? IDEMPOTENCY_ARGUMENT_NAMES : []);
}
