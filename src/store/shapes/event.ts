// An event of the feed on the wire: what a webhook's body says, and its id. A place in the feed is a text that says nothing to
// the client: where it is, and when it was given, so that one that outlived the events after it is known.

import { z } from "zod";
import { showId } from "../../model/domain/ids.ts";
import { ALERT } from "../../model/fields/alert.ts";
import { choicesView } from "../../model/fields/alert_action.ts";
import { named } from "../../model/fields/named.ts";
import { answersOf, shownTo } from "../../model/fields/record.ts";
import { EVENTS } from "../../model/fields/webhook.ts";
import { forBoth } from "../../model/for_people.ts";
import { need } from "../../model/need.ts";
import type { EventRecord } from "../queries/events.ts";

const PLACE = forBoth(
  "must be next_after of an earlier answer",
  "is no place in this list; begin at its start",
);

export const eventView = named(
  "FeedEvent",
  z.object({
    id: z.string().describe("What webhooks get as X-Webhook-Event-Id."),
    event: z.enum(EVENTS),
    created_at: z.string(),
    data: z
      .object({
        pusher_id: z.string(),
        alert_id: z.string().optional(),
        ...z.object(answersOf(shownTo(ALERT, "webhook"))).partial().shape,
        status: z.string().optional(),
        sent_at: z.string().nullable().optional(),
        count: z
          .int()
          .optional()
          .describe("Of subscribers, acknowledgements and replies: how many there were then."),
        delta: z
          .int()
          .optional()
          .describe("And how many more than were told before; of those who left below zero."),
        choices: choicesView.optional().describe("Of replies: how often each was chosen then."),
      })
      .describe("As in the webhook's body."),
  }),
);

export function showEvent({ id, body }: EventRecord): z.infer<typeof eventView> {
  return { id: showId("evt", id), ...JSON.parse(body) };
}

/** A place in the feed: after so many, as of an instant in milliseconds. */
export interface FeedPlace {
  position: string;
  at: number;
}

export const showFeedPlace = ({ position, at }: FeedPlace): string =>
  Buffer.from(`${position}.${at}`).toString("base64url");

/** Null for a text that is no place. */
function readFeedPlace(value: string): FeedPlace | null {
  const [, position, at] = /^(\d{1,18})\.(\d{1,15})$/.exec(Buffer.from(value, "base64url").toString()) ?? [];
  return position === undefined ? null : { position, at: Number(at) };
}

export const feedPlace = () =>
  z
    .string()
    .max(64, PLACE)
    .refine((value) => readFeedPlace(value) !== null, PLACE)
    .transform((value) => need(readFeedPlace(value), "it was refused above"));
