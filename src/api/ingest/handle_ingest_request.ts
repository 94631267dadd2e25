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
import { createAlertOnce } from "./create_once.ts";
import {
  type CreateAlertAnswer,
  createDraftIdempotencyKey,
  DRAFT_DELETED_AFTER_PUBLISH_NOTE,
  deleteDraftsOfPublishedMessage,
  SAVED_WHILE_INACTIVE,
  type UnpublishedDraftStore,
  type UnpublishedMessageDraft,
} from "./delete_superseded_drafts.ts";
import { fitAlert } from "./fit_limits.ts";
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
  now(): Date;
}

/** The adapter, the places where the key may be, and the format of the response. */
export interface MatchedIngestRoute {
  /** Null: the tongue is recognised. */
  tongue: SenderAdapter | null;
  places: AdditionalTokenLocations;
  /** The channel that the address names; null: the body or the key names it. */
  channel: string | null;
  /** Below the tongue's own address. */
  path: string;
  /** The body may be a file: text that comes with one beyond the limit is published without it. */
  takesFiles?: boolean;
}

/** The tongue that a request without a name speaks. */
export type DetectAdapter = (request: IngestRequest) => SenderAdapter | null;

/** The same for a channel of others and for none. */
const NO_CHANNEL =
  "Channel not found, or this key has no access to it. Check the handle (in lowercase) and the key's channel.";

interface Heard {
  log: Log;
  deps: IngestDeps;
  tongue: SenderAdapter | null;
  request: IngestRequest | null;
  /** As the request names it: an id, a handle or nonsense. */
  channel: string | null;
  published: IngestedAlertOutcome[];
  notes: string[];
  headers: Record<string, string>;
}

/** Any error becomes a refusal in the adapter's format. */
export async function publishRequest(
  request: Request,
  door: MatchedIngestRoute,
  recognise: DetectAdapter,
  log: Log,
  deps: IngestDeps,
): Promise<Response> {
  const heard: Heard = {
    log,
    deps,
    tongue: door.tongue,
    request: null,
    channel: door.channel,
    published: [],
    notes: [],
    headers: {},
  };
  let caller: Caller | null = null;
  let problem: ApiError | null = null;
  try {
    const secret = extractToken(request, door.places);
    caller = await deps.authenticate(secret);
    if (!caller || secret === null) throw unauthorized();
    heard.request = await readIngestRequest(request, { ...door, secret, now: deps.now() });
    heard.tongue ??= recognise(heard.request);
    await hear(heard, caller, door.channel);
  } catch (error) {
    problem = toApiError(error);
    if (problem.type === "not_found") problem = new ApiError("channel_not_found", NO_CHANNEL);
    // Our errors never contain parts of the request. Other errors may.
    if (!(error instanceof ApiError)) log.error({ err: error }, "ingest failed");
  }
  const { tongue } = heard;
  if (caller) await deps.note(caller, noteOf(heard, problem, deps.now()), heard.channel);
  const said =
    problem === null && tongue && heard.request
      ? (tongue.answer ?? formatDefaultIngestAnswer)(heard.published, heard.request)
      : (tongue?.refuse ?? formatDefaultIngestError)(problem ?? unauthorized());
  return answerOf(said, heard.notes, problem?.headers ?? heard.headers);
}

async function hear(heard: Heard, caller: Caller, named: string | null) {
  const { tongue, request } = heard;
  if (!tongue || !request)
    throw invalidRequest(
      "unrecognized_format",
      `Unrecognised format. Set ?from= to one of: ${Object.keys(INGEST_SOURCE_PROGRAMS).join(", ")}.`,
    );
  const reading = await tongue.read(request);
  heard.notes.push(...reading.notes);
  if (request.omitted > 0) heard.notes.push(`${request.omitted} entries of a long list were ignored.`);
  for (const alert of reading.alerts) alert.fields = fitAlert(alert.fields, heard.notes);
  if (reading.alerts.length > LIMITS.ingest_alerts)
    throw invalidRequest(
      "wrong_item_count",
      `One request can publish at most ${LIMITS.ingest_alerts} alerts. Send fewer alerts in each request.`,
    );
  heard.channel = named ?? reading.channel ?? null;
  const channel = heard.channel ?? boundTo(caller);
  for (const alert of reading.alerts) if (alert.idempotencyKey) alert.keepFirst = true;
  const [only, ...others] = reading.alerts;
  if (only && others.length === 0) only.idempotencyKey ??= request.headers.get("idempotency-key") || undefined;
  for (const alert of reading.alerts) {
    const { headers, isRepeat: _, ...published } = await one(alert, channel, caller, heard);
    heard.published.push(published);
    heard.headers = headers;
  }
}

function boundTo({ credential: { pusherId } }: Caller): string {
  if (pusherId !== null) return formatId("psh", pusherId);
  throw invalidRequest(
    "field_required",
    "The request does not specify a channel. Use a channel's address, or a key that is restricted to one channel.",
    "pusher_id",
  );
}

type AlertIds = Pick<CreateAlertAnswer, "id" | "pusher_id">;
type Outcome = IngestedAlertOutcome & { headers: Record<string, string>; isRepeat?: true };

async function one(alert: ParsedAlert, channel: string, caller: Caller, heard: Heard): Promise<Outcome> {
  const { log, deps, notes } = heard;
  const picture = await attachPicture(alert, channel, caller, notes, deps.pictures, log);
  try {
    const published = await publishOne(alert, channel, caller, heard);
    if (published.isRepeat && picture !== null) await deps.pictures.remove(caller, picture);
    else if (published.state !== "draft") await cancelReplaced(published, alert.sequenceId, caller, heard);
    return published;
  } catch (error) {
    if (picture !== null) await deps.pictures.remove(caller, picture);
    throw error;
  }
}

