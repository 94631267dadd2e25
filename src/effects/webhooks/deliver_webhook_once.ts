// One delivery: one POST within its time (rules#event-delivery), to the address that was checked, and to no
// other. Must not know rows, failure counts or other deliveries; nothing is tried twice.

import type { Socket } from "node:net";
import { LIMITS } from "../../model/limits.ts";
import { connectToResolvedAddresses, sendRequestOverSocket } from "./outbound_connection.ts";
import { signPayload } from "./payload_signature.ts";
import { resolveTarget, type TargetRules } from "./target_check.ts";

/** All that a delivery may take (rules#event-delivery). */
export const DELIVERY_TIMEOUT_MS = LIMITS.webhook_seconds * 1000;
/** rules#event-answer */
export const MAX_REPLY_BYTES = LIMITS.webhook_answer;

/**
 * The stage at which a delivery failed: a refused URL or address · no address from DNS · timeout · no TCP connection ·
 * no trusted TLS · a 3xx response · another status than 2xx · an invalid response, or none.
 */
type DeliveryFailure = "refused_target" | "dns" | "timeout" | "connect" | "tls" | "redirect" | "status" | "reply";

export interface DeliveryResult {
  ok: boolean;
  /** The answer's HTTP status, also of a failed delivery; null when none came. */
  status: number | null;
  /** Milliseconds from the start of the look-up to the end. */
  durationMs: number;
  failure?: DeliveryFailure;
}

export interface WebhookDeliveryRequest {
  url: string;
  secret: string;
  /** The secret before, as long as it is good. */
  previousSecret?: string | null;
  event: string;
  /** `X-Webhook-Id`, unique per delivery. */
  id: string;
  /** `X-Webhook-Event-Id`, the same in every delivery of one event. */
  eventId: string;
  /** The JSON text, sent and signed as it is. */
  body: string;
  rules: TargetRules;
  timeoutMs?: number;
  /** Ends the delivery early, at shutdown; it then reads as a timeout. */
  signal?: AbortSignal;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** Makes one delivery. Never throws, and leaves no socket behind. */
export async function deliverWebhookOnce(delivery: WebhookDeliveryRequest): Promise<DeliveryResult> {
  const started = performance.now();
  // One timeout for everything: it cancels the look-up and destroys the socket in any state.
  const end = new AbortController();
  const stop = () => end.abort();
  const timer = setTimeout(stop, delivery.timeoutMs ?? DELIVERY_TIMEOUT_MS);
  delivery.signal?.addEventListener("abort", stop, { once: true });
  if (delivery.signal?.aborted) stop();

  let stage: DeliveryFailure = "dns";
  let status: number | null = null;
  const finish = (failure?: DeliveryFailure): DeliveryResult => ({
    ok: failure === undefined,
    status,
    durationMs: Math.round(performance.now() - started),
    ...(failure === undefined ? {} : { failure }),
  });

  try {
    const target = await resolveTarget(delivery.url, delivery.rules, { signal: end.signal });
    if (end.signal.aborted) return finish("timeout");
    if (!target.ok) {
      return finish(target.refusal === "url" || target.refusal === "address" ? "refused_target" : "dns");
    }
    stage = "connect";
    const socket = await connectToResolvedAddresses(target.url, target.addresses, end.signal, () => {
      stage = "tls";
    });
    stage = "reply";
    status = await post(target.url, socket, delivery, end.signal, (received) => {
      status = received;
    });
    if (status >= 200 && status < 300) return finish();
    // A 3xx is an answer that is not 2xx, and its Location is not read (rules#event-no-redirect).
    return finish(status >= 300 && status < 400 ? "redirect" : "status");
  } catch {
    return finish(end.signal.aborted ? "timeout" : stage);
  } finally {
    clearTimeout(timer);
    delivery.signal?.removeEventListener("abort", stop);
    stop();
  }
}

/** Sends the one request over `socket` and reads the reply as far as it counts. Returns the status, or throws. */
function post(
  url: URL,
  socket: Socket,
  delivery: WebhookDeliveryRequest,
  signal: AbortSignal,
  onStatus: (status: number) => void,
): Promise<number> {
  // The connection is open: the timestamp is that of sending, not of the start of a slow look-up.
  const sentAt = Math.floor((delivery.now ?? Date.now)() / 1000);
  const rawBody = Buffer.from(delivery.body);
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": "Belfry-Webhook/1",
    "X-Webhook-Signature": signPayload(delivery.secret, rawBody, sentAt, delivery.previousSecret),
    "X-Webhook-Event": delivery.event,
    "X-Webhook-Id": delivery.id,
    "X-Webhook-Event-Id": delivery.eventId,
  };
  const request = { method: "POST", headers, body: rawBody, signal } as const;
  return sendRequestOverSocket(url, socket, request, async ({ statusCode, body }) => {
    onStatus(statusCode);
    // The body of a failing response is ignored; that of a successful one is read, up to the limit.
    if (statusCode >= 200 && statusCode < 300) {
      let received = 0;
      for await (const chunk of body) {
        received += chunk.length;
        if (received >= MAX_REPLY_BYTES) break;
      }
    }
    return statusCode;
  });
}
