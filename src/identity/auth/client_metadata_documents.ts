// Clients that are identified by the URL of their metadata (Client ID Metadata Documents). Strangers can make this
// server fetch a URL, so fetches are rare, few at a time, and limited per minute for one visitor.

import { ApiError, invalidRequest } from "../../model/api_error.ts";
import { formatLimit, LIMITS } from "../../model/limits.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import { findOAuthClient } from "../../store/queries/connections.ts";
import { createRateLimitHeaders, type RateLimiter } from "../../store/rate_limits/rate_limits.ts";
import { rateLimitAddress } from "../../store/rate_limits/request_client.ts";
import { parseClientMetadata } from "./client_metadata_fields.ts";
import type { OAuthClients } from "./oauth_clients.ts";
import { OAuthError } from "./oauth_error.ts";

/** The cache time of a document, in seconds. */
const FRESH = LIMITS.client_document_minutes * 60;
const MAX_AT_ONCE = 8;
const POLICY = { name: "client-documents", max: 20, seconds: LIMITS.window_seconds };

/** The fetch function: the rules for webhook URLs, with CLIENT_METADATA_ALLOW_HOSTS as exceptions. */
type FetchDocument = (
  address: string,
) => Promise<{ ok: true; text: string } | { ok: false; why: "refused" | "unreachable" | "answer" | "large" }>;

const WITH_A_KEY = "On a server without internet access, connect the assistant with a key";

const WHY = {
  refused: `its host is not on the public internet. ${WITH_A_KEY}`,
  unreachable: `it did not respond in time. ${WITH_A_KEY}`,
  answer: "it is not a JSON document",
  large: `the document is larger than ${formatLimit("client_document")}`,
} as const;

/** The reader of this message can only report it to the author of the assistant. */
const unusable = (why: string) =>
  invalidRequest("invalid_value", `The assistant's client metadata URL was rejected: ${why}.`);

/** An https address with a path, written as parsers write it, without what could mean another document. */
function isDocumentAddress(clientId: string): boolean {
  const url = clientId.length <= LIMITS.url ? URL.parse(clientId) : null;
  return !!url && url.href === clientId && url.pathname !== "/" && !/[#@]/.test(clientId);
}

/**
 * Returns the document as an object, which must belong to this client and contain no secret.
 * @throws 422
 */
function described(clientId: string, text: string): object {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    throw unusable(WHY.answer);
  }
  if (typeof said !== "object" || said === null || (said as { client_id?: unknown }).client_id !== clientId)
    throw unusable("the client_id in the document does not match the URL");
  if ("client_secret" in said || "client_secret_expires_at" in said) throw unusable("the document contains a secret");
  const { token_endpoint_auth_method, token_endpoint_auth_methods_supported } = said as Record<string, unknown>;
  // One field has the preferred method; the list has all methods, which ChatGPT uses.
  const knows = [token_endpoint_auth_method ?? "none", token_endpoint_auth_methods_supported].flat();
  if (!knows.includes("none")) throw unusable("the document's token_endpoint_auth_method is not none");
  return { ...said, token_endpoint_auth_method: "none" };
}

export type ClientMetadataDocuments = ReturnType<typeof createClientMetadataDocuments>;

export function createClientMetadataDocuments(options: {
  orm: Orm;
  clients: OAuthClients;
  limits: RateLimiter;
  schemes: readonly string[];
  fetchDocument: FetchDocument;
}) {
  const { orm, clients, limits, schemes, fetchDocument } = options;
  const kysely = getKysely(orm);
  const underWay = new Map<string, Promise<void>>();

  async function isFresh(clientId: string): Promise<boolean> {
    const [known] = await runStatement(kysely, findOAuthClient, { client_id: clientId, user_id: null });
    return known !== undefined && known.age !== null && known.age < FRESH;
  }

  async function fetchAndKeep(clientId: string): Promise<void> {
    // Another visit may have fetched it since this one looked.
    if (await isFresh(clientId)) return;
    const fetched = await fetchDocument(clientId);
    if (!fetched.ok) throw unusable(WHY[fetched.why]);
    const said = described(clientId, fetched.text);
    try {
      const metadata = parseClientMetadata(said, { schemes, method: "none" });
      await clients.keep(clientId, metadata, null);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      throw invalidRequest("invalid_value", `The assistant's client metadata is not valid. ${error.message}`);
    }
  }

  return {
    /**
     * Updates a client whose id is a URL from its document. Other ids are ignored. Fetches are counted by `address`,
     * that of the visitor.
     * @throws 422 for a document that cannot be fetched or used, 429
     */
    async know(clientId: string, address: string | null): Promise<void> {
      if (!/^https:/i.test(clientId)) return;
      if (!isDocumentAddress(clientId)) throw unusable("it is not a plain https URL with a path");
      if (await isFresh(clientId)) return;
      const running = underWay.get(clientId);
      if (running) return running;
      const taken = await limits.take(POLICY, address === null ? "local" : rateLimitAddress(address));
      if (!taken.allowed || underWay.size >= MAX_AT_ONCE)
        throw new ApiError("rate_limited", "Too many new assistants were registered. Try again in one minute.", {
          headers: createRateLimitHeaders(POLICY, taken),
        });
      const fetching = (underWay.get(clientId) ?? fetchAndKeep(clientId)).finally(() => underWay.delete(clientId));
      underWay.set(clientId, fetching);
      await fetching;
    },
  };
}
