// The alert on the wire: the results of reads and changes. Its fields are defined in model/fields/alert.ts. Also the
// short form for readers with a token budget. Long texts are cut, markup is left out, and lengths show the missing
// parts. `alertViewParameter` selects the form.

import { z } from "zod";
import type { AssetUrlResolver } from "../../model/domain/asset_rules.ts";
import { REVIEW_DECISIONS } from "../../model/domain/review_url_and_decision.ts";
import { formatId, formatIdOrNull } from "../../model/domain/type_ids.ts";
import { ALERT_FIELDS, type AlertFields } from "../../model/fields/alert.ts";
import {
  createConvertedFieldsFormatter,
  createResponseSchemas,
  getFieldNames,
  selectFieldDefinitionsMarkedAs,
  selectFieldsShownTo,
} from "../../model/fields/field_table.ts";
import { registerSchemaName } from "../../model/fields/schema_names.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../../model/fields/sql_statement_types.ts";
import { countCodePoints, removedMarkupSchema } from "../../model/fields/value_schemas.ts";
import { formatLimit } from "../../model/limits.ts";
import { ALERT_STATUSES } from "../../model/tables/alert.ts";
import type { AlertRecord } from "../queries/alerts.ts";
import { paginationMetaSchema, truncateText } from "./shared_parameters_and_pages.ts";

export const removedMarkupListSchema = z
  .array(removedMarkupSchema)
  .describe("Markup and invisible characters that were removed. This is not an error.");

const missingPermissionNotesSchema = z
  .array(z.object({ capability: z.string(), field: z.string(), message: z.string() }))
  .describe(
    "Permissions that the alert uses but the channel does not request from subscribers, and fields that have no " +
      "effect (capability none).",
  );

/** Where to fetch what was uploaded. */
const assetUrls = {
  image_asset_url: z.string().nullable().describe("URL of the uploaded picture."),
  audio_asset_url: z.string().nullable(),
};

/** The fields of an alert that a handset may see. */
export const handsetAlertFields = {
  ...createResponseSchemas(selectFieldsShownTo(ALERT_FIELDS, "handset")),
  ...assetUrls,
};

const alertHead = { id: z.string(), pusher_id: z.string(), status: z.enum(ALERT_STATUSES) };

/** The length of a text that is cut. */
export const fullBodyLengthSchema = z
  .int()
  .optional()
  .describe(
    `Length of body in characters if it exceeds ${formatLimit("card_body")}; body then contains only the beginning.`,
  );

const alertTail = {
  html_length: z.int().describe("Length of html in characters; 0 if there is none."),
  series_id: z.string().nullable().describe("The repeating alert (series) that this occurrence belongs to."),
  sent_at: z.string().nullable(),
  cancelled_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  body_length: fullBodyLengthSchema,
};

/** A row of a list: the beginning of the text, and the length of the markup in place of the markup. */
export const alertListItem = registerSchemaName(
  "AlertSummary",
  z.object({
    ...alertHead,
    ...createResponseSchemas(selectFieldsShownTo(ALERT_FIELDS, "list")),
    ...assetUrls,
    ...alertTail,
  }),
);

const via = z
  .string()
  .nullable()
  .describe("Origin: console, assistant, key, or `ingest:` followed by the sending program. Null if unknown.");

/** A row of a list, with the handle of its channel and its origin. */
const alertListRow = registerSchemaName(
  "ListedAlert",
  alertListItem.extend({
    handle: z.string().describe("Channel handle."),
    via,
    reads: z
      .int()
      .optional()
      .describe("Number of devices that reported the alert as read; only in a list sorted by reports."),
    acks: z
      .int()
      .optional()
      .describe("Number of devices that acknowledged the alert; only in a list sorted by reports."),
  }),
);

const alertListMeta = registerSchemaName(
  "AlertPageMeta",
  paginationMetaSchema.extend({
    total: z
      .int()
      .optional()
      .describe("Number of alerts on all pages; present only on the first page of a filtered list."),
    at_least: z.literal(true).optional().describe("Present if total is only a minimum."),
  }),
);

