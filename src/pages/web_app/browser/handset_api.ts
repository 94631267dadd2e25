// The handset API over fetch: which requests there are, with which credential, and how a refusal or a silence looks
// to the app.

import { LIMITS } from "../../../model/limits.ts";
import type {
  ApiErrorBody,
  ApiPage,
  ChannelCard,
  FetchedInboxAlert,
  ReportKind,
  SubscriptionState,
} from "./api_types.ts";
import { fillInboxAlertDefaults } from "./field_defaults.ts";

/** The service refused the request. */
export class ServiceRefusedError extends Error {
  readonly status: number;
  /** Seconds that the service requires to wait. */
  readonly retryAfter: number;
  constructor(status: number, message: string, retryAfter: number) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** The response is missing: no network, no server, or a response that is not from this API. */
export class ServiceUnreachableError extends Error {}

/** The time limit of an ordinary response, and the extra time of a long poll beyond its requested wait. */
const PATIENCE_MS = 20_000;

interface Call {
  method?: string;
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  patience?: number;
}

/** The app stores each response itself; the browser's cache would only store it twice. */
const request = (path: string, how: RequestInit) =>
  fetch(`/handset/v1${path}`, { cache: "no-store", credentials: "omit", redirect: "error", ...how });

async function call(path: string, { method = "GET", token, body, headers, signal, patience }: Call) {
  const limit = AbortSignal.timeout(patience ?? PATIENCE_MS);
  try {
    return await request(path, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
  } catch {
    signal?.throwIfAborted();
    throw new ServiceUnreachableError();
  }
}

async function jsonOf<Body>(response: Response): Promise<Body> {
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body as Body;
  const refusal = body as ApiErrorBody | null;
  if (typeof refusal?.error?.message !== "string" || response.status >= 500) throw new ServiceUnreachableError();
  throw new ServiceRefusedError(
    response.status,
    refusal.error.message,
    Number(response.headers.get("retry-after")) || 0,
  );
}

async function ask<Body>(path: string, how: Call): Promise<Body> {
  return jsonOf<Body>(await call(path, how));
}

async function tell(path: string, how: Call): Promise<void> {
  const response = await call(path, how);
  if (!response.ok) await jsonOf(response);
}

const within = (path: string, query: Record<string, string | null | undefined>) => {
  const said = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return said.length === 0 ? path : `${path}?${new URLSearchParams(said)}`;
};

interface DeviceRegistrationFacts {
  platform: "web";
  app_version: string;
  locale: string;
  timezone: string;
}

export const registerDeviceOnServer = (facts: DeviceRegistrationFacts) =>
  ask<{ id: string; token: string }>("/devices", { method: "POST", body: facts });

export const fetchChannelCard = (token: string, handle: string, invite?: string | null) =>
  ask<ChannelCard>(within(`/channels/${encodeURIComponent(handle)}`, { invite }), { token });

export const findChannels = (
  token: string,
  query: { q?: string; category?: string; before?: string | null },
  signal?: AbortSignal,
) => ask<ApiPage<ChannelCard>>(within("/channels", { ...query, limit: "30" }), { token, ...(signal && { signal }) });

export const putSubscription = (
  token: string,
  handle: string,
  change: { invite?: string; muted?: boolean; permissions?: string[] },
) => ask<SubscriptionState>(`/subscriptions/${encodeURIComponent(handle)}`, { method: "PUT", token, body: change });

export const deleteSubscriptionOnServer = (token: string, handle: string) =>
  tell(`/subscriptions/${encodeURIComponent(handle)}`, { method: "DELETE", token });

/** An alert with its whole text. */
export const fetchAlert = (token: string, id: string) =>
  ask<FetchedInboxAlert>(`/alerts/${encodeURIComponent(id)}`, { token });

export const sendReports = (token: string, reports: { alert_id: string; kind: ReportKind }[]) =>
  ask<{ accepted: number }>("/reports", { method: "POST", token, body: { reports } });

export const deleteReportsBefore = (token: string, before: string) =>
  tell(within("/reports", { before }), { method: "DELETE", token });

export const listSubscriptions = (token: string, before: string | null) =>
  ask<ApiPage<ChannelCard>>(within("/subscriptions", { before, limit: `${LIMITS.page}` }), { token });

/** The followed channels, as a file contains them. */
export interface SubscriptionExport {
  version: number;
  data: { handle: string; muted: boolean; permissions: string[] }[];
}

export const fetchSubscriptionExportPage = (token: string, before: string | null) =>
  ask<SubscriptionExport & ApiPage<unknown>>(within("/devices/me/export", { before }), { token });

export const importSubscriptions = (token: string, body: SubscriptionExport) =>
  ask<{ joined: number; present: number; skipped: string[] }>("/devices/me/import", { method: "POST", token, body });

export const createSubscriptionTransfer = (token: string) =>
  ask<{ url: string; expires_at: string }>("/devices/me/transfer", { method: "POST", token, body: {} });

export const takeOverSubscriptionsOnServer = (token: string, code: string) =>
  ask<{ moved: number }>("/devices/me/takeover", { method: "POST", token, body: { code } });

/** The owner of the device; null without one. */
interface Owner {
  name: string | null;
}

const OWNER = "/devices/me/owner";
export const fetchDeviceOwner = (token: string) => ask<Owner>(OWNER, { token });
export const linkDeviceOwner = (token: string, code: string) =>
  ask<Owner>(OWNER, { method: "PUT", token, body: { code } });
export const unlinkDeviceOwner = (token: string) => tell(OWNER, { method: "DELETE", token });

export const deleteDeviceOnServer = (token: string) => tell("/devices/me", { method: "DELETE", token });

export const getPushConfiguration = (token: string) =>
  ask<{ enabled: boolean; public_key: string | null; kind: string | null }>("/push", { token });

export const putWebPushEndpoint = (token: string, endpoint: string) =>
  tell("/devices/me/push", { method: "PUT", token, body: { endpoint, kind: "web_push" } });

export const deleteWebPushEndpoint = (token: string) => tell("/devices/me/push", { method: "DELETE", token });

export interface PollResponse {
  /** Null: nothing changed since the validator. */
  page: ApiPage<FetchedInboxAlert> | null;
  etag: string | null;
  /** Set if the service delayed the poll, so that the next one may follow at once. */
  held: boolean;
  /** Seconds that the service requires between polls without a delay; null: not given. */
  again: number | null;
}

/** The wait that a poll requests, and the extra time before it is aborted. */
const HOLD_SECONDS = 50;
const HOLD_PATIENCE_MS = 65_000;

/** The newest page, if it differs from `etag`; `hold` waits until it does. */
export async function fetchInboxIfChanged(
  token: string,
  etag: string | null,
  hold: boolean,
  signal: AbortSignal,
): Promise<PollResponse> {
  const response = await call("/inbox?limit=50&view=lean", {
    token,
    headers: { ...(etag ? { "if-none-match": etag } : {}), ...(hold ? { prefer: `wait=${HOLD_SECONDS}` } : {}) },
    signal,
    ...(hold ? { patience: HOLD_PATIENCE_MS } : {}),
  });
  const held = response.headers.has("preference-applied");
  const again = Number(response.headers.get("retry-after")) || null;
  if (response.status === 304) return { page: null, etag, held, again };
  const page = wholePage(await jsonOf<ApiPage<FetchedInboxAlert>>(response));
  return { page, etag: response.headers.get("etag"), held, again };
}

/** The changes after this validator, as server-sent events; null if the service, or a proxy, has no stream. */
export async function fetchInboxStream(
  token: string,
  etag: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | null> {
  try {
    const headers = { authorization: `Bearer ${token}`, "last-event-id": etag };
    const response = await request("/inbox/stream?limit=50&view=lean", { headers, signal });
    const streams = response.headers.get("content-type") === "text/event-stream";
    if (response.ok && streams) return response.body;
    await response.body?.cancel();
    return null;
  } catch {
    return null;
  }
}

const wholePage = ({ data, meta }: ApiPage<FetchedInboxAlert>): ApiPage<FetchedInboxAlert> => ({
  data: data.map(fillInboxAlertDefaults),
  meta,
});

export const fetchOlderInboxPage = async (token: string, before: string, signal: AbortSignal) =>
  wholePage(await ask(within("/inbox", { limit: `${LIMITS.page}`, before, view: "lean" }), { token, signal }));
