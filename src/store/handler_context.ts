// The context of a handler, and the kinds of callers. A handler does not depend on HTTP, MCP or the command line.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { FieldValidationFailure } from "../model/api_and_ui_error_texts.ts";
import type { AssetUrlResolver, FileStore } from "../model/domain/asset_rules.ts";
import type { DomainEvent } from "../model/domain/domain_events.ts";
import type { InboxPageCacheInputs } from "../model/domain/prejoin_alert_marks.ts";
import type { PushKeys } from "../model/domain/push_keys.ts";
import type { Role } from "../model/tables/member.ts";
import type { AuditedSharedStatementRunner } from "./db/batch_concurrent_calls.ts";
import type { Statement } from "./db/statement.ts";
import type { AlertChangeWaitOptions, WaitContext } from "./wait_context.ts";

/** A caller with a credential of a workspace: a key, or an assistant with consent. */
export interface Caller {
  /** `listening`: whether any webhook endpoint waits for its events. */
  workspace: { id: string; name: string; listening: boolean };
  member: { id: string; role: Role; pusherIds: string[] | null };
  credential: {
    type: "key" | "oauth" | "session";
    id: string;
    name: string;
    /** As stored. A later version may have written other ones than ours. */
    scopes: readonly string[];
    pusherId: string | null;
    expiresAt: string | null;
    /** Needs a person's approval before it publishes, with any scopes. */
    asksFirst: boolean;
  };
  /** The channels that this caller sees; null is all of the workspace's. */
  pusherIds: string[] | null;
}

/** A signed-in person and their session. */
export type SignedInPerson = { id: string; sessionId: string };

export interface PersonCaller {
  person: SignedInPerson;
}

/** A signed-in person as a member of one workspace. */
export interface MemberCaller extends Caller, PersonCaller {}

/** A subscribed handset. `id` is the raw device id, which only the device itself receives. */
export interface DeviceCaller {
  id: string;
  /** The address, as for an anonymous caller. */
  address: string | null;
}

/**
 * The state on which everything that a handset sees of its inbox depends (see
 * store/queries/subscriptions_and_directory.ts).
 */
export interface InboxState {
  revision: string;
  /** It may be shown a test of a draft, of which nothing is in the revision: false on nearly every device. */
  testing: boolean;
  /** Due alerts that could not be published, so the revision lacks them. Nearly always empty. */
  due: string[];
}

/** The view of an inbox: all fields, or only those with a value (rules#inbox-lean). */
export type InboxViewMode = "full" | "lean";

/** A caller without a credential. `address` is counted by limits; null if exempt. */
export interface AnonymousCaller {
  address: string | null;
}

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** The id of the request that it is about. */
  origin?(): string;
  /** Adds fields to the log line of the request. */
  note?(fields: { caller?: string; operation: string }): void;
}

/** The reports of one handset in one request. `kind`: 1 read, 2 ack, 3 reply, with its choice. */
export interface ReportBatch {
  deviceId: string;
  rows: { alertId: string; kind: number; choice: string }[];
}

/** The services for operations on webhook endpoints. */
export interface WebhookOperationHelpers {
  /** The reason why this URL may not be registered, as a sentence with a solution; null when it may. Queries DNS. */
  checkUrl(url: string): Promise<string | null>;
  /** A new signing secret, and what to store of it. */
  newSecret(): { secret: string; sealed: Uint8Array };
  /** Starts one delivery by hand. It neither throws nor blocks. */
  deliver(workspaceId: string, delivery: Record<"id" | "endpoint_id" | "event_id" | "event" | "body", string>): void;
  /** Drops the queued deliveries of a deleted endpoint. */
  forget(endpointId: string): void;
  /** Drops the queued events of a paused endpoint; its queued deliveries by hand remain. */
  forgetEvents(endpointId: string): void;
}

/** The services for push notifications. */
export interface PushEndpointService {
  /** The key for browsers (uncompressed point, base64url); null if push notifications are disabled. */
  publicKey: string | null;
  /** Returns the problem of an endpoint with its solution, or null. It queries the DNS. */
  checkEndpoint(endpoint: string): Promise<string | null>;
  /** Encrypts an endpoint, with its keys if its push service needs a message. */
  encryptEndpoint(endpoint: string, keys: PushKeys | null): Uint8Array;
  /** Wakes those of a few devices that the channel may wake; neither throws nor blocks. */
  wake(pusherId: string, devices: readonly string[], priority: string): void;
}