/** A page of alerts, of one channel or of all. */
export const alertList = z.object({ data: z.array(alertListRow), meta: alertListMeta });

const alertSchema = registerSchemaName(
  "Alert",
  z.object({
    ...alertHead,
    ...createResponseSchemas(selectFieldsShownTo(ALERT_FIELDS, "owner")),
    ...assetUrls,
    ...alertTail,
  }),
);

/** One alert, with the fields for its author and its reviewer. */
export const alertWithReviewUrlSchema = alertSchema.extend({
  review_url: z
    .string()
    .nullable()
    .describe("Page for reviewing and publishing the alert; null once it has been sent or cancelled."),
  notes: missingPermissionNotesSchema,
  blocked: removedMarkupListSchema,
});

const decision = z.enum(REVIEW_DECISIONS).describe("The recorded decision, or `waiting` before a decision.");

/** The response of get_alert. */
export const singleAlertSchema = alertWithReviewUrlSchema.extend({ via, decision });

/** The result of waiting for a review. */
export const decidedAlertSchema = registerSchemaName(
  "DecidedAlert",
  alertWithReviewUrlSchema.extend({ decision, note: z.string() }),
);

/** The result of create, of a field edit and of a duplicate. */
export const createdOrEditedAlertSchema = registerSchemaName(
  "ComposedAlert",
  alertWithReviewUrlSchema.extend({
    note: z.string().optional().describe("Present if the same title and text were published a moment ago."),
  }),
);

/** The result of send, schedule and cancel. */
export const alertStatusChangeSchema = registerSchemaName("PublishedAlert", alertSchema.extend({ note: z.string() }));

const alertForms = createConvertedFieldsFormatter(ALERT_FIELDS);

/** A record as the wire shows it; without `html` for the rows that were read without it. */
export function toAlertView<R extends AlertRecord>(record: R, assets: AssetUrlResolver) {
  return {
    ...record,
    html: record.html ?? null,
    asset_html: record.asset_html ?? null,
    id: formatId("alr", record.id),
    pusher_id: formatId("psh", record.pusher_id),
    ...toAlertAssetFields(record, assets),
    ...alertForms(record),
    body_length: record.body_length ?? undefined,
    series_id: formatIdOrNull("alr", record.series_id),
    sent_at: toIsoMicrosOrNull(record.sent_at),
    cancelled_at: toIsoMicrosOrNull(record.cancelled_at),
    created_at: toIsoMicros(record.created_at),
    updated_at: toIsoMicros(record.updated_at),
  };
}

/** The files of an alert, for its owner and for handsets: their ids, and where to fetch what is shown as it is. */
export function toAlertAssetFields(
  record: Pick<AlertRecord, "image_asset_id" | "audio_asset_id" | "html_asset_id">,
  { urlOf }: AssetUrlResolver,
) {
  const { image_asset_id: image, audio_asset_id: audio, html_asset_id: html } = record;
  return {
    image_asset_id: formatIdOrNull("ast", image),
    image_asset_url: image && urlOf(image),
    audio_asset_id: formatIdOrNull("ast", audio),
    audio_asset_url: audio && urlOf(audio),
    html_asset_id: formatIdOrNull("ast", html),
  };
}

/** The view of a list. */
export const alertListViewParameter = z
  .enum(["full", "brief", "titles"])
  .optional()
  .describe("brief (MCP default) shortens texts and omits empty fields; titles is shortest.");

export const alertViewParameter = z
  .enum(["full", "brief"])
  .optional()
  .describe("brief (MCP default) shortens texts and omits empty fields.");

/** The fields that are cut, with their lengths. */
const CUT = getFieldNames(selectFieldDefinitionsMarkedAs(ALERT_FIELDS, "cut"));

