// The fields that handsets are shown, as a module of the web app. The app runs in browsers and cannot read
// src/model/fields itself. The module has their types, their defaults, and the fields that the app draws by their kind.

import { z } from "zod";
import { ALERT_FIELDS } from "../src/model/fields/alert.ts";
import { CHANNEL_FIELDS } from "../src/model/fields/channel.ts";
import {
  type FieldDefinition,
  type FieldDefinitions,
  selectFieldsDrawnByKind,
  selectFieldsShownTo,
} from "../src/model/fields/field_table.ts";

export const APP_FIELDS = "src/pages/web_app/browser/generated_fields.ts";

const TYPES: Partial<Record<FieldDefinition["look"], string>> = { number: "number", yes: "boolean", lines: "string[]" };

function typeOf({ look, shows, sql }: FieldDefinition): string {
  if (shows instanceof z.ZodArray && shows.element instanceof z.ZodObject)
    return `{ ${Object.entries(shows.element.shape)
      .map(([name, of]) => (of instanceof z.ZodOptional ? `${name}?: string[]` : `${name}: string`))
      .join("; ")} }[]`;
  return `${TYPES[look] ?? "string"}${sql.nullable ? " | null" : ""}`;
}

const block = (head: string, lines: readonly string[], end: string) =>
  lines.length === 0 ? `${head}${end}` : `${head}\n${lines.map((line) => `  ${line}\n`).join("")}${end}`;

function noun(name: "Alert" | "Channel", all: FieldDefinitions): string {
  const [fields, upper] = [Object.entries(selectFieldsShownTo(all, "handset")), name.toUpperCase()];
  const types = fields.map(([field, kind]) => `${field}: ${typeOf(kind)};`);
  const blanks = fields
    .filter(([, { blank }]) => blank !== undefined)
    .map(([field, { blank }]) => `${field}: ${JSON.stringify(blank)},`);
  const drawn: FieldDefinitions = selectFieldsDrawnByKind(all, "app");
  const plain = Object.entries(drawn).map(([field, { look }]) => `{ name: "${field}", look: "${look}" },`);
  return [
    block(`export interface Handset${name}Fields {`, types, "}"),
    `/** Their default values. */\n${block(`export const ${upper}_FIELD_DEFAULTS = {`, blanks, "};")}`,
    "/** Fields that the app draws alike. */\n" +
      block(`export const GENERICALLY_SHOWN_${upper}_FIELDS = [`, plain, "] as const;"),
  ].join("\n\n");
}

export const renderAppFieldsFile = (): string => `// Fields of alerts and channels that handsets show.
// Generated from src/model/fields by \`npm run gen\`.

${noun("Alert", ALERT_FIELDS)}

${noun("Channel", CHANNEL_FIELDS)}
`;