/** The due alerts of a channel that were published. `waking`: the priorities of those that have not expired. */
export interface PublishedDueAlertPriorities {
  pusher_id: string;
  waking: readonly string[];
}

/** One place where a person is signed in. */
interface AccountSession {
  id: string;
  userAgent: string | null;
  address: string | null;
  createdAt: Date;
  /** When it was last used, to the minute. */
  updatedAt: Date;
  expiresAt: Date;
}

/** A person's own second factor, in the manager's transaction. */
export interface SecondFactorService {
  state(em: SqlEntityManager, person: SignedInPerson): Promise<{ on: boolean; recoveryCodesLeft: number }>;
  /** Creates the secret for an authenticator app, without effect before `confirm`. Null if already on. */
  begin(em: SqlEntityManager, person: SignedInPerson): Promise<{ uri: string; secret: string } | null>;
  /** Enables it and returns the recovery codes. False: the code is wrong. Null: nothing was begun. */
  confirm(em: SqlEntityManager, person: SignedInPerson, code: string): Promise<string[] | false | null>;
  /** Other recovery codes; the earlier ones end. Null while it is off. */
  renewCodes(em: SqlEntityManager, person: SignedInPerson): Promise<string[] | null>;
  /** Turns it off; false when it was not on. */
  end(em: SqlEntityManager, person: SignedInPerson): Promise<boolean>;
}

/** One way in without a password. */
interface AccountPasskey {
  id: string;
  name: string;
  /** Its keeper copies it to the person's other devices. */
  backedUp: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** A browser's response to a passkey request, in texts of limited length. */
interface PasskeyRegistrationResponse {
  id: string;
  rawId: string;
  type: "public-key";
  clientExtensionResults: Record<string, never>;
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] | undefined };
}

/** A person's own passkeys, in the manager's transaction. */
export interface PasskeyService {
  /** True if browsers support passkeys for this server's URL. */
  readonly isSupported: boolean;
  list(em: SqlEntityManager, person: SignedInPerson): Promise<AccountPasskey[]>;
  /** Returns the passkey request for a browser, valid for minutes and this session. Null at the maximum. */
  begin(em: SqlEntityManager, person: SignedInPerson): Promise<Record<string, unknown> | null>;
  /** The id of the new one; null when the response proves nothing. */
  add(
    em: SqlEntityManager,
    person: SignedInPerson,
    given: { name: string; answer: PasskeyRegistrationResponse },
  ): Promise<string | null>;
  /** False when it is not this person's. */
  remove(em: SqlEntityManager, person: SignedInPerson, id: string): Promise<boolean>;
}

/** The sign-in services for operations on people. They use the manager's transaction. */
export interface AccountSecurityService {
  /** The fault of a text as the current password, or of a sign-in (rules#password-again). @throws 429. */
  confirmPerson(person: SignedInPerson, password: string): Promise<FieldValidationFailure | null>;
  listSessions(em: SqlEntityManager, person: SignedInPerson): Promise<AccountSession[]>;
  /** Ends those of the person's sessions that are named. */
  endSessions(em: SqlEntityManager, person: SignedInPerson, ids: readonly string[]): Promise<void>;
  /** The fault of a text as the person's new password; null when it may be set. */
  checkNewPassword(
    em: SqlEntityManager,
    person: SignedInPerson,
    password: string,
  ): Promise<FieldValidationFailure | null>;
  setPassword(em: SqlEntityManager, person: SignedInPerson, password: string): Promise<void>;
  readonly secondFactor: SecondFactorService;
  readonly passkeys: PasskeyService;
  /** Null without OIDC_ISSUER. `disconnect` is false where no other method would be left. */
  readonly oidc: {
    isConnected(em: SqlEntityManager, person: SignedInPerson): Promise<boolean>;
    disconnect(em: SqlEntityManager, person: SignedInPerson): Promise<boolean>;
  } | null;
}

