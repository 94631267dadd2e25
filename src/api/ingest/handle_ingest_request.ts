// Publishes a request of another program: authentication, the adapter, the ordinary operation for each alert, and the
// response in the program's format. It has no rules about alerts.

import { ApiError, invalidRequest, unauthorized, unavailable } from "../../model/api_error.ts";
import { CHANNEL_NOT_ACTIVE } from "../../model/domain/alert_transitions.ts";
import { formatId } from "../../model/domain/type_ids.ts";
import { INGEST_SOURCE_PROGRAMS, type IngestSourceProgramId } from "../../model/fields/sender_programs.ts";
import { LIMITS } from "../../model/limits.ts";
import type { IngestRequestRecord } from "../../model/tables/keys_and_connections.ts";
import type { OwnerOperation } from "../../operation/define_operation.ts";
import type { Dispatcher } from "../../operation/dispatcher.ts";
import { toApiError } from "../../store/db/database_unavailable_errors.ts";
import type { Caller, Log } from "../../store/handler_context.ts";
import { createJsonResponse } from "../transports/http_responses.ts";
import {
  type AdapterResponse,
  type AlertInput,
  formatDefaultIngestAnswer,
  formatDefaultIngestError,
  type IngestedAlertOutcome,
  type IngestRequest,
  type ParsedAlert,
  type SenderAdapter,
} from "./adapter.ts";
import { attachPicture, type PictureStore } from "./attached_pictures.ts";
import { createAlertOnce } from "./create_alert_once.ts";
import {
  type CreateAlertAnswer,
  createDraftIdempotencyKey,
  DRAFT_DELETED_AFTER_PUBLISH_NOTE,
  deleteDraftsOfPublishedMessage,
  SAVED_WHILE_INACTIVE,
  type UnpublishedDraftStore,
  type UnpublishedMessageDraft,
} from "./delete_superseded_drafts.ts";
import { fitAlert } from "./fit_alert_to_limits.ts";
import { cancelReplaced, type SequenceStore } from "./ntfy_sequences.ts";
import { type AdditionalTokenLocations, extractToken, readIngestRequest } from "./read_ingest_request.ts";

export interface IngestDeps {
  dispatcher: Pick<Dispatcher, "run" | "runOrDraft">;
  create: OwnerOperation;
  authenticate(token: string | null): Promise<Caller | null>;
  pictures: PictureStore;
  sequences: SequenceStore;
  drafts: UnpublishedDraftStore;
  /** Stores the outcome of a request, and the channel that it named if nothing was published; must not throw. */
  note(caller: Caller, request: IngestRequestRecord, channel: string | null): Promise<void>;
  /** Stores that a request had this secret, if it is one of a key that has expired or was revoked; must not throw. */
  noteEndedKey(secret: string, request: IngestRequestRecord): Promise<void>;
  now(): Date;
}

/** The adapter, the places where the key may be, and the format of the response. */
interface MatchedIngestRoute {
  /** Null: it is detected. */
  adapter: SenderAdapter | null;
  tokenLocations: AdditionalTokenLocations;
  /** The channel that the address names; null: the body or the key names it. */
  channel: string | null;
  /** Below the base path of the adapter. */
  path: string;
  /** The body may be a file: text that comes with one beyond the limit is published without it. */
  takesFiles?: boolean;
}

/** Finds the adapter of a request without `?from=`. */
type DetectAdapter = (request: IngestRequest) => SenderAdapter | null;

/** The same for a channel of others and for none. */
const NO_CHANNEL =
  "Channel not found, or this key has no access to it. Check the handle (in lowercase) and the key's channel.";

interface IngestContext {
  log: Log;
  deps: IngestDeps;
  adapter: SenderAdapter | null;
  request: IngestRequest | null;
  /** As the request names it: an id, a handle or nonsense. */
  channel: string | null;
  published: IngestedAlertOutcome[];
  notes: string[];
  headers: Record<string, string>;
}

/** The context of a request that can publish: its caller, and the channel of its alerts. */
type PublishContext = IngestContext & { caller: Caller; channel: string };

