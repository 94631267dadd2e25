// An alert in few words, for readers who pay by the word: long texts are cut and markup is left out, and a length tells
// what is missing. What `view` chooses on lists of alerts and on the answers of what writes them.

import { z } from "zod";
import { codePoints } from "../../model/fields/accepts.ts";
import { ALERT, type AlertFields } from "../../model/fields/alert.ts";
import { named } from "../../model/fields/named.ts";
import { marked, namesOf } from "../../model/fields/record.ts";
import { alertList, composedView, decidedView, publishedView } from "./alert.ts";
import { cut } from "./cut.ts";

export const view = z
  .enum(["full", "brief"])
  .optional()
  .describe("brief (MCP's default) cuts long texts, without markup.");

/** The fields that are cut, and their lengths beside them. */
const CUT = namesOf(marked(ALERT, "cut"));

const lengths = Object.fromEntries(
  CUT.map((name) => [
    `${name}_length`,
    z.int().describe(`Characters of ${name}; more than are shown means that it is cut.`),
  ]),
);

type Texts = Pick<AlertFields, (typeof CUT)[number]>;

function briefAlert({ html: _, asset_html: __, ...alert }: Texts & { html?: unknown; asset_html?: unknown }) {
  const brief: Record<string, unknown> = { ...alert };
  for (const name of CUT) {
    brief[name] = alert[name] === null ? null : cut(alert[name]);
    brief[`${name}_length`] = codePoints(alert[name] ?? "");
  }
  return brief;
}

const briefOf = (name: string, whole: z.ZodObject) => ({
  output: named(name, whole.omit({ html: true, asset_html: true }).extend(lengths)),
  of: (alert: unknown) => briefAlert(alert as Texts),
});

export const composedBrief = briefOf("ComposedAlertBrief", composedView);
export const decidedBrief = briefOf("DecidedAlertBrief", decidedView);
export const publishedBrief = briefOf("PublishedAlertBrief", publishedView);

const listed = named("AlertSummaryBrief", alertList.shape.data.element.extend(lengths));

export const alertListBrief = {
  output: alertList.extend({ data: z.array(listed) }),
  of: (page: unknown) => {
    const { data, ...rest } = page as { data: Texts[] };
    return { ...rest, data: data.map(briefAlert) };
  },
};

/** Of one alert that was asked for by name: whole where it fits, else like this. */
export const alertBrief = (whole: z.ZodObject) => briefOf("AlertBrief", whole);
