// The rules of rows in `belfry import`, by kind: those of create_pusher, create_alert and the other operations. They
// refuse the same values, and use the same sanitizer for texts and markup.

import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { cleanFileName } from "../../effects/assets/incoming_file.ts";
import { isContentTypeOfAssetKind } from "../../effects/assets/sniff_content_type.ts";
import { isPossibleTarget, type TargetRules } from "../../effects/webhooks/target_check.ts";
import { isErrorMessage } from "../../model/api_and_ui_error_texts.ts";
import { invalidRequest } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { getEmailFailure, getNameFailure, getPersonNameFailure } from "../../model/domain/account_input_validation.ts";
import { MAX_ASSET_BYTES } from "../../model/domain/asset_rules.ts";
import { RESERVED_HANDLES, requireCompleteGeofence } from "../../model/domain/channel_capabilities_and_defaults.ts";
import { ALERT_FIELDS, type AlertFields } from "../../model/fields/alert.ts";
import {
  CHANNEL_FIELDS,
  CHANNEL_INVITE_FIELDS,
  REQUESTABLE_DEVICE_PERMISSIONS,
  retentionDaysSchema,
} from "../../model/fields/channel.ts";
import { DEVICE_FIELDS } from "../../model/fields/device.ts";
import {
  type FieldDefinition,
  type FieldDefinitions,
  type FieldValuesOf,
  getFieldNames,
} from "../../model/fields/field_table.ts";
import { parseRecurrence } from "../../model/fields/recurrence_rule.ts";
import { INGEST_SOURCE_PROGRAM_IDS } from "../../model/fields/sender_programs.ts";
import { countCodePoints, parseTimestamp, removedMarkupSchema, textSchema } from "../../model/fields/value_schemas.ts";
import { WEBHOOK_FIELDS } from "../../model/fields/webhook.ts";
import { LIMITS } from "../../model/limits.ts";
import { isScope } from "../../model/scopes.ts";
import { ALERT_STATUSES, type AlertStatus } from "../../model/tables/alert.ts";
import { ASSET_KINDS, type AssetKind } from "../../model/tables/asset.ts";
import { CHANNEL_STATUSES } from "../../model/tables/channel.ts";
import { DEVICE_REPORT_KINDS } from "../../model/tables/devices_and_reports.ts";
import { ROLES } from "../../model/tables/member.ts";
import { createValidationError, refuseUnstorableText } from "../../operation/validation_errors.ts";
import { buildChannelSearchText, channelCreateFields } from "../../store/response_schemas/channel_schemas.ts";
import { cleanImportedAlert, cleanPreviousAlertValues, rewriteReviewUrls } from "./clean_imported_alerts.ts";

export type ImportRowValues = Record<string, unknown>;
type UploadedFile = Record<"content_type" | "name", string> & { kind: AssetKind; bytes: number; text: string | null };

/** Facts about the importing server that the rules of a row need. */
interface ImportValidationContext {
  publicUrl: string;
  targets: TargetRules;
  /** The review channels in the file. */
  reviews: ReadonlySet<string>;
  /** The latest allowed time of an event: that of the import plus a tolerance for clocks. ISO 8601, six decimals. */
  latest: string;
}

const refuse = (message: string) => {
  throw invalidRequest("invalid_file", message, "file");
};

