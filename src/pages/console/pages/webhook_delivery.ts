// The result of a delivery, and the page of one delivery: its result, the headers that identify it, and its payload.

import { get_delivery } from "../../../identity/session/update_webhook_and_get_delivery.ts";
import { spellLimit } from "../../../model/limits.ts";
import { type HtmlContent, html } from "../../../ui/html.ts";
import { timeElement } from "../../../ui/time_format.ts";
import { copyableText, isPartRequest, liveSection } from "../components.ts";
import {
  type ConsolePage,
  defineMemberPage,
  type MemberPageContext,
  type OperationResultRow,
} from "../page_definitions.ts";

/** Where a delivery ended (see effects/webhooks/deliver_webhook_once.ts). */
const FAILURES: Record<string, string> = {
  refused_target: "The address is not public, so it cannot be called.",
  dns: "The host name could not be resolved.",
  timeout: `No response within ${spellLimit("webhook_seconds")} seconds.`,
  connect: "The connection failed.",
  tls: "The certificate is not trusted.",
  redirect: "The receiver returned a redirect; redirects are not followed.",
  status: "The receiver returned an error.",
  reply: "The response was incomplete.",
};

type Delivery = OperationResultRow<"list_deliveries">;

/** A delivery takes seconds: its result is requested more often for as long (milliseconds). */
const SOON_MS = 60_000;

/** The result of a delivery. After a running one, poll_live_sections.js updates the page sooner. */
export function deliveryResult({ ok, status, failure, created_at }: Delivery, now: Date): HtmlContent {
  const soon = now.getTime() - Date.parse(created_at) < SOON_MS;
  if (ok === null)
    return html`<span class="badge"${soon && html` data-soon`}>pending</span>${
      !soon && html`<span class="muted">no result: the server stopped or had no capacity</span>`
    }`;
  if (ok) return html`<span class="badge good">delivered</span><span class="muted">Status ${status}.</span>`;
  const why = failure === "status" ? `Status ${status}.` : (FAILURES[failure ?? ""] ?? failure);
  return html`<span class="badge warn">failed</span><span class="muted">${why}</span>`;
}

/** The payload with line breaks; as it is if it is not JSON. */
function formatPayload(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

async function page(context: MemberPageContext): Promise<Response> {
  const { params, base, url, now } = context;
  const delivery = await context.asMember(get_delivery, {
    webhook_id: params.webhook ?? "",
    delivery_id: params.delivery ?? "",
  });
  const { id, event, event_id, redelivery_of, created_at, duration_ms, body } = delivery;
  const path = `${base}webhooks/${params.webhook}`;
  const facts: [string, HtmlContent][] = [
    ["Result", html`<span class="stack">${deliveryResult(delivery, now)}</span>`],
    ["Time", timeElement(new Date(created_at))],
    ["Duration", duration_ms === null ? html`<span class="muted">pending</span>` : `${duration_ms} ms`],
    ["X-Webhook-Event", html`<code>${event}</code>`],
    ["X-Webhook-Id", html`<code>${id}</code>`],
  ];
  if (event_id) facts.push(["X-Webhook-Event-Id", html`<code>${event_id}</code>`]);
  if (redelivery_of)
    facts.push([
      "Redelivery of",
      html`<a href="${path}/deliveries/${redelivery_of}"><code>${redelivery_of}</code></a>`,
    ]);
  const part = liveSection(
    "delivery",
    url,
    html`<dl class="who facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`,
  );
  if (isPartRequest(context)) return context.part(part);
  return context.page(
    `Delivery of ${event}`,
    html`<p class="back"><a href="${path}">Back to webhook</a></p>
    <h1>Delivery of <code>${event}</code></h1>
    <section class="card" aria-labelledby="result"><h2 id="result">Result</h2>${part}</section>
    <section class="card" aria-labelledby="payload"><h2 id="payload">Payload</h2>
      ${copyableText(formatPayload(body), "the payload")}
      <p class="hint">Line breaks and indentation are added here.
        The request has none, and the signature covers its exact bytes.</p></section>`,
    { scripts: ["copy", "live"], styles: ["webhooks"] },
  );
}

export const WEBHOOK_DELIVERY_DETAIL_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", "/webhooks/:webhook/deliveries/:delivery", page),
];
