// A result over MCP with its omitted fields restored from the declared shape alone (rules#lean-rows). A test that
// compares both transports thus shows that nothing is lost.

import { z } from "zod";
import { hasViewArgument, type OwnerOperation } from "../../src/operation/define_operation.ts";

/** The one value that the field may leave out; undefined where it leaves none out. */
const leftOut = (field: z.ZodType): unknown => {
  const { default: usual = null } = field.meta() ?? {};
  // A default that is something, such as true or "normal", is never left out.
  if (usual || field.safeParse(undefined).success) return undefined;
  return [null, [], "", false, 0].find((value) => field.safeParse(value).success);
};

function restoredBy(schema: z.ZodType, value: any): any {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return restoredBy(schema.unwrap() as z.ZodType, value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((row) => restoredBy(schema.element as z.ZodType, row));
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return value;
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const shown = Object.hasOwn(value, name) ? restoredBy(field, value[name]) : leftOut(field);
    return [name, shown];
  });
  const declared = Object.fromEntries(fields.filter(([, shown]) => shown !== undefined));
  return { ...declared, ...Object.fromEntries(Object.entries(value).filter(([name]) => !(name in declared))) };
}

/** The structured content of a result as REST would have answered it. */
export function addOmittedDefaults(tool: OwnerOperation, view: unknown, body: any): any {
  const asked = view ?? (hasViewArgument(tool) ? "brief" : undefined);
  // Rows of these views are another shape (test/transports/alert_list_views.test.ts).
  if ((asked === "brief" && tool.brief?.row) || asked === "titles") return body;
  if (asked === "full") return body;
  const isList = Array.isArray(body?.data);
  if (!isList && asked !== "brief") return body;
  const { left_out, ...shown } = body;
  const told = (schema: z.ZodType) =>
    isList ? { ...shown, data: restoredBy((schema as z.ZodObject).shape.data, shown.data) } : restoredBy(schema, shown);
  const shapes = asked === "brief" ? [tool.brief!.output] : [tool.output, tool.brief?.output];
  const whole = shapes.flatMap((schema) => (schema ? [told(schema)] : []));
  const right = whole.find((one, i) => shapes[i]!.safeParse(one).success) ?? whole[0];
  return { ...right, ...(left_out ? { left_out } : {}) };
}
