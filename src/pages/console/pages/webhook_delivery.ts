// The page of one delivery: its result, the headers that identify it, and its payload.

import { get_delivery } from "../../../identity/session/webhooks.ts";
import { type HtmlContent, html } from "../../../ui/html.ts";
import { timeElement } from "../../../ui/time_format.ts";
import { copyableText, isPartRequest, liveSection } from "../components.ts";
import { type ConsolePage, type MemberPageContext, memberPage } from "../page_context.ts";
import { deliveryResult } from "./webhook_details.ts";

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
    html`<p class="back"><a href="${path}">The webhook</a></p>
    <h1>Delivery of <code>${event}</code></h1>
    <section class="card" aria-labelledby="result"><h2 id="result">Result</h2>${part}</section>
    <section class="card" aria-labelledby="payload"><h2 id="payload">Payload</h2>
      ${copyableText(formatPayload(body), "the payload")}
      <p class="hint">Line breaks and indentation are added here.
        The request has none, and the signature covers its exact bytes.</p></section>`,
    { scripts: ["copy", "live"], styles: ["webhooks"] },
  );
}

export const WEBHOOK_DELIVERY_PAGES: readonly ConsolePage[] = [
  memberPage("GET", "/webhooks/:webhook/deliveries/:delivery", page),
];
