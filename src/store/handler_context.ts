// What a handler is given, and who may be calling. A handler sees nothing of HTTP, MCP or the command line.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { AssetAddresses, FileStore } from "../model/domain/asset_rules.ts";
import type { DomainEvent } from "../model/domain/domain_events.ts";
import type { PageMarks } from "../model/domain/prejoin_alerts.ts";
import type { PushKeys } from "../model/domain/push_keys.ts";
import type { VisibilityFilter } from "../model/entities/channel.ts";
import type { Role } from "../model/entities/member.ts";
import type { Finding } from "../model/error_messages.ts";
import type { Scope } from "../model/scopes.ts";
import type { Statement } from "./db/statement.ts";
import type { BatchedCall } from "./db/write_batcher.ts";
import type { AlertWait, WaitContext } from "./wait_context.ts";

/** Somebody with a credential of a workspace: a key, or an assistant that was given consent. */
export interface Caller {
  /** `listening`: whether any webhook endpoint waits for its events. */
  workspace: { id: string; name: string; listening: boolean };
  member: { id: string; role: Role; pusherIds: string[] | null };
  credential: {
    type: "key" | "oauth" | "session";
    id: string;
    name: string;
    scopes: readonly Scope[];
    pusherId: string | null;
    expiresAt: string | null;
    /** A person decides before it publishes, whatever its scopes are. */
    asksFirst: boolean;
  };
  /** The channels that this caller sees; null is all of the workspace's. */
  pusherIds: string[] | null;
}

/** Who is signed in, and by which session. */
export type Person = { id: string; sessionId: string };

export interface PersonCaller {
  person: Person;
}

/** A signed-in person as a member of one workspace. */
export interface MemberCaller extends Caller, PersonCaller {}

/** What the filters of the entities are told of a caller. */
export const toVisibility = ({ workspace, member, credential, pusherIds }: Caller): VisibilityFilter => ({
  workspace_id: workspace.id,
  pusher_ids: pusherIds,
  member_id: member.id,
  bound_pusher_id: credential.pusherId,
});

/** A subscribed handset. `id` is the raw device id, which never leaves for anybody but the device itself. */
export interface DeviceCaller {
  id: string;
  /** As of somebody without a credential. */
  address: string | null;
}

/** The state on which everything that a handset sees of its inbox depends (see store/queries/device_channels.ts). */
export interface InboxState {
  revision: string;
  /** It may be shown a test of a draft, of which nothing is in the revision: false on nearly every device. */
  testing: boolean;
  /** Due alerts, with their versions, that could not be settled, so that nothing of them is in the revision. Nearly always none. */
  due: string[];
}

/** How an inbox shows its alerts: with every field, or with those that say something (rules#inbox-lean). */
export type InboxView = "full" | "lean";

/** Somebody without a credential; `address` is what limits per address count, null for who is exempt from them. */
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
  /** What the line about the whole request shall name, too. */
  note?(fields: { caller?: string; operation: string }): void;
}

/** What one handset reports in one request. `kind`: 1 read, 2 ack, 3 reply, with its choice. */
export interface ReportBatch {
  deviceId: string;
  rows: { alertId: string; kind: number; choice: string }[];
}

/** What operations on webhook endpoints need beside the rows. */
export interface WebhookSupport {
  /** Why this URL may not be registered, as a sentence that names the way out; null when it may. Asks the DNS. */
  checkUrl(url: string): Promise<string | null>;
  /** A new signing secret, and what to store of it. */
  newSecret(): { secret: string; sealed: Uint8Array };
  /** Begins one delivery that was asked for by hand; neither throws nor blocks. */
  deliver(
    workspaceId: string,
    delivery: { id: string; endpoint_id: string; event_id: string; event: string; body: string },
  ): void;
  /** Drops what waits to be delivered to an endpoint that is gone. */
  forget(endpointId: string): void;
}

