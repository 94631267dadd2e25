// The interface of a sender adapter: how one program's requests become create_alert's own arguments, and the format of
// the response. Adapters enforce no rules. handle_ingest_request.ts passes every alert to the ordinary operation with
// its scopes, limits and sanitiser.

import type { ApiError } from "../../model/api_error.ts";
import type { AlertFields } from "../../model/fields/alert.ts";
import type { IngestSourceProgramId } from "../../model/fields/sender_programs.ts";

export interface ReceivedFile {
  name: string;
  bytes: Uint8Array;
}

/** One request with its body read within its limit. Nothing in it was parsed, and it contains no credential. */
export interface IngestRequest {
  readonly method: string;
  /** Below the base path of the adapter: `/message`, `/harbour-watch/publish`; for the ingest route `/`. */
  readonly path: string;
  /** The channel that the address names; null where the body or the key names it. */
  readonly channel: string | null;
  readonly headers: Headers;
  readonly query: URLSearchParams;
  readonly body: Uint8Array;
  /** The bare media type in lower case; empty if missing. */
  readonly contentType: string;
  /** The body as text, in UTF-8 or another charset. @throws ApiError (invalid_request) for bytes that are not text. */
  text(): string;
  /**
   * The body as JSON, regardless of its content type, within our limits of depth and values. @throws ApiError
   * (invalid_request).
   */
  json(): unknown;
  /** Entries of long lists that are not in this JSON, once it was read (rules#senders-lists). */
  readonly omitted: number;
  /** The same as an object. @throws ApiError (invalid_request) for any other value. */
  object(): Record<string, unknown>;
  /** The fields of a form, multipart ones too. @throws ApiError (invalid_request). */
  form(): Promise<URLSearchParams>;
  /** The files of a multipart form. @throws ApiError (invalid_request). */
  files(): Promise<ReceivedFile[]>;
  /** The body was a file beyond the limit, and is empty here. Only at addresses that take files. */
  readonly isTooLarge: boolean;
  /**
   * Reports if this is the HMAC-SHA-256 of the body under the request's key. A sender that signs is given its key as
   * the secret.
   */
  isSignature(signature: Uint8Array): boolean;
  readonly now: Date;
}

/**
 * The fields of an adapter's alert: arguments of create_alert except `send` and the channel. The operation validates
 * them.
 */
export type AlertInput = { title: string } & Partial<
  Omit<AlertFields, "title" | "blocked" | "asset_html" | "review_reply">
>;

export interface ParsedAlert {
  fields: AlertInput;
  /** Files that were sent along: the first one that is a picture becomes the alert's. */
  files?: readonly ReceivedFile[];
  /**
   * The sender's id of this message, if the sender repeats messages: the same key and the same alert are published
   * once.
   */
  idempotencyKey?: string | undefined;
  /** ntfy's sequence id: the scheduled alerts that have it are replaced by this one. */
  sequenceId?: string | undefined;
  /** A repeat may have other content, such as a changing number in the text: the first one published stays. */
  keepFirst?: true;
}

export interface ParsedIngestRequest {
  /**
   * None: nothing was to be published (a ping, a trial of the connection), and the response is a success. At most
   * LIMITS.ingest_alerts.
   */
  alerts: ParsedAlert[];
  /**
   * Parts without a counterpart here, each as a fixed sentence that contains nothing of the request. Reported in a
   * header and on the sender's page.
   */
  notes: string[];
  /** The channel that the body names (its id or handle), where no address does. */
  channel?: string | undefined;
}

/** The outcome of one alert. */
export interface IngestedAlertOutcome {
  state: "sent" | "scheduled" | "draft";
  /** alr_… */
  id: string;
  /** psh_… */
  pusherId: string;
  /** As it was read; the sanitiser may have taken something out of what is shown. */
  fields: AlertInput;
  /** One sentence for people: "Published.", or why it is a draft and where a person decides. */
  summary: string;
}

/**
 * An answer: a value is sent as JSON, a text as text/plain. Headers of the refusal and of the notes are added to it.
 */
export interface AdapterResponse {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export interface SenderAdapter {
  /** The value of `?from=`. */
  readonly name: IngestSourceProgramId;
  /**
   * The delivery of a message that is refused at the limit of sends with 503: `repeated` until it is accepted, or
   * `once`. Absent: its clients understand 429 (rules#senders-limit).
   */
  readonly delivery?: "repeated" | "once";
  /**
   * Detects its requests by headers or shape where `?from=` is left out; must not throw. The first match in the list is
   * used.
   */
  matches(request: IngestRequest): boolean;
  /** @throws ApiError for what cannot be an alert. */
  read(request: IngestRequest): ParsedIngestRequest | Promise<ParsedIngestRequest>;
  /** All alerts are published, or kept as drafts. Answered in our own shape where it has none. */
  answer?(published: IngestedAlertOutcome[], request: IngestRequest): AdapterResponse;
  /**
   * The first refusal; what was published before it stays, so a sender that repeats needs idempotency keys. In our
   * own shape where it has none.
   */
  refuse?(problem: ApiError): AdapterResponse;
}

/** The same in our own shape, for programs that look at nothing but the status. */
export const formatDefaultIngestAnswer = (published: IngestedAlertOutcome[]): AdapterResponse => ({
  status: 200,
  body: {
    alerts: published.map(({ id, state, pusherId, summary }) => ({ id, pusher_id: pusherId, state, said: summary })),
  },
});

export const formatDefaultIngestError = (problem: ApiError): AdapterResponse => ({
  status: problem.status,
  body: problem.toEnvelope(),
});