const one = (isRight: (value: string) => boolean, error: string) => z.string().refine(isRight, error);
const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "must be a uuid");
const isStamp = (value: string) => parseTimestamp(value) !== null;
const stamp = one(isStamp, "must be an RFC 3339 timestamp");
/** The time of an event that has happened. */
const past = one(isStamp, "must be an RFC 3339 timestamp");
const pastOrNull = past.nullable();
const count = z.int().min(0, "must be 0 or more");
const upTo = (most: number) => count.max(most, `must be at most ${most}`);
const int = upTo(2 ** 31 - 1);
const stripe = upTo(2 ** 15 - 1);
/** A text, since JSON's numbers have fewer digits. */
export const bigintSchema = one(
  (value) => /^\d{1,19}$/.test(value) && BigInt(value) < 2n ** 63n,
  "must be a whole number below 2^63, as a string",
);
const hash = z.string().regex(/^\\x[0-9a-f]{64}$/, "must be 32 bytes in hexadecimal");
const day = z.iso.date("must be a date").refine((value) => value > "0001", "must be a date");
const replies = z.array(count).length(LIMITS.reply_choices, `must contain ${LIMITS.reply_choices} counts`);
/** The place of a reply choice. */
const place = z.int().min(1).max(LIMITS.reply_choices);
const name = one(
  (value) => value === value.trim() && getNameFailure(value, "") === null,
  `must be one line of at most ${LIMITS.name} characters`,
);
const personName = one(
  (value) => value === value.trim() && getPersonNameFailure(value) === null,
  "must be a valid name for a person",
);
const wireId = z.string().regex(/^[a-z]{3}_[0-9a-z]{26}$/, "must be the id of a credential");
const scopes = z.array(one(isScope, "must be a scope"));
/** Ends may have been added to a rule that was as long as it may be. */
const rule = one(
  (value) => value.length <= LIMITS.recurrence + ";UNTIL=00000000T000000Z".length,
  `must be at most ${LIMITS.recurrence} characters long`,
).refine((value) => !isErrorMessage(parseRecurrence(value)), "must be an RFC 5545 rule and a time zone");
const blocked = z.record(z.string(), z.array(z.strictObject(removedMarkupSchema.shape)).max(LIMITS.alert_blocked + 5));

/** Fields that an operation accepts. All other columns have rules of their own below. */
function ruleOf({ look, accepts }: FieldDefinition): z.ZodType {
  if (look === "moment") return stamp;
  return look === "file" ? uuid : (accepts ?? z.never());
}

/** The columns of these fields, by what the operations accept. */
const columnsOf = (fields: FieldDefinitions): Record<string, z.ZodType> =>
  Object.fromEntries(
    getFieldNames(fields).map((field) => {
      const found = assertDefined(fields[field], "the name comes from these fields");
      return [field, found.blank === null ? ruleOf(found).nullable() : ruleOf(found)];
    }),
  );

const { review_reply: _, asset_html: __, blocked: ___, html: ____, recurrence: _____, ...plainFields } = ALERT_FIELDS;

const alertColumns = {
  ...columnsOf(plainFields),
  html: z.string().nullable(),
  asset_html: z.string().nullable(),
  review_reply: textSchema(1, LIMITS.alert_review_reply, { lines: true }).nullable(),
  recurrence: rule.nullable(),
};

