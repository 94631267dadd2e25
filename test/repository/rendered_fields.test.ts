// Fields reach the pages: each field is drawn on the pages that its record names. The tests of the forms, such as
// console/compose.test.ts and console/channels.test.ts, check that every field of an operation has a control.

import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { renderAppFieldsFile } from "../../scripts/app_fields.ts";
import { ALERT_FIELDS } from "../../src/model/fields/alert.ts";
import { CHANNEL_FIELDS, CHANNEL_INVITE_FIELDS } from "../../src/model/fields/channel.ts";
import { DEVICE_FIELDS } from "../../src/model/fields/device.ts";
import type {
  FieldAudience,
  FieldDefinition,
  FieldDefinitions,
  FieldDisplayPageKind,
} from "../../src/model/fields/field_table.ts";
import { WEBHOOK_FIELDS } from "../../src/model/fields/webhook.ts";
import { JSON_FEED } from "../../src/pages/public_pages/feed.ts";
import { listFieldFacts } from "../../src/ui/field_display_texts.ts";

const NOUNS: Record<string, FieldDefinitions> = {
  alert: ALERT_FIELDS,
  pusher: CHANNEL_FIELDS,
  invite: CHANNEL_INVITE_FIELDS,
  webhook: WEBHOOK_FIELDS,
  device: DEVICE_FIELDS,
};

const ALL = Object.entries(NOUNS).flatMap(([noun, fields]) =>
  Object.entries(fields).map(([name, field]) => ({ at: `${noun}.${name}`, name, field })),
);
const placesOf = ({ drawn }: FieldDefinition): FieldDisplayPageKind[] => [
  ...(drawn?.own ?? []),
  ...(drawn?.plain ?? []),
];

/** The viewers of each page: its content was shown to them. */
const SEEN_BY: Record<FieldDisplayPageKind, readonly FieldAudience[]> = {
  form: ["owner", "list"],
  owner: ["owner", "list"],
  public: ["handset"],
  feed: ["handset"],
  app: ["handset"],
};

/** The folders of the pages' code. */
const CODE: Record<FieldDisplayPageKind, string[]> = {
  form: ["src/pages/console/**/*.ts"],
  owner: ["src/pages/console/**/*.ts", "src/ui/*.ts"],
  public: ["src/pages/public_pages/*.ts", "src/ui/*.ts"],
  feed: ["src/pages/public_pages/feed*.ts"],
  app: ["src/pages/web_app/browser/!(fields).ts", "src/pages/web_app/browser/*/*.ts"],
};
const wordsOf = (place: FieldDisplayPageKind) =>
  new Set(globSync(CODE[place]).flatMap((file) => readFileSync(file, "utf8").match(/\w+/g) ?? []));

describe("where fields are drawn", () => {
  test("every shown field is drawn on a page, or listed here", () => {
    const nowhere = ALL.filter(({ field }) => field.shown.length > 0 && placesOf(field).length === 0);
    expect(nowhere.map(({ at }) => at)).toEqual([]);
  });

  test("a caller's field is in the form", () => {
    const missing = ALL.filter(
      ({ at, field }) => !at.startsWith("device.") && field.accepts && !placesOf(field).includes("form"),
    );
    expect(missing.map(({ at }) => at)).toEqual([]);
  });

  test("no page draws what its readers are not shown, and none draws a field twice", () => {
    const wrong = ALL.flatMap(({ at, field }) =>
      placesOf(field)
        .filter(
          (place, i, all) => all.indexOf(place) !== i || !SEEN_BY[place].some((reader) => field.shown.includes(reader)),
        )
        .map((place) => `${at} on ${place}`),
    );
    expect(wrong).toEqual([]);
  });

  test.each(Object.keys(CODE) as FieldDisplayPageKind[])(
    "fields that %s draws in its own format are named there",
    (place) => {
      const words = wordsOf(place);
      const unknown = ALL.filter(({ name, field }) => field.drawn?.own?.includes(place) && !words.has(name));
      expect(unknown.map(({ at }) => at)).toEqual([]);
    },
  );

  test("fields that are drawn by their kind appear where their record requires", () => {
    const plainAt = (fields: FieldDefinitions, place: FieldDisplayPageKind) =>
      Object.entries(fields).flatMap(([name, { drawn }]) => (drawn?.plain?.includes(place) ? [name] : []));
    const row = (fields: FieldDefinitions) =>
      Object.fromEntries(Object.keys(fields).map((name) => [name, `x-${name}`]));
    for (const fields of Object.values(NOUNS))
      for (const place of ["owner", "public"] as const)
        expect(listFieldFacts(fields, place, row(fields)).map(({ words }) => words)).toEqual(
          plainAt(fields, place).map((name) => `x-${name}`),
        );
    const entry = JSON_FEED.entry({ ...row(ALERT_FIELDS), actions: [] } as never);
    for (const name of plainAt(ALERT_FIELDS, "feed")) expect(entry).toContain(`x-${name}`);
    for (const name of [...plainAt(ALERT_FIELDS, "app"), ...plainAt(CHANNEL_FIELDS, "app")])
      expect(renderAppFieldsFile()).toContain(`{ name: "${name}", look:`);
  });
});
