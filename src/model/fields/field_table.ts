// A field of a resource is one record: its column, the accepted values, its default, its audiences, and its places on
// pages. Entities, statements, arguments, results and pages are built from the records by the functions below.

import type { z } from "zod";
import { assertDefined } from "../assert.ts";
import type { FieldKind } from "./field_kinds.ts";
import type { SqlValuesOf } from "./sql_statement_types.ts";

/**
 * The audiences of a field: the owner in full responses, the owner in lists, handsets (alerts in the inbox, channels as
 * cards), and receivers of events.
 */
export type FieldAudience = "owner" | "list" | "handset" | "webhook";

/**
 * Pages that draw fields: the owner's form, what an owner reads, the public page of a channel, its feeds, and the
 * app.
 */
export type FieldDisplayPageKind = "form" | "owner" | "public" | "feed" | "app";

/** The display of a field on pages. test/repository/rendered_fields.test.ts compares both lists with the pages. */
interface FieldDisplayOptions {
  /** The label on pages, with a capital letter. */
  readonly label: string;
  /** Where it is drawn by its kind, among all others that are. */
  readonly plain?: readonly FieldDisplayPageKind[];
  /** Where the page has a drawing of its own for it. */
  readonly own?: readonly FieldDisplayPageKind[];
  readonly hint?: string;
  /** Lines of its control. */
  readonly rows?: number;
  /** For a choice: the label of an empty value. */
  readonly none?: string;
  /** For a link: the text before its host. */
  readonly leads?: string;
}

export interface FieldDefinition extends FieldKind {
  /** The schema of the input; absent for a computed field. */
  readonly accepts?: z.ZodType;
  /** The description of its argument. */
  readonly about?: string;
  /** The value of a new row whose caller omits the field, for the description of the argument. */
  readonly absent?: string;
  readonly required?: true;
  /** The default value. Without it, the operation computes one. */
  readonly blank?: unknown;
  readonly shown: readonly FieldAudience[];
  readonly drawn?: FieldDisplayOptions;
  /** Marks a text for people. Invisible characters are removed and reported instead of refused. */
  readonly cleaned?: true;
  /** Marks a long text. The brief view cuts it and has its length. */
  readonly cut?: true;
  /** A copy of the row begins without it. */
  readonly own?: true;
}

export type FieldDefinitions = Readonly<Record<string, FieldDefinition>>;

/**
 * Defines the fields of a resource by the name of their column, which is also their name on the wire.
 * @example
 * ```ts
 * export const TEAM_FIELDS = defineFields({
 *   name: { ...textKind, label: "Name", accepts: textSchema(1, LIMITS.name), shown: ["owner", "list"] },
 * });
 * ```
 */
export const defineFields = <const F extends FieldDefinitions>(fields: F): F => fields;

export const getFieldNames = <F extends FieldDefinitions>(fields: F) => Object.keys(fields) as (keyof F & string)[];

/** The same keys, each with what `of` makes of its field. */
function mapFields<F extends FieldDefinitions>(fields: F, of: (field: FieldDefinition) => unknown): never {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, of(field)])) as never;
}

type Where<F extends FieldDefinitions, Filter> = { [N in keyof F as F[N] extends Filter ? N : never]: F[N] };

function whereOf<F extends FieldDefinitions>(fields: F, holds: (field: FieldDefinition) => boolean): never {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => holds(field))) as never;
}

/** Some of the fields, by their names. */
export const pickFieldDefinitions = <F extends FieldDefinitions, N extends keyof F>(
  fields: F,
  ...names: N[]
): Pick<F, N> => whereOf(fields, (field) => names.some((name) => fields[name] === field));

/** Returns the fields of an audience. */
export const selectFieldsShownTo = <F extends FieldDefinitions, A extends FieldAudience>(
  fields: F,
  audience: A,
): { [N in keyof F as A extends F[N]["shown"][number] ? N : never]: F[N] } =>
  whereOf(fields, ({ shown }) => shown.includes(audience));

/** The others. */
export const selectFieldDefinitionsHiddenFrom = <F extends FieldDefinitions, A extends FieldAudience>(
  fields: F,
  audience: A,
): { [N in keyof F as A extends F[N]["shown"][number] ? never : N]: F[N] } =>
  whereOf(fields, ({ shown }) => !shown.includes(audience));

/** The fields that are marked as `cleaned`, `cut` or `own`. */
export const selectFieldDefinitionsMarkedAs = <F extends FieldDefinitions, M extends "cleaned" | "cut" | "own">(
  fields: F,
  mark: M,
): Where<F, Record<M, true>> => whereOf(fields, (field) => field[mark] === true);

type Places<F, List extends "plain" | "own"> = F extends { drawn: { [L in List]: readonly (infer P)[] } } ? P : never;

/** The fields that a page draws by their kind. */
export const selectFieldsDrawnByKind = <F extends FieldDefinitions, P extends FieldDisplayPageKind>(
  fields: F,
  place: P,
): { [N in keyof F as P extends Places<F[N], "plain"> ? N : never]: F[N] } =>
  whereOf(fields, ({ drawn }) => drawn?.plain?.includes(place) ?? false);