const colour = z.string().regex(/^#[0-9a-f]{6}$/, "must be a colour such as #00aaff");

/** Every kind of row, and each of its columns that a file has. */
const RULES = {
  workspace: z.strictObject({
    ...{ id: uuid, name, created_at: past, last_event_position: count },
    ...{ review_channel_id: uuid.nullable(), retention_days: retentionDaysSchema().nullable() },
  }),
  member: z.strictObject({
    ...{ id: uuid, workspace_id: uuid, role: z.enum(ROLES), pusher_ids: z.array(uuid).nullable() },
    email: one(
      (value) => value === value.toLowerCase() && getEmailFailure(value) === null,
      "must be an e-mail address in lowercase letters",
    ),
    ...{ created_at: past, name: personName.nullable(), wants_draft_emails: z.boolean() },
  }),
  file: z.strictObject({
    ...{ id: uuid, workspace_id: uuid, member_id: uuid.nullable(), kind: z.enum(ASSET_KINDS) },
    ...{ content_type: z.string(), bytes: z.int().min(1), sha256: hash, name: z.string() },
    ...{ text: z.string().nullable(), stored: z.boolean(), created_at: past },
  }),
  channel: z.strictObject({
    ...{ id: uuid, workspace_id: uuid, handle: channelCreateFields.handle, ...columnsOf(CHANNEL_FIELDS) },
    ...{ gradient_from: colour, gradient_to: colour, search_text: z.string(), image_asset_id: uuid.nullable() },
    ...{ status: z.enum(CHANNEL_STATUSES), created_at: past, updated_at: past },
  }),
  invite: z.strictObject({
    ...{ id: uuid, pusher_id: uuid, ...columnsOf(CHANNEL_INVITE_FIELDS), uses: int },
    code: z.string().regex(/^[\w-]{22,64}$/, "must be a code of 22 to 64 letters, digits, - and _"),
    ...{ revoked_at: pastOrNull, created_at: past },
  }),
  key: z.strictObject({
    ...{ id: uuid, member_id: uuid, name, hash, scopes, pusher_id: uuid.nullable(), created_at: past },
    ...{ expires_at: stamp.nullable(), revoked_at: pastOrNull, last_used_at: pastOrNull },
    ...{ requires_approval: z.boolean(), client_program: z.enum(INGEST_SOURCE_PROGRAM_IDS).nullable() },
  }),
  webhook: z.strictObject({
    ...{ id: uuid, workspace_id: uuid, member_id: uuid, pusher_id: uuid.nullable(), ...columnsOf(WEBHOOK_FIELDS) },
    ...{ created_at: past, created_by_id: wireId.nullable() },
    created_by_name: textSchema(0, LIMITS.client_name).nullable(),
  }),
  alert: z.strictObject({
    ...{ id: uuid, pusher_id: uuid, status: z.enum(ALERT_STATUSES), ...alertColumns, blocked },
    ...{ sent_at: pastOrNull, cancelled_at: pastOrNull, created_at: past, updated_at: past },
    ...{ review_notice_id: uuid.nullable(), series_id: uuid.nullable(), occurs_at: stamp.nullable() },
    detached_from_series: z.boolean(),
  }),
  change: z.strictObject({
    ...{ alert_id: uuid, updated_at: past },
    previous_values: z.strictObject(alertColumns).partial(),
  }),
  series: z.strictObject({ alert_id: uuid, filled_until: stamp, next_fill_at: stamp }),
  count: z.strictObject({
    ...{ alert_id: uuid, reads: count, acks: count, acks_reported: count, acks_reported_at: pastOrNull },
    ...{ replies, replies_reported_at: pastOrNull },
  }),
  count_stripe: z.strictObject({ alert_id: uuid, stripe, reads: count, acks: count, replies }),
  day: z.strictObject({ pusher_id: uuid, day, published: count, reads: count, acks: count, deleted: count }),
  day_stripe: z.strictObject({ pusher_id: uuid, day, stripe, reads: count, acks: count }),
  state: z.strictObject({
    ...{
      pusher_id: uuid,
      revision: count,
      published: count,
      subscribers_reported: count,
      subscribers_reported_at: pastOrNull,
    },
  }),
  device: z.strictObject({
    ...{ id: bigintSchema, token_hash: hash, ...columnsOf(DEVICE_FIELDS), created_at: past, last_seen_at: past },
  }),
  subscription: z.strictObject({
    ...{ device_id: bigintSchema, pusher_id: uuid, invite_id: uuid.nullable(), muted: z.boolean() },
    ...{ permissions: z.array(z.enum(REQUESTABLE_DEVICE_PERMISSIONS)), subscribed_at: past },
  }),
  report: z.strictObject({
    ...{
      alert_id: uuid,
      device_id: bigintSchema,
      kind: z.union(Object.values(DEVICE_REPORT_KINDS).map((of) => z.literal(of))),
    },
    ...{ reported_at: pastOrNull, choice: place.nullable(), previous_choice: place.nullable() },
  }),
};

export type ExportRowKind = keyof typeof RULES;
export const ROW_SCHEMAS: Record<ExportRowKind, z.ZodObject> = RULES;

/** The row as it is stored, of kinds whose rules are more than those of their columns. */
const STORED: { [K in ExportRowKind]?: (row: ImportRowValues, here: ImportValidationContext) => ImportRowValues } = {
  file(row) {
    const { kind, content_type, bytes, name, text } = row as UploadedFile;
    if (!isContentTypeOfAssetKind(kind, content_type)) refuse("content_type does not match the file's kind.");
    if (bytes > MAX_ASSET_BYTES[kind]) refuse("bytes exceeds the limit for this kind of file.");
    if (name !== cleanFileName(name, kind)) refuse("name is not a valid file name.");
    if (countCodePoints(text ?? "") > MAX_ASSET_BYTES.html) refuse("text is longer than allowed for a page.");
    return row;
  },
  channel(row) {
    const channel = row as FieldValuesOf<typeof CHANNEL_FIELDS> & { handle: string };
    if (RESERVED_HANDLES.has(channel.handle)) refuse("handle is reserved.");
    requireCompleteGeofence(channel);
    return { ...row, search_text: buildChannelSearchText(channel) };
  },
  webhook(row, { targets }) {
    if (!isPossibleTarget(String(row.url), targets))
      refuse("url is not a public https address. To allow it, add its host to WEBHOOK_ALLOW_HOSTS.");
    return row;
  },
  alert(row, { reviews, publicUrl }) {
    refuseOtherTimes(row);
    const clean = { ...row, ...cleanImportedAlert(row as AlertFields) };
    if (!reviews.has(String(row.pusher_id))) return clean;
    return { ...clean, actions: rewriteReviewUrls(clean.actions, publicUrl) };
  },
  change: (row) => ({ ...row, previous_values: cleanPreviousAlertValues(row.previous_values as Partial<AlertFields>) }),
};

/** The times that an alert of each status has. */
const TIMES: Record<AlertStatus, { has: string[]; lacks: string[] }> = {
  draft: { has: [], lacks: ["sent_at", "cancelled_at"] },
  repeating: { has: ["recurrence", "send_at"], lacks: ["sent_at", "cancelled_at"] },
  scheduled: { has: ["send_at"], lacks: ["sent_at", "cancelled_at"] },
  sent: { has: ["sent_at"], lacks: ["cancelled_at"] },
  cancelled: { has: ["cancelled_at"], lacks: [] },
};

function refuseOtherTimes(row: ImportRowValues): void {
  const status = row.status as AlertStatus;
  const { has, lacks } = TIMES[status];
  const missing = has.find((field) => row[field] === null);
  if (missing) refuse(`${missing} is required for an alert with status ${status}.`);
  const wrong = lacks.find((field) => row[field] !== null);
  if (wrong) refuse(`${wrong} must be null for an alert with status ${status}.`);
}

/** @throws 422 for the time of an event that is in the future. */
function refuseFuture(shape: Record<string, z.core.$ZodType>, row: ImportRowValues, latest: string): void {
  for (const [column, rule] of Object.entries(shape)) {
    const value = row[column];
    if (typeof value !== "string") continue;
    if ((rule === past || rule === pastOrNull) && (parseTimestamp(value) ?? "") > latest)
      refuse(`${column} is in the future. Check the clocks of both servers.`);
  }
}

/** The rules of columns that depend on the server. */
function judgedAs(kind: ExportRowKind, row: ImportRowValues, { reviews }: ImportValidationContext): ImportRowValues {
  if (kind === "alert" && reviews.has(String(row.pusher_id)))
    return { ...row, actions: rewriteReviewUrls(row.actions, "https://localhost") };
  // The address of an uploaded picture follows from the file.
  return kind === "channel" && typeof row.image_asset_id === "string" ? { ...row, image_url: null } : row;
}

/** The row as it is stored. @throws 422 that names the field, and never its value. */
export function validateImportRow(
  kind: ExportRowKind,
  given: ImportRowValues,
  here: ImportValidationContext,
): ImportRowValues {
  const schema = ROW_SCHEMAS[kind];
  const columns = Object.keys(schema.shape);
  const missing = columns.find((column) => !Object.hasOwn(given, column));
  if (missing) refuse(`${missing} is missing.`);
  if (Object.keys(given).length > columns.length) refuse("it has an unknown field.");
  refuseUnstorableText(given);
  const row = judgedAs(kind, given, here);
  const parsed = schema.safeParse(row, { reportInput: true });
  const unknown = parsed.error?.issues.find(({ code }) => code === "unrecognized_keys");
  if (unknown) refuse(`${String(unknown.path[0])} has an unknown field.`);
  if (!parsed.success) throw createValidationError(parsed.error, schema);
  // The operations make some values of others: a list in lowercase letters, each once.
  const changed = columns.find((column) => !isDeepStrictEqual(parsed.data[column], row[column]));
  if (changed) refuse(`${changed} is not in the format that belfry export produces.`);
  refuseFuture(schema.shape, row, here.latest);
  return STORED[kind]?.(row, here) ?? row;
}