/** Any error becomes a refusal in the adapter's format. */
export async function handleIngestRequest(
  request: Request,
  route: MatchedIngestRoute,
  detect: DetectAdapter,
  log: Log,
  deps: IngestDeps,
): Promise<Response> {
  const { adapter: fixedAdapter, channel } = route;
  const results = { published: [], notes: [], headers: {} };
  const context: IngestContext = { log, deps, adapter: fixedAdapter, request: null, channel, ...results };
  const secret = extractToken(request, route.tokenLocations);
  let caller: Caller | null = null;
  let problem: ApiError | null = null;
  try {
    caller = await deps.authenticate(secret);
    if (!caller || secret === null) throw unauthorized();
    context.request = await readIngestRequest(request, { ...route, secret, now: deps.now() });
    context.adapter ??= detect(context.request);
    await parseAndPublish(context, caller, channel);
  } catch (error) {
    problem = toApiError(error);
    if (problem.type === "not_found") problem = new ApiError("channel_not_found", NO_CHANNEL);
    // Our errors never contain parts of the request. Other errors may.
    if (!(error instanceof ApiError)) log.error({ err: error }, "ingest failed");
  }
  const { adapter } = context;
  const record = createRequestRecord(context, problem, deps.now());
  if (caller) await deps.note(caller, record, context.channel);
  else if (problem?.type === "unauthorized" && secret !== null) await deps.noteEndedKey(secret, record);
  const answer =
    problem === null && adapter && context.request
      ? (adapter.answer ?? formatDefaultIngestAnswer)(context.published, context.request)
      : (adapter?.refuse ?? formatDefaultIngestError)(problem ?? unauthorized());
  return createIngestResponse(answer, context.notes, problem?.headers ?? context.headers);
}

async function parseAndPublish(context: IngestContext, caller: Caller, channelInPath: string | null) {
  const { adapter, request } = context;
  if (!adapter || !request)
    throw invalidRequest(
      "unrecognized_format",
      `Unrecognised format. Set ?from= to one of: ${Object.keys(INGEST_SOURCE_PROGRAMS).join(", ")}.`,
    );
  const parsed = await adapter.read(request);
  context.notes.push(...parsed.notes);
  if (request.omitted > 0) context.notes.push(`${request.omitted} entries of a long list were ignored.`);
  for (const alert of parsed.alerts) alert.fields = fitAlert(alert.fields, context.notes);
  if (parsed.alerts.length > LIMITS.ingest_alerts)
    throw invalidRequest(
      "wrong_item_count",
      `One request can publish at most ${LIMITS.ingest_alerts} alerts. Send fewer alerts in each request.`,
    );
  context.channel = channelInPath ?? parsed.channel ?? null;
  const target: PublishContext = { ...context, caller, channel: context.channel ?? getChannelOfKey(caller) };
  for (const alert of parsed.alerts) if (alert.idempotencyKey) alert.keepFirst = true;
  const [only, ...others] = parsed.alerts;
  if (only && others.length === 0) only.idempotencyKey ??= request.headers.get("idempotency-key") || undefined;
  for (const alert of parsed.alerts) {
    const { headers, isRepeat: _, ...published } = await publishWithPicture(alert, target);
    context.published.push(published);
    context.headers = headers;
  }
}

function getChannelOfKey({ credential: { pusherId } }: Caller): string {
  if (pusherId !== null) return formatId("psh", pusherId);
  throw invalidRequest(
    "field_required",
    "The request does not specify a channel. Use a channel's address, or a key that is restricted to one channel.",
    "pusher_id",
  );
}

type AlertIds = Pick<CreateAlertAnswer, "id" | "pusher_id">;
type Outcome = IngestedAlertOutcome & { headers: Record<string, string>; isRepeat?: true };

async function publishWithPicture(alert: ParsedAlert, target: PublishContext): Promise<Outcome> {
  const { log, deps, notes, caller, channel } = target;
  const picture = await attachPicture(alert, channel, caller, notes, deps.pictures, log);
  try {
    const published = await publishAlert(alert, target);
    if (published.isRepeat && picture !== null) await deps.pictures.remove(caller, picture);
    else if (published.state !== "draft") await cancelReplaced(published, alert.sequenceId, caller, target);
    return published;
  } catch (error) {
    if (picture !== null) await deps.pictures.remove(caller, picture);
    throw error;
  }
}

async function publishAlert(alert: ParsedAlert, target: PublishContext): Promise<Outcome> {
  const { deps, log, notes, caller, channel } = target;
  const { drafts, now } = deps;
  const { fields } = alert;
  const draft = alert.idempotencyKey
    ? await drafts.find(caller, createDraftIdempotencyKey(alert, channel, now()))
    : null;
  // A person has decided about it.
  if (draft && draft.status !== "draft") return toPublishedOutcome(draft, fields);
  try {
    const outcome = await createAlertOnce({ ...alert, channel, send: true }, caller, deps, log);
    if ("first" in outcome) return toRepeatOutcome(outcome.first, fields, notes);
    // A sender that may write alerts but not publish them leaves a draft. The response names the place where a person
    // decides.
    if ("needs_review" in outcome) {
      const { alert_id: id, pusher_id } = outcome.needs_review;
      return toDraftOutcome({ id, pusher_id }, fields, outcome.refusal.message);
    }
    const { body, headers } = outcome;
    const published = body as CreateAlertAnswer;
    if (await deleteDraftsOfPublishedMessage(alert, draft, published, caller, drafts, log))
      notes.push(DRAFT_DELETED_AFTER_PUBLISH_NOTE);
    return toPublishedOutcome(published, fields, headers);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.message === CHANNEL_NOT_ACTIVE) {
      const saved = await saveDraft(alert, target);
      if (!notes.includes(SAVED_WHILE_INACTIVE)) notes.push(SAVED_WHILE_INACTIVE);
      return toDraftOutcome(saved, fields, SAVED_WHILE_INACTIVE);
    }
    if (error.type === "rate_limited") throw await createSendLimitError(error, alert, target);
    throw error;
  }
}