/** What handsets need that are to be woken while their app is closed. */
export interface PushSupport {
  /** The key that a browser subscribes with (an uncompressed point, base64url); null where nobody is woken. */
  publicKey: string | null;
  /** Why no wake-up may go to this address, as a sentence that names the way out; null when it may. Asks the DNS. */
  checkEndpoint(endpoint: string): Promise<string | null>;
  /** What to store of an address, and of the keys where its push service wants a message. */
  encryptEndpoint(endpoint: string, keys: PushKeys | null): Uint8Array;
  /** Wakes those of a few devices that the channel may wake; neither throws nor blocks. */
  wake(pusherId: string, devices: readonly string[], priority: string): void;
}

/** What came due in one channel and was written down as sent. `waking`: the priorities of what is not over already. */
export interface PublishedDue {
  pusher_id: string;
  waking: readonly string[];
}

/** One place where a person is signed in. */
export interface AccountSession {
  id: string;
  userAgent: string | null;
  address: string | null;
  createdAt: Date;
  /** When it was last used, to the minute. */
  updatedAt: Date;
  expiresAt: Date;
}

/** A person's own second factor, in the manager's transaction. */
export interface SecondFactorSupport {
  state(em: SqlEntityManager, person: Person): Promise<{ on: boolean; recoveryCodesLeft: number }>;
  /** What an app on the phone is to be given; it counts for nothing before `confirm`. Null while one is on. */
  begin(em: SqlEntityManager, person: Person): Promise<{ uri: string; secret: string } | null>;
  /** Turns it on and answers the recovery codes. False: the code is not right. Null: nothing was begun. */
  confirm(em: SqlEntityManager, person: Person, code: string): Promise<string[] | false | null>;
  /** Other recovery codes; the earlier ones end. Null while it is off. */
  renewCodes(em: SqlEntityManager, person: Person): Promise<string[] | null>;
  /** Turns it off; false when it was not on. */
  end(em: SqlEntityManager, person: Person): Promise<boolean>;
}

/** One way in without a password. */
export interface AccountPasskey {
  id: string;
  name: string;
  /** Its keeper copies it to the person's other devices. */
  backedUp: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** What a browser answered when it was asked for a new passkey, in texts of bounded length. */
export interface PasskeyAnswer {
  id: string;
  rawId: string;
  type: "public-key";
  clientExtensionResults: Record<string, never>;
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] | undefined };
}

/** A person's own passkeys, in the manager's transaction. */
export interface PasskeySupport {
  /** Whether browsers make passkeys for the address of this server at all. */
  readonly isSupported: boolean;
  list(em: SqlEntityManager, person: Person): Promise<AccountPasskey[]>;
  /** What a browser is to be asked; the answer is good for some minutes and this session. Null: no more may be added. */
  begin(em: SqlEntityManager, person: Person): Promise<Record<string, unknown> | null>;
  /** The id of the new one; null when the answer proves nothing. */
  add(em: SqlEntityManager, person: Person, given: { name: string; answer: PasskeyAnswer }): Promise<string | null>;
  /** False when it is not this person's. */
  remove(em: SqlEntityManager, person: Person, id: string): Promise<boolean>;
}

/** What operations on people need of sign-in. Its rows are read and changed by the manager's transaction. */
export interface SignInService {
  /** Whether this is the person's current password; counts the attempt. @throws 429. */
  verifyPassword(person: Person, password: string): Promise<boolean>;
  listSessions(em: SqlEntityManager, person: Person): Promise<AccountSession[]>;
  /** Ends those of the person's sessions that are named. */
  endSessions(em: SqlEntityManager, person: Person, ids: readonly string[]): Promise<void>;
  /** The fault of a text as the person's new password; null when it may be set. */
  checkNewPassword(em: SqlEntityManager, person: Person, password: string): Promise<Finding | null>;
  setPassword(em: SqlEntityManager, person: Person, password: string): Promise<void>;
  readonly secondFactor: SecondFactorSupport;
  readonly passkeys: PasskeySupport;
}