/** All fields that a page draws. */
export const selectFieldsDrawnOn = <F extends FieldDefinitions, P extends FieldDisplayPageKind>(
  fields: F,
  place: P,
): { [N in keyof F as P extends Places<F[N], "plain"> | Places<F[N], "own"> ? N : never]: F[N] } =>
  whereOf(fields, ({ drawn }) => [...(drawn?.plain ?? []), ...(drawn?.own ?? [])].includes(place));

/** Returns the labels of the fields, by name. */
export const getFieldLabels = <F extends FieldDefinitions>(fields: F): Record<keyof F & string, string> =>
  mapFields(fields, ({ drawn }) => drawn?.label);

/** Properties of the entity, but for references. */
export const createEntityProperties = <F extends FieldDefinitions>(
  fields: F,
): {
  [N in keyof F as ReturnType<F[N]["property"]> extends undefined ? never : N]: ReturnType<F[N]["property"]>;
} =>
  mapFields(
    whereOf(fields, (field) => field.property() !== undefined),
    (field) => field.property(),
  );

type ColumnsOf<F extends FieldDefinitions> = { [N in keyof F]: F[N]["sql"] };

/** Columns of a statement, and its parameters where it writes them. */
export const getFieldSqlTypes = <F extends FieldDefinitions>(fields: F): ColumnsOf<F> =>
  mapFields(fields, ({ sql }) => sql);

/** The values of a row. */
export type FieldValuesOf<F extends FieldDefinitions> = SqlValuesOf<ColumnsOf<F>>;

type Given<F extends FieldDefinition> = F extends { accepts: infer I extends z.ZodType }
  ? F extends { required: true }
    ? I
    : Optional<F, I>
  : never;
type Optional<F extends FieldDefinition, I extends z.ZodType> = F extends { blank: null }
  ? z.ZodOptional<z.ZodNullable<I>>
  : z.ZodOptional<I>;

type Accepted<F extends FieldDefinitions> = Where<F, { accepts: z.ZodType }>;

const describe = (schema: z.ZodType, about: string | undefined) =>
  about === undefined ? schema : schema.describe(about);

function toInputSchema({ accepts, required, blank, about, absent }: FieldDefinition, isChange: boolean): z.ZodType {
  const one = assertDefined(accepts, "only accepted fields are parsed");
  const schema = blank === null ? one.nullable() : one;
  const text = isChange || absent === undefined ? about : `${about} Default: ${absent}.`;
  return describe(required && !isChange ? schema : schema.optional(), text);
}

/** The arguments that make a row. Null is accepted where the field may be empty, absent where it is not required. */
export const createInsertArgumentSchemas = <F extends FieldDefinitions>(
  fields: F,
): { [N in keyof Accepted<F>]: Given<Accepted<F>[N]> } =>
  mapFields(
    whereOf(fields, ({ accepts }) => accepts !== undefined),
    (field) => toInputSchema(field, false),
  );

/** The arguments that change a row: absent stays, null empties (rules#patch). */
export const createChangeSchemas = <F extends FieldDefinitions>(
  fields: F,
): {
  [N in keyof Accepted<F>]: Accepted<F>[N] extends { accepts: infer I extends z.ZodType }
    ? Optional<Accepted<F>[N], I>
    : never;
} =>
  mapFields(
    whereOf(fields, ({ accepts }) => accepts !== undefined),
    (field) => toInputSchema(field, true),
  );

type AnswersOf<F extends FieldDefinitions> = { [N in keyof F]: F[N]["shows"] };

/** Returns the response schemas of these fields. */
export const createResponseSchemas = <F extends FieldDefinitions>(fields: F): AnswersOf<F> =>
  mapFields(fields, ({ shows }) => shows);

type Blank<F extends FieldDefinitions> = { [N in keyof Where<F, { blank: unknown }>]: FieldValuesOf<F>[N & keyof F] };

/** Returns the default values of the fields. */
export const getBlankValues = <F extends FieldDefinitions>(fields: F): Blank<F> =>
  mapFields(
    whereOf(fields, (field) => "blank" in field),
    ({ blank }) => blank,
  );

/** The fields of a row that have another form in answers, in that form. */
export function createConvertedFieldsFormatter<F extends FieldDefinitions>(
  fields: F,
): (record: Readonly<Record<string, unknown>>) => Record<string, string | null> {
  const forms = Object.entries(fields).flatMap(([name, { show }]) => (show ? [[name, show] as const] : []));
  return (record) => {
    const shown: Record<string, string | null> = {};
    for (const [name, show] of forms) {
      const value = record[name] as string | null;
      shown[name] = value === null ? null : show(value);
    }
    return shown;
  };
}

/** Formats the fields of a row for responses. An empty property of an entity may be undefined. */
export function formatResponseFields<F extends FieldDefinitions>(
  fields: F,
  row: { [N in keyof FieldValuesOf<F>]?: FieldValuesOf<F>[N] | undefined },
): z.output<z.ZodObject<AnswersOf<F>>> {
  const values = Object.fromEntries(getFieldNames(fields).map((name) => [name, row[name] ?? null]));
  return { ...values, ...createConvertedFieldsFormatter(fields)(values) } as never;
}
