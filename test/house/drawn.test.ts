// A field goes on to the pages: what somebody is shown is drawn somewhere, where its record says that it is. That every field which an
// operation takes has a control, people/compose.test.ts, people/channels.test.ts and the tests of the other forms hold.

import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { appFields } from "../../scripts/app_fields.ts";
import { ALERT } from "../../src/model/fields/alert.ts";
import { DEVICE } from "../../src/model/fields/device.ts";
import { INVITE, PUSHER } from "../../src/model/fields/pusher.ts";
import type { Audience, Field, Fields, Place } from "../../src/model/fields/record.ts";
import { WEBHOOK } from "../../src/model/fields/webhook.ts";
import { JSON_FEED } from "../../src/pages/public_pages/feed.ts";
import { plainFacts } from "../../src/ui/field_facts.ts";

const NOUNS: Record<string, Fields> = {
  alert: ALERT,
  pusher: PUSHER,
  invite: INVITE,
  webhook: WEBHOOK,
  device: DEVICE,
};

const ALL = Object.entries(NOUNS).flatMap(([noun, fields]) =>
  Object.entries(fields).map(([name, field]) => ({ at: `${noun}.${name}`, name, field })),
);
const placesOf = ({ drawn }: Field): Place[] => [...(drawn?.own ?? []), ...(drawn?.plain ?? [])];

/** Whose pages they are: what stands there was shown to them. */
const SEEN_BY: Record<Place, readonly Audience[]> = {
  form: ["owner", "list"],
  owner: ["owner", "list"],
  public: ["handset"],
  feed: ["handset"],
  app: ["handset"],
};

/** Where the code of a page stands. */
const CODE: Record<Place, string[]> = {
  form: ["src/pages/console/**/*.ts"],
  owner: ["src/pages/console/**/*.ts", "src/ui/*.ts"],
  public: ["src/pages/public_pages/*.ts", "src/ui/*.ts"],
  feed: ["src/pages/public_pages/feed*.ts"],
  app: ["src/pages/web_app/browser/!(fields).ts", "src/pages/web_app/browser/*/*.ts"],
};
const wordsOf = (place: Place) =>
  new Set(globSync(CODE[place]).flatMap((file) => readFileSync(file, "utf8").match(/\w+/g) ?? []));

describe("where fields are drawn", () => {
  test("what somebody is shown is drawn on a page, or its name stands here", () => {
    const nowhere = ALL.filter(({ field }) => field.shown.length > 0 && placesOf(field).length === 0);
    expect(nowhere.map(({ at }) => at)).toEqual([]);
  });

  test("what a caller gives is in the form", () => {
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

  test.each(Object.keys(CODE) as Place[])("what %s draws in its own way stands there by its name", (place) => {
    const words = wordsOf(place);
    const unknown = ALL.filter(({ name, field }) => field.drawn?.own?.includes(place) && !words.has(name));
    expect(unknown.map(({ at }) => at)).toEqual([]);
  });

  test("what is drawn by its kind appears where its record says", () => {
    const plainAt = (fields: Fields, place: Place) =>
      Object.entries(fields).flatMap(([name, { drawn }]) => (drawn?.plain?.includes(place) ? [name] : []));
    const row = (fields: Fields) => Object.fromEntries(Object.keys(fields).map((name) => [name, `x-${name}`]));
    for (const fields of Object.values(NOUNS))
      for (const place of ["owner", "public"] as const)
        expect(plainFacts(fields, place, row(fields)).map(({ words }) => words)).toEqual(
          plainAt(fields, place).map((name) => `x-${name}`),
        );
    const entry = JSON_FEED.entry({ ...row(ALERT), actions: [] } as never);
    for (const name of plainAt(ALERT, "feed")) expect(entry).toContain(`x-${name}`);
    for (const name of [...plainAt(ALERT, "app"), ...plainAt(PUSHER, "app")])
      expect(appFields()).toContain(`{ name: "${name}", look:`);
  });
});
