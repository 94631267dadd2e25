// What feeds tell of a channel and of its alerts, whatever they are written in.

import type { FeedAlert, FeedChannel } from "../../store/queries/feeds.ts";

/** A channel as its feeds tell of it. */
export interface ToldChannel extends Pick<FeedChannel, "name" | "description" | "image_url"> {
  page: string;
  /** The feed itself. */
  self: string;
  /** When something of it changed last: RFC 3339. */
  updated: string;
}

/** An alert as feeds tell of it. */
export interface ToldAlert extends Omit<FeedAlert, "sent_at" | "expires_at"> {
  /** For ever the same. */
  id: string;
  /** RFC 3339. */
  sent: string;
  expires: string | null;
  image: string | null;
  /** Where there is no page of its own, the channel's. */
  page: string;
}

export interface FeedFormat {
  /** The last part of its path. */
  file: string;
  type: string;
  entry(alert: ToldAlert): string;
  whole(channel: ToldChannel, entries: readonly string[]): string;
}
