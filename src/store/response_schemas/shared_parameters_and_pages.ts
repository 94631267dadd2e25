// Arguments and results that many operations share: ids in paths, pages, the result of a deletion.

import { z } from "zod";
import { createApiAndUiText, createZodRefineParams } from "../../model/api_and_ui_error_texts.ts";
import { assertDefined } from "../../model/assert.ts";
import { registerSchemaName } from "../../model/fields/schema_names.ts";
import { countCodePoints, parseTimestamp, timestampSchema } from "../../model/fields/value_schemas.ts";
import { LIMITS } from "../../model/limits.ts";

/** The start of a page: strictly before a time, or within it after the row with this uuid. */
interface PagePosition {
  at: string;
  id: string | null;
  /** The list that it is a position in, as ten digits; null where any time is valid. */
  of?: string | null;
}

const INSIDE = /^(.{19}\.\d{6})(\d{39})(\d{10})?Z$/;

/**
 * A position is also written as a time: the row's uuid follows the microseconds as 39 more digits. Positions therefore
 * sort like rows, and every parameter for a time accepts a position.
 */
export const formatPagePosition = ({ at, id, of }: PagePosition): string =>
  id === null
    ? at
    : at.replace(
        "Z",
        `${BigInt(`0x${id.replaceAll("-", "")}`)
          .toString()
          .padStart(39, "0")}${of ?? ""}Z`,
      );

function readPlace(value: string): PagePosition | null {
  const [, instantPart, digits, of = null] = INSIDE.exec(value) ?? [];
  const at = parseTimestamp(instantPart === undefined ? value : `${instantPart}Z`);
  if (at === null || digits === undefined) return at === null ? null : { at, id: null, of };
  const hex = BigInt(digits).toString(16).padStart(32, "0");
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return hex.length === 32 ? { at, id, of } : null;
}

/** A time, or `next_before` of the page before, which may be a position within one time. */
export function pagePositionSchema() {
  return z
    .string()
    .refine(
      (value) => readPlace(value) !== null,
      createZodRefineParams(
        "invalid_cursor",
        createApiAndUiText(
          "must be next_before from another page, or an RFC 3339 timestamp with Z or an offset, such as " +
            "2026-11-20T14:25:31Z",
          "is not valid for this list; start from the first page",
        ),
      ),
    )
    .meta({ format: "date-time" })
    .transform((value) => assertDefined(readPlace(value), "the value was validated above"));
}

/** Path ids are plain strings: an invalid id is a 404, never a 422. */
export const pathId = (what: string) => z.string().describe(what);

/** The id or the handle of a channel. */
export const channelIdParameter = () => pathId("psh_… or handle.");

/** The version of a row that a change is meant for (rules#expected-version). */
export const expectedVersion = () => timestampSchema().optional().describe("Refused if updated_at differs.");

/** The largest page. */
export const MAX_PAGE_SIZE = LIMITS.page;
const SIZES = `must be a whole number from 1 to ${MAX_PAGE_SIZE}`;
/** The number of rows on a page; `absent`: the result without it. */
export const limitParameter = (absent = `Rows. Default: ${LIMITS.page_usual}.`) =>
  z.int(SIZES).min(1, SIZES).max(MAX_PAGE_SIZE, SIZES).optional().describe(absent);

/** The description of `before`. */
export const BEFORE_PARAMETER_DESCRIPTION = "meta.next_before of the previous page.";

/** The argument with the start of a page. */
const beforeParameter = () => timestampSchema().optional().describe(BEFORE_PARAMETER_DESCRIPTION);

/** `meta` of every list that pages: null means no more rows. */
export const paginationMetaSchema = registerSchemaName("PageMeta", z.object({ next_before: z.string().nullable() }));

/** The arguments of a list that pages. `absent`: the result without `limit`. */
export const pageParameters = (absent?: string) => ({ limit: limitParameter(absent), before: beforeParameter() });

/** A page of such a list. */
export const pageSchema = <Row extends z.ZodType>(row: Row) =>
  z.object({ data: z.array(row), meta: paginationMetaSchema });

/** The result of a list that is read completely: rows of these fields. */
export const unpagedListSchema = <Row extends z.ZodRawShape>(row: Row) => z.object({ data: z.array(z.object(row)) });

/** DELETE returns 204 without a body over REST, and this over MCP and the CLI. */
export const deletedResourceSchema = z.object({ deleted: z.literal(true), id: z.string() });

/** The default page size. */
export const DEFAULT_PAGE_SIZE = LIMITS.page_usual;

/** The page size of lists that are complete unless pages are requested. */
export const UNLIMITED_PAGE_SIZE = 1_000_000_000;
export const UNPAGED_LIMIT_DESCRIPTION = "Rows. Default: all.";

const SECONDS = `must be a whole number from 0 to ${LIMITS.review_held_seconds}`;

/** The time that a call may wait. */
export const waitSecondsParameter = () =>
  z
    .int(SECONDS)
    .min(0, SECONDS)
    .max(LIMITS.review_held_seconds, SECONDS)
    .optional()
    .describe(`Maximum wait. Default: ${LIMITS.review_held_seconds}.`);

/** The beginning of a text (rules#views). `most`: its characters, including the ellipsis. */
export const truncateText = (text: string, most: number = LIMITS.brief_text): string =>
  countCodePoints(text) <= most ? text : `${[...text].slice(0, most - 1).join("")}…`;

/** The fields that can be requested for a member. The rules for members decide if they are consistent and permitted. */
export const memberAccessInput = z.strictObject({
  role: z.string(),
  every_channel: z.boolean().describe("All channels, including future ones; instead of a list."),
  pusher_ids: z.array(z.string()).describe("The only channels that the member can see."),
});

export type MemberAccessInput = z.infer<typeof memberAccessInput>;