const lengths = Object.fromEntries(
  CUT.map((name) => [
    `${name}_length`,
    z.int().describe(`Full length of ${name} in characters; if the text shown is shorter, it was truncated.`),
  ]),
);

type Texts = Pick<AlertFields, (typeof CUT)[number]> & { body_length?: number };

function briefAlert({ html: _, asset_html: __, ...alert }: Texts & { html?: unknown; asset_html?: unknown }) {
  const brief: Record<string, unknown> = { ...alert };
  for (const name of CUT) {
    brief[name] = alert[name] === null ? null : truncateText(alert[name]);
    brief[`${name}_length`] = (name === "body" && alert.body_length) || countCodePoints(alert[name] ?? "");
  }
  return brief;
}

const briefOf = (name: string, whole: z.ZodObject) => ({
  output: registerSchemaName(name, whole.omit({ html: true, asset_html: true }).extend(lengths)),
  of: (alert: unknown) => briefAlert(alert as Texts),
});

export const composedAlertBriefAnswer = briefOf("ComposedAlertBrief", createdOrEditedAlertSchema);
export const decidedAlertBriefAnswer = briefOf("DecidedAlertBrief", decidedAlertSchema);
export const alertStatusChangeBriefAnswer = briefOf("PublishedAlertBrief", alertStatusChangeSchema);

const listed = registerSchemaName("AlertSummaryBrief", alertListRow.extend(lengths));

type BriefRow = Record<string, unknown>;

/** A time without its fraction of a second. */
const toSeconds = (value: unknown): unknown =>
  typeof value === "string" ? value.replace(/^(.{19})\.\d{6}Z$/, "$1Z") : value;

/** A row without the values of the question and without defaults (rules#lean-rows). */
function leanRow(row: BriefRow, args: BriefRow): BriefRow {
  const { pusher_id: _, updated_at: __, handle, via, priority, layout, created_at, status, ...rest } = row;
  for (const name of CUT)
    if (rest[`${name}_length`] === countCodePoints((rest[name] as string | undefined) ?? ""))
      delete rest[`${name}_length`];
  const appears = row.sent_at ?? row.send_at;
  const lean = {
    id: row.id,
    ...(args.pusher_id === undefined ? { handle } : {}),
    ...(args.status === undefined ? { status } : {}),
    ...(String(via).startsWith("ingest:") ? { via } : {}),
    ...rest,
    ...(priority === "normal" ? {} : { priority }),
    ...(layout === "text" ? {} : { layout }),
    ...(appears ? {} : { created_at }),
  };
  return Object.fromEntries(Object.entries(lean).map(([name, value]) => [name, toSeconds(value)]));
}

const title = registerSchemaName(
  "AlertTitle",
  z.object({
    id: z.string(),
    handle: z.string().describe("Channel handle."),
    title: z.string(),
    status: z.enum(ALERT_STATUSES),
    time: z.string().describe("sent_at, send_at or created_at, in whole seconds."),
  }),
);

const showTitle = ({ id, handle, title: text, status, sent_at, send_at, created_at }: BriefRow) => ({
  id,
  handle,
  title: text,
  status,
  time: toSeconds(sent_at ?? send_at ?? created_at),
});

/** The view `titles` of a list. */
export const alertTitleListAnswer = {
  output: alertList.extend({ data: z.array(title) }),
  of: (page: unknown) => ({ ...(page as BriefRow), data: (page as { data: BriefRow[] }).data.map(showTitle) }),
  row: showTitle,
};

export const alertListBriefAnswer = {
  output: alertList.extend({ data: z.array(listed) }),
  of: (page: unknown) => {
    const { data, ...rest } = page as { data: Texts[] };
    return { ...rest, data: data.map(briefAlert) };
  },
  row: leanRow,
};

/** One alert that was requested by name: complete where it fits, else in this form. */
export const createBriefAlertSchema = (whole: z.ZodObject) => briefOf("AlertBrief", whole);
