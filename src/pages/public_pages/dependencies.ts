// What the public pages stand on. No session, no cookie, no credential: what they show, anybody may see.

import type { H3Event } from "h3";
import type { Kysely } from "kysely";
import type { AssetAddresses } from "../../model/domain/asset_rules.ts";
import type { Log } from "../../store/handler_context.ts";
import type { RateLimits } from "../../store/rate_limits/rate_limits.ts";

export interface PublicPagesDeps {
  db: Kysely<unknown>;
  /** Writes down as sent what came due in these channels; false when that failed. */
  settle(channels: string[]): Promise<boolean>;
  assets: AssetAddresses;
  limits: Pick<RateLimits, "take">;
  /** How many pages one address may ask for in a minute. */
  pageViewsPerMinute: number;
  publicUrl: string;
  channelBaseUrl: string;
  /**
   * Why no browser is woken while the app is closed: this server does not, or its address is no https one. Null:
   * browsers are.
   */
  silent: "off" | "insecure" | null;
  now(): Date;
}

/** What the app knows of a request. */
export interface PageSupport {
  logOf(event: H3Event): Log;
  /** What limits per address count; null for this machine, which is exempt. */
  countedOf(event: H3Event): string | null;
}

/** Where the pages lie and what they lead to, as they are written into pages. */
export interface SiteUrls {
  publicUrl: string;
  channelBaseUrl: string;
  /** The path of CHANNEL_BASE_URL, without a slash at its end: a channel's page is this, a slash and its handle. */
  base: string;
  /** The path of the directory. "c" is no handle, so it is free where channels lie at the root. */
  directory: string;
  directoryUrl: string;
  /** What goes before a path of the service: nothing where pages have its origin. */
  origin: string;
}

export function getSiteUrls({ publicUrl, channelBaseUrl }: Pick<SiteUrls, "publicUrl" | "channelBaseUrl">): SiteUrls {
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
