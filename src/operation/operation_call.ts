// One call as a transport read it.

import type { ApiError } from "../model/api_error.ts";
import type { CallTransport } from "../model/tables/audit_event.ts";
import type { Caller, Log } from "../store/handler_context.ts";
import type { WaitContext } from "../store/wait_context.ts";

export interface OperationCallInput {
  args: unknown;
  /** A fault of the request that the transport found; reported after the credential's scopes. */
  problem?: ApiError;
  idempotencyKey?: string | null;
  /** The transport for the audit log: REST by default for tools, the console for session operations. */
  transport?: CallTransport;
  /** Validators of the responses that the client has. */
  clientEtags?: readonly string[];
  /** Versions of the row that the client expects; null: any. */
  expectedVersions?: readonly string[] | null;
  /** The caller accepts a draft with another text under the same idempotency key. */
  keepFirst?: boolean;
  patience?: WaitContext;
  /** Authenticates the request again, from its beginning. @throws 401 where its credential is not valid any more. */
  authenticateAgain?(): Promise<Caller>;
  log: Log;
}
