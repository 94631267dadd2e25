// Notes for fields of an alert that have no effect as they are: nothing is refused for them, and nothing would report
// them otherwise (rules#effect-notes).

import { ApiError } from "../api_error.ts";
import { toIsoMicros } from "../fields/sql_statement_types.ts";
import { LIMITS } from "../limits.ts";
import type { MissingPermissionNote } from "./channel_capabilities_and_defaults.ts";
import { findNextOccurrences } from "./occurrences.ts";

/** In place of a capability, where a note is about none. */
const NOTE_CAPABILITY_NONE = "none";

export type IneffectiveFieldNote = Omit<MissingPermissionNote, "capability"> & {
  capability: MissingPermissionNote["capability"] | typeof NOTE_CAPABILITY_NONE;
};

interface Effects {
  status: string;
  priority: string;
  requires_ack: boolean;
  repeat_until_acked: boolean;
  layout: string;
  html?: string | null;
  asset_html?: string | null;
  recurrence: string | null;
  send_at: string | null;
  tts_text: string | null;
  tts_lang: string | null;
}

/** Attributes and inline styles with which an element is not seen. Scripts of a document do not run, so it stays so. */
const HIDDEN = [
  /<[a-z][^<>]{0,400}?\shidden(?=[\s=>/])/i,
  new RegExp(
    String.raw`\bstyle\s*=\s*["']?[^"'<>]{0,400}?(?:${[
      String.raw`display\s{0,9}:\s{0,9}none`,
      String.raw`visibility\s{0,9}:\s{0,9}hidden`,
      String.raw`(?:opacity|font-size)\s{0,9}:\s{0,9}0(?![.\d])`,
      String.raw`(?<![-\w])(?:left|right|top|bottom|text-indent)\s{0,9}:\s{0,9}-\d{3}`,
    ].join("|")})`,
    "i",
  ),
];

const isHiding = (html: string | null | undefined): boolean =>
  typeof html === "string" && HIDDEN.some((form) => form.test(html));

/** Why the recurrence of a draft has no effect; null where it names times to come. */
function uselessRecurrence({ recurrence, send_at }: Effects, now: number): string | null {
  if (recurrence === null) return null;
  try {
    findNextOccurrences(recurrence, {
      sendAt: send_at === null ? now : Date.parse(toIsoMicros(send_at)),
      now,
      most: LIMITS.occurrences_ahead,
    });
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `This draft cannot be scheduled: ${error.message}`;
  }
}

/** `now` in ms. */
export function getIneffectiveFieldNotes(alert: Effects, now: number): IneffectiveFieldNote[] {
  const missing = [alert.priority !== "urgent" && "priority urgent", !alert.requires_ack && "requires_ack true"].filter(
    (each) => each !== false,
  );
  const notes: Record<string, string | false | null> = {
    repeat_until_acked:
      alert.repeat_until_acked &&
      missing.length > 0 &&
      `repeat_until_acked has no effect without ${missing.join(" and ")}.`,
    html:
      alert.layout === "document" &&
      (isHiding(alert.html) || isHiding(alert.asset_html)) &&
      "The document has hidden elements. Scripts do not run, so they cannot reveal these elements. " +
        "Make them visible or remove them.",
    recurrence: alert.status === "draft" && uselessRecurrence(alert, now),
    tts_lang: alert.tts_lang !== null && alert.tts_text === null && "tts_lang has no effect without tts_text.",
  };
  return Object.entries(notes).flatMap(([field, message]) =>
    message ? [{ capability: NOTE_CAPABILITY_NONE, field, message }] : [],
  );
}