/** `status` is that of an alert that is not a draft any more. */
function toPublishedOutcome(
  { id, pusher_id: pusherId, status }: Omit<CreateAlertAnswer, "title" | "collapse_key">,
  fields: AlertInput,
  headers: Record<string, string> = {},
): Outcome {
  const state = status === "scheduled" || status === "repeating" ? "scheduled" : "sent";
  const summary = state === "sent" ? "Published." : "Scheduled.";
  return { state, id, pusherId, fields, summary, headers };
}

function toDraftOutcome({ id, pusher_id: pusherId }: AlertIds, fields: AlertInput, summary: string): Outcome {
  return { state: "draft", id, pusherId, fields, summary, headers: {} };
}

/** The first alert of the id of a repeat with other content. */
function toRepeatOutcome(first: UnpublishedMessageDraft, fields: AlertInput, notes: string[]): Outcome {
  const isDraft = first.status === "draft";
  const note = isDraft ? "The message was already saved as a draft." : "The message was already published.";
  const ignored = `${note} The repeated request was ignored, although its content is different.`;
  if (!notes.includes(ignored)) notes.push(ignored);
  return { ...(isDraft ? toDraftOutcome(first, fields, note) : toPublishedOutcome(first, fields)), isRepeat: true };
}

/** Saves an alert that cannot be published now. */
async function saveDraft(alert: ParsedAlert, { deps, log, caller, channel }: PublishContext): Promise<AlertIds> {
  const idempotencyKey = createDraftIdempotencyKey(alert, channel, deps.now());
  const creation = { ...alert, idempotencyKey, channel, send: false };
  const outcome = await createAlertOnce(creation, caller, deps, log);
  if ("needs_review" in outcome) throw new Error("a draft needs no review to be saved");
  return "first" in outcome ? outcome.first : (outcome.body as CreateAlertAnswer);
}

/**
 * The refusal at the limit of sends, in the status that makes the program deliver the alert later
 * (rules#senders-limit).
 */
async function createSendLimitError(limit: ApiError, alert: ParsedAlert, target: PublishContext): Promise<ApiError> {
  const delivery = target.adapter?.delivery;
  if (!delivery) return limit;
  const seconds = Number(limit.headers["retry-after"] ?? LIMITS.window_seconds);
  const reason = `The channel's limit is ${LIMITS.sends} alerts per minute.`;
  if (delivery === "repeated")
    return unavailable("publish_limit_reached", `${reason} Send this message again in ${seconds} seconds.`, seconds);
  const { id } = await saveDraft(alert, target);
  return unavailable(
    "publish_limit_reached",
    `${reason} This message was saved as draft ${id}. Send the draft, or send the message again in ${seconds} seconds.`,
    seconds,
  );
}

function createRequestRecord(
  { adapter, published, notes }: IngestContext,
  problem: ApiError | null,
  now: Date,
): IngestRequestRecord {
  const [first] = published;
  return {
    at: now.toISOString(),
    program: (adapter?.name ?? null) as IngestSourceProgramId | null,
    outcome: problem ? "refused" : (first?.state ?? "nothing"),
    said: problem?.message ?? first?.summary ?? "Accepted. The message contained nothing to publish.",
    alert_id: first?.id ?? null,
    pusher_id: first?.pusherId ?? null,
    alerts: published.length,
    notes,
  };
}

/** The header that lists parts without a counterpart: fixed sentences only. */
const NOTES_HEADER = "belfry-notes";

function createIngestResponse(
  { status, body, headers }: AdapterResponse,
  notes: readonly string[],
  errorHeaders: Record<string, string>,
) {
  const allHeaders: Record<string, string> = { ...errorHeaders, ...headers };
  if (notes.length > 0) allHeaders[NOTES_HEADER] = notes.join(" ");
  if (typeof body !== "string") return createJsonResponse(status, body, allHeaders);
  return new Response(body, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...allHeaders },
  });
}