/** The few things outside of the rows that answers depend on. */
export interface Services {
  /** Origin under which everything is reached, pages for people included, and the prefix of channels' addresses. */
  publicUrl: string;
  channelBaseUrl: string;
  /** Takes reports together with those of other handsets; resolves after their commit with how many were visible. */
  recordReports(batch: ReportBatch): Promise<number>;
  /** Writes down as sent what is due in these channels; false when it could not. Outside of any transaction. */
  publishDue(channels: string[]): Promise<boolean>;
  /** What a handset's inbox depends on once all that was due says `sent`; `found`: by its look-up, where `due` names channels. @throws 401 when it is gone meanwhile. */
  readInboxState(device: Pick<DeviceCaller, "id">, found: InboxState): Promise<InboxState>;
  /** A handset's newest alerts as they are after the call; `find` is null where it has to read them alone, which are then to be kept. */
  inboxPageCache: {
    find(device: string, asked: { limit: number; view: InboxView; tag: string }): Promise<SharedBody | null>;
    put(tag: string, page: { page: SharedBody } & PageMarks): void;
  };
  /** A raw device id → its pseudonym. */
  deviceHash(deviceId: string): string;
  /** The state of an inbox → the validator of the answer. */
  inboxTag(state: string): string;
  webhooks: WebhookSupport;
  push: PushSupport;
  /** Wakes the handsets of channels in which something came due; neither throws nor blocks. */
  notifyDue(settled: readonly PublishedDue[]): void;
  waitForChange(wait: AlertWait): Promise<void>;
  assets: AssetAddresses & { readonly store: FileStore };
  /** The service as a whole: figures of all its processes, as Prometheus reads them, and what does not work. */
  health: { renderMetrics(): Promise<string>; checkReadiness(): Promise<{ degraded: string[] }> };
  signIn: SignInService;
}

export interface Context<C = Caller> {
  /** Forked for this call, inside its transaction when the operation writes, narrowed to what the caller sees. */
  readonly em: SqlEntityManager;
  caller: C;
  services: Services;
  log: Log;
  wait: WaitContext;
  /** How an equal send is treated: its first alert is answered, or it is sent, with a note or without (rules#sent-once). */
  readonly onRepeat: "answer" | "note" | "send";
  /** The only clock. */
  now(): Date;
  /** Runs a defined statement in the same transaction. Raw SQL takes what is visible as an argument. */
  sql<In, Row>(statement: Statement<In, Row>, parameters: NoInfer<In>): Promise<Row[]>;
  /** Announces an event; it leaves only after the commit and never blocks or fails the action. */
  emit(event: Pick<DomainEvent, "event" | "data"> & Partial<DomainEvent>): DomainEvent;
  /** For a statement that calls of one moment share, and that writes the end of the call itself. */
  readonly sqlBatched: BatchedCall;
  /** Sets what the audit log says. `changed`: names of fields that an edit changed. `lines`: ids and status of each of several rows that changed. */
  audit(said: { changed?: readonly string[]; lines?: readonly Readonly<Record<string, unknown>>[] }): void;
  /** What these channels show, or these handsets see, is another once this is committed: held polls there are told. The channel that an operation names is looked at anyway. */
  markChanged(ids: readonly string[]): void;
  /** Runs something after the commit, which must neither throw nor block. */
  afterCommit(work: () => void): void;
  /** Counts one call against the operation's own limits, a subject each in their order (null is exempt), until it fails; to be called last. */
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

/** Stands in place of a body that the client already holds. */
export const NOT_MODIFIED = Symbol("not modified");

/** A body that several answers have in common. It is written once, and by then was held against its declared shape. */
export class SharedBody {
  #json: Buffer | (() => string);

  /** `write` makes its JSON, of nothing but what may leave. */
  constructor(write: () => string) {
    this.#json = write;
  }

  get json(): Buffer {
    if (typeof this.#json === "function") this.#json = Buffer.from(this.#json());
    return this.#json;
  }
}

/** What a handler returns whose answer has a validator: a client that sends it back may be told NOT_MODIFIED. */
export class BodyWithEtag<Body> {
  readonly validator: string;
  readonly body: Body;

  constructor(validator: string, body: Body) {
    this.validator = validator;
    this.body = body;
  }
}