/** The few things outside of the rows that responses depend on. */
export interface Services {
  /** Origin under which everything is reached, pages for people included, and the prefix of channels' addresses. */
  publicUrl: string;
  channelBaseUrl: string;
  /** Takes reports together with those of other handsets; resolves after their commit with how many were visible. */
  recordReports(batch: ReportBatch): Promise<number>;
  /** Writes down as sent what is due in these channels; false when it could not. Outside of any transaction. */
  publishDue(channels: string[]): Promise<boolean>;
  /** The state of an inbox after publishing its due alerts. @throws 401 if deleted */
  readInboxState(found: Pick<DeviceCaller, "id"> & InboxState): Promise<InboxState>;
  /** A handset's newest alerts after the call. `find` is null if they are read alone and then cached. */
  inboxPageCache: {
    find(device: string, asked: { limit: number; view: InboxViewMode; tag: string }): Promise<Buffer | null>;
    put(tag: string, page: { page: Buffer } & InboxPageCacheInputs): void;
  };
  /** A raw device id → its pseudonym. */
  deviceHash(deviceId: string): string;
  /** The state of an inbox → the validator of the answer. */
  inboxTag(state: string): string;
  webhooks: WebhookOperationHelpers;
  push: PushEndpointService;
  /** Wakes the handsets of channels in which something came due; neither throws nor blocks. */
  notifyDue(settled: readonly PublishedDueAlertPriorities[]): void;
  waitForChange(wait: AlertChangeWaitOptions): Promise<void>;
  assets: AssetUrlResolver & { readonly store: FileStore };
  /** The health of the service: metrics of all its processes in Prometheus format, and degraded features. */
  health: { renderMetrics(): Promise<string>; checkReadiness(): Promise<{ degraded: string[] }> };
  signIn: AccountSecurityService;
}

export interface HandlerContext<C = Caller> {
  /** Forked for this call, inside its transaction when the operation writes, narrowed to what the caller sees. */
  readonly em: SqlEntityManager;
  caller: C;
  services: Services;
  log: Log;
  wait: WaitContext;
  /** The treatment of an identical send: return the first alert, or send, with a note or without (rules#sent-once). */
  readonly onRepeat: "answer" | "note" | "send";
  /** The only clock. */
  now(): Date;
  /** Runs a defined statement in the same transaction. Raw SQL takes what is visible as an argument. */
  sql<In, Row>(statement: Statement<In, Row>, parameters: NoInfer<In>): Promise<Row[]>;
  /** Announces an event; it leaves only after the commit and never blocks or fails the action. */
  emit(event: Pick<DomainEvent, "event" | "data"> & Partial<DomainEvent>): DomainEvent;
  /** For a statement that calls of one moment share, and that writes the end of the call itself. */
  readonly sqlBatched: AuditedSharedStatementRunner;
  /** Sets the audit line: `changed` names edited fields, `lines` has id and status of each changed row. */
  audit(said: { changed?: readonly string[]; lines?: readonly Readonly<Record<string, unknown>>[] }): void;
  /** Notifies long polls of these channels or devices after the commit. The operation's channel is included. */
  markChanged(ids: readonly string[]): void;
  /** Runs something after the commit, which must neither throw nor block. */
  afterCommit(work: () => void): void;
  /** Counts one call towards each limit, in order (null is exempt), and refunds it on failure. Call it last. */
  countAgainstLimit(...subjects: (string | null)[]): Promise<{
    refund(): Promise<void>;
    /** The count remains when the call is refused: the work of a refusal costs as much as that of an answer. */
    keep(): void;
  }>;
  /** The conditional headers of the request (RFC 9110, section 13). */
  readonly conditions: {
    /** The versions that `If-Match` names; null without it. */
    readonly versions: readonly string[] | null;
    /** False where `If-Match` names other versions of the row than this one. */
    match(version: string): boolean;
    /** True where `If-None-Match` names this validator, so the client has the answer. */
    clientHolds(validator: string): boolean;
  };
}

/** The result for a client that already has the current response. */
export const NOT_MODIFIED = Symbol("not modified");

/** A result with a validator. A client that sends it back may get NOT_MODIFIED. Bytes are JSON that calls share. */
export interface BodyWithEtag<Body> {
  readonly validator: string;
  readonly body: Body | Buffer | typeof NOT_MODIFIED;
}
