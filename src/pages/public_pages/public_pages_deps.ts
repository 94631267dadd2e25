// The dependencies of the public pages. They use no session, cookie or credential: their content is public.

import type { H3Event } from "h3";
import type { Kysely } from "kysely";
import type { AssetUrlResolver } from "../../model/domain/asset_rules.ts";
import type { Log } from "../../store/handler_context.ts";
import type { RateLimiter } from "../../store/rate_limits/rate_limits.ts";

export interface PublicPagesDeps {
  db: Kysely<unknown>;
  /** Writes down as sent what came due in these channels; false when that failed. */
  publishDue(channels: string[]): Promise<boolean>;
  assets: AssetUrlResolver;
  limits: Pick<RateLimiter, "take">;
  /** The number of pages that one address may request in a minute. */
  pageViewsPerMinute: number;
  publicUrl: string;
  channelBaseUrl: string;
  /**
   * The reason why browsers receive no push notifications: the server does not send them, or its address is not https.
   * Null: browsers receive them.
   */
  silent: "off" | "insecure" | null;
  now(): Date;
}

/** The app's context of a request. */
export interface HttpRequestLogAndLimitKey {
  getRequestLog(event: H3Event): Log;
  /** The client key for limits per address; null for this machine, which is exempt. */
  getLimitKey(event: H3Event): string | null;
}

/** The addresses of the pages and of their links, as they are written into pages. */
export interface PublicPageBaseUrls {
  publicUrl: string;
  channelBaseUrl: string;
  /** The path of CHANNEL_BASE_URL, without a slash at its end: a channel's page is this, a slash and its handle. */
  base: string;
  /** The path of the directory. "c" is not a valid handle, so it is free if channels are at the root. */
  directory: string;
  directoryUrl: string;
  /** The prefix of a path of the service: empty if pages have its origin. */
  origin: string;
}

export function derivePublicPageBaseUrls({
  publicUrl,
  channelBaseUrl,
}: Pick<PublicPageBaseUrls, "publicUrl" | "channelBaseUrl">): PublicPageBaseUrls {
  const { pathname, origin } = new URL(channelBaseUrl);
  const base = pathname.replace(/\/+$/, "");
  return {
    publicUrl,
    channelBaseUrl,
    base,
    directory: base || "/c",
    directoryUrl: origin + (base || "/c"),
    origin: origin === new URL(publicUrl).origin ? "" : publicUrl,
  };
}