async function publishOne(alert: ParsedAlert, channel: string, caller: Caller, heard: Heard): Promise<Outcome> {
  const { fields } = alert;
  const { drafts, now } = heard.deps;
  const draft = alert.idempotencyKey
    ? await drafts.find(caller, createDraftIdempotencyKey(alert, channel, now()))
    : null;
  // A person has decided about it.
  if (draft && draft.status !== "draft") return publishedAs(draft, fields);
  try {
    const outcome = await createAlertOnce({ ...alert, channel, send: true }, caller, heard.deps, heard.log);
    if ("first" in outcome) return repeatOf(outcome.first, fields, heard.notes);
    // A sender that may write alerts but not publish them leaves a draft. The response names the place where a person
    // decides.
    if ("needs_review" in outcome) {
      const { alert_id: id, pusher_id } = outcome.needs_review;
      return asDraft({ id, pusher_id }, fields, outcome.refusal.message);
    }
    const { body, headers } = outcome;
    const published = body as CreateAlertAnswer;
    if (await deleteDraftsOfPublishedMessage(alert, draft, published, caller, drafts, heard.log))
      heard.notes.push(DRAFT_DELETED_AFTER_PUBLISH_NOTE);
    return publishedAs(published, fields, headers);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.message === CHANNEL_NOT_ACTIVE) {
      const saved = await saveDraft(alert, channel, caller, heard);
      if (!heard.notes.includes(SAVED_WHILE_INACTIVE)) heard.notes.push(SAVED_WHILE_INACTIVE);
      return asDraft(saved, fields, SAVED_WHILE_INACTIVE);
    }
    if (error.type === "rate_limited") throw await refusalAtLimit(error, alert, channel, caller, heard);
    throw error;
  }
}

/** `status` is that of an alert that is not a draft any more. */
function publishedAs(
  { id, pusher_id: pusherId, status }: Omit<CreateAlertAnswer, "title" | "collapse_key">,
  fields: AlertInput,
  headers: Record<string, string> = {},
): Outcome {
  const state = status === "scheduled" || status === "repeating" ? "scheduled" : "sent";
  const said = state === "sent" ? "Published." : "Scheduled.";
  return { state, id, pusherId, fields, said, headers };
}

function asDraft({ id, pusher_id: pusherId }: AlertIds, fields: AlertInput, said: string): Outcome {
  return { state: "draft", id, pusherId, fields, said, headers: {} };
}

/** The first alert of the id of a repeat with other content. */
function repeatOf(first: UnpublishedMessageDraft, fields: AlertInput, notes: string[]): Outcome {
  const isDraft = first.status === "draft";
  const note = isDraft ? "The message was saved as a draft before." : "The message was already published.";
  const ignored = `${note} The repeated request was ignored, although its content is different.`;
  if (!notes.includes(ignored)) notes.push(ignored);
  return { ...(isDraft ? asDraft(first, fields, note) : publishedAs(first, fields)), isRepeat: true };
}

/** Saves an alert that cannot be published now. */
async function saveDraft(alert: ParsedAlert, channel: string, caller: Caller, heard: Heard): Promise<AlertIds> {
  const idempotencyKey = createDraftIdempotencyKey(alert, channel, heard.deps.now());
  const creation = { ...alert, idempotencyKey, channel, send: false };
  const outcome = await createAlertOnce(creation, caller, heard.deps, heard.log);
  if ("needs_review" in outcome) throw new Error("a draft needs no review to be saved");
  return "first" in outcome ? outcome.first : (outcome.body as CreateAlertAnswer);
}

/**
 * The refusal at the limit of sends, in the status that makes the program deliver the alert later
 * (rules#senders-limit).
 */
async function refusalAtLimit(
  limit: ApiError,
  alert: ParsedAlert,
  channel: string,
  caller: Caller,
  heard: Heard,
): Promise<ApiError> {
  const delivery = heard.tongue?.delivery;
  if (!delivery) return limit;
  const seconds = Number(limit.headers["retry-after"] ?? LIMITS.window_seconds);
  const reason = `The channel's limit is ${LIMITS.sends} alerts per minute.`;
  if (delivery === "repeated")
    return unavailable("publish_limit_reached", `${reason} Send this message again in ${seconds} seconds.`, seconds);
  const { id } = await saveDraft(alert, channel, caller, heard);
  return unavailable(
    "publish_limit_reached",
    `${reason} This message was saved as draft ${id}. Send the draft, or send the message again in ${seconds} seconds.`,
    seconds,
  );
}

function noteOf({ tongue, published, notes }: Heard, problem: ApiError | null, now: Date): IngestRequestRecord {
  const [first] = published;
  return {
    at: now.toISOString(),
    program: (tongue?.name ?? null) as IngestSourceProgramId | null,
    outcome: problem ? "refused" : (first?.state ?? "nothing"),
    said: problem?.message ?? first?.said ?? "Accepted. The message contained nothing to publish.",
    alert_id: first?.id ?? null,
    pusher_id: first?.pusherId ?? null,
    alerts: published.length,
    notes,
  };
}

/** The header that lists parts without a counterpart: fixed sentences only. */
export const NOTES_HEADER = "belfry-notes";

function answerOf({ status, body, headers }: AdapterResponse, notes: readonly string[], known: Record<string, string>) {
  const more: Record<string, string> = { ...known, ...headers };
  if (notes.length > 0) more[NOTES_HEADER] = notes.join(" ");
  if (typeof body !== "string") return createJsonResponse(status, body, more);
  return new Response(body, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...more },
  });
}
