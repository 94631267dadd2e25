// The endpoints of a workspace with their state, and the form of a new one, whose secret is shown once.

import { randomUUID } from "node:crypto";
import type { ApiError } from "../../../model/api_error.ts";
import type { DomainEvent } from "../../../model/domain/domain_events.ts";
import { getFieldLabels } from "../../../model/fields/field_table.ts";
import { getMaxLength } from "../../../model/fields/value_schemas.ts";
import { WEBHOOK_FIELDS } from "../../../model/fields/webhook.ts";
import { LIMITS, spellLimit } from "../../../model/limits.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import {
  checkbox,
  copyableText,
  isPartRequest,
  liveSection,
  relativeTime,
  renderCreateDisclosure,
  renderErrorSummary,
  renderFieldErrorAndAttributes,
  renderHtmlTable,
  renderInputField,
} from "../components.ts";
import { emptyState } from "../empty_state.ts";
import { plainFieldControls } from "../form_controls.ts";
import { createErrorTypeMatcher } from "../form_submission.ts";
import {
  createListUrlBuilder,
  renderSortMenu,
  type SortableColumns,
  sortRowsAndCreateHeadings,
} from "../list_sorting.ts";
import {
  type ConsolePage,
  canUse,
  defineMemberForm,
  defineMemberPage,
  type MemberPageContext,
  type OperationResult,
  type OperationResultRow,
} from "../page_definitions.ts";
import { settingsSection } from "../settings_section.ts";
import { renderViewMenu } from "../view_menu.ts";

export type Webhook = OperationResultRow<"list_webhooks">;

/** The trigger of each event, in plain text for an owner. */
const EVENT_WORDS: Record<DomainEvent["event"], string> = {
  "alert.sent": "An alert was sent",
  "alert.scheduled": "An alert was scheduled",
  "alert.cancelled": "An alert was cancelled",
  "subscriber.created": "A device joined a channel",
  "subscriber.deleted": "A device left a channel",
  "alert.visible": "A scheduled alert was published",
  "alert.acknowledged": "Devices acknowledged an alert (count, at most once a minute)",
  "alert.replied": "Devices answered an alert’s question (count per answer, at most once a second)",
};

const EVENTS = Object.keys(EVENT_WORDS);

/** The text about retries on every page of webhooks. */
export const WEBHOOK_NO_RETRIES_NOTE =
  `Delivery of each event is attempted once, with a limit of ${spellLimit("webhook_seconds")} ` +
  "seconds. There are no automatic retries; you can redeliver failed events manually.";

export const eventChips = (events: readonly string[]): Html =>
  html`<ul class="events">${events.map((event) => html`<li><code>${event}</code></li>`)}</ul>`;

/** The state of deliveries: failing ones are a warning, stopped ones a failure, and a pause is neither. */
export function renderWebhookStateBadge({ disabled, paused_at, failure_count, last_delivery_at }: Webhook): Html {
  if (disabled) return html`<span class="badge bad">disabled after ${failure_count} failures</span>`;
  if (paused_at !== null) return html`<span class="badge">paused</span>`;
  if (failure_count > 0) return html`<span class="badge warn">${failure_count} consecutive failures</span>`;
  if (last_delivery_at === null) return html`<span class="badge">not used yet</span>`;
  return html`<span class="badge good">active</span>`;
}

/** The receiver's last answer; null before the first delivery. */
export const describeLastResponse = ({ last_delivery_at, last_status }: Webhook): string | null =>
  last_delivery_at && (last_status ? `Status ${last_status}` : "No response");

/** With what an endpoint was registered, as its owner knows it. */
export function describeWebhookCreator({ made_by }: Webhook): string {
  if (made_by === null) return "unknown";
  // A name such as "first key" needs no kind.
  const isNamedKey = /\bkey$/i.test(made_by.name ?? "");
  const kind = isNamedKey ? "" : ({ key: "the key ", con: "the assistant " }[made_by.id.slice(0, 3)] ?? "");
  return kind + (made_by.name ?? made_by.id);
}

/** The secret, which no other page ever shows. */
export function renderWebhookSecretPage(
  context: MemberPageContext,
  hook: OperationResult<"create_webhook" | "rotate_webhook_secret">,
  { title, lede, further }: { title: string; lede: HtmlContent; further?: HtmlContent },
): Response {
  const { base } = context;
  return context.page(
    title,
    html`<h1>${title}</h1>
    <p class="lede">${lede}</p>
    <p class="flash careful">Copy the secret now. It cannot be shown again.</p>
    ${copyableText(hook.secret, "the secret")}
    <p>The receiver checks <code>X-Webhook-Signature</code> with the secret: the HMAC-SHA256 of the timestamp, a dot and
      the raw body. See <code>examples/webhooks</code> for verifiers in TypeScript, Python, Go and PHP.</p>
    ${further}
    <p><a class="button" href="${base}webhooks/${hook.id}">I have copied it</a></p>`,
    { scripts: ["copy"], styles: ["webhooks"] },
  );
}

/** The id of the first box of the events, for links of error summaries. */
export const FIRST_EVENT_CHECKBOX_ID = `event-${EVENTS[0]}`;

/** A box for each event. */
export function eventChoices(selected: readonly string[], error?: ApiError): Html {
  const wrong = renderFieldErrorAndAttributes(error, "events", "said");
  return html`<fieldset><legend>${WEBHOOK_FIELDS.events.drawn.label}</legend>
        <p class="hint" id="events-hint">Events do not identify subscribers.</p>${wrong.line}
        <div class="columns">${["alert.", "subscriber."].map(
          (group) =>
            html`<div>${EVENTS.filter((event) => event.startsWith(group)).map((event) =>
              checkbox({
                id: `event-${event}`,
                name: "events",
                value: event,
                label: html`${EVENT_WORDS[event as DomainEvent["event"]]} <code class="scope">${event}</code>`,
                checked: selected.includes(event),
                attributes: event === EVENTS[0] && wrong.attributes,
              }),
            )}</div>`,
        )}</div>
      </fieldset>`;
}

function newForm({ form: sent, token, base }: MemberPageContext, error?: ApiError): HtmlContent {
  const { label, hint } = WEBHOOK_FIELDS.url.drawn;
  const url = {
    ...{ name: "url", label, hint, value: sent.get("url") ?? "", autocomplete: "off", error },
    maxlength: getMaxLength(WEBHOOK_FIELDS.url.accepts),
  };
  return html`${renderErrorSummary(error, { events: FIRST_EVENT_CHECKBOX_ID })}
    <form method="post" action="${base}webhooks" novalidate>${token}
      <input type="hidden" name="once" value="${sent.get("once") ?? randomUUID()}">
      ${renderInputField(url)}${plainFieldControls(WEBHOOK_FIELDS, { form: sent, error })}
      ${eventChoices(error ? sent.getAll("events") : EVENTS.slice(0, 1), error)}
      <button>Add endpoint</button>
    </form>`;
}

const SORTABLE: SortableColumns<OperationResultRow<"list_webhooks">> = {
  Endpoint: { value: ({ url }) => url, first: "asc" },
  "Last delivery": { value: ({ last_delivery_at }) => last_delivery_at, first: "desc" },
};

/** The cells of an endpoint in the list. */
const listColumns = ({ base, now }: MemberPageContext): Record<string, (hook: Webhook) => HtmlContent> => ({
  Endpoint: (hook) =>
    html`<a href="${base}webhooks/${hook.id}">${hook.url
      .split(/(?<=[^/]\/)(?!\/)/)
      .map(
        (part, i) => html`${i > 0 && html`<wbr>`}${part}`,
      )}</a> <div class="muted">Added by ${hook.made_by?.name ?? hook.made_by?.id ?? "unknown"}</div>`,
  State: renderWebhookStateBadge,
  Events: ({ events }) =>
    html`<span title="${events.join(", ")}">${events.length === 1 ? events[0] : `${events.length} events`}</span>`,
  "Last delivery": ({ last_delivery_at: at }) => relativeTime(at, now),
  Result: describeLastResponse,
});

async function list(context: MemberPageContext, error?: ApiError): Promise<Response> {
  const { base } = context;
  const { data: hooks } = await context.call("list_webhooks");
  const form =
    canUse(context, "create_webhook") &&
    renderCreateDisclosure("New endpoint", error !== undefined || hooks.length === 0, newForm(context, error));
  const sorted = sortRowsAndCreateHeadings(context, hooks, SORTABLE, createListUrlBuilder(`${base}webhooks`));
  const order = renderSortMenu(sorted.headings, hooks);
  // The form for the first one is open.
  const none =
    !form && emptyState({ icon: "out", title: "No endpoints yet", says: "Editors, admins and owners can add them." });
  const part = liveSection(
    "endpoints",
    context.url,
    html`${order && html`<div class="tools">${renderViewMenu({ order })}</div>`}${renderHtmlTable(
      "Endpoints",
      sorted.rows,
      listColumns(context),
      none,
      { headings: sorted.headings, wide: ["Events", "Last delivery"] },
    )}`,
  );
  if (isPartRequest(context)) return context.part(part);
  return context.page(
    "Webhooks",
    html`<div class="titled"><h1>Webhooks</h1>
    <p class="lede">A webhook sends a signed request to your program for each event, without automatic retries.
      <a href="/docs/how-to/webhooks">More about webhooks</a></p>
    ${form}</div>
    ${part}
    ${settingsSection(
      "pull",
      "Without a public address",
      html`A program without a public address can fetch the same events, with a key that has the scope
        <code>webhooks:read</code>. Events are kept for ${LIMITS.events_days} days.`,
      html`${copyableText(
        `curl "${context.deps.publicUrl}/api/v1/core/events" -H "Authorization: Bearer <your key>"`,
        "the command",
      )}
      <p class="hint">Store <code>next_after</code> from the response and send it as <code>after</code> in the next
        call, so that no event is lost or repeated.</p>`,
    )}`,
    { error, scripts: ["copy", "live"], styles: ["webhooks"] },
  );
}

export const WEBHOOK_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", "/webhooks", (context) => list(context)),

  defineMemberForm(
    "/webhooks",
    {
      again: list,
      when: createErrorTypeMatcher("invalid_request", "conflict"),
      labels: getFieldLabels(WEBHOOK_FIELDS),
    },
    async (context) => {
      const { form: sent } = context;
      const args = { url: (sent.get("url") ?? "").trim(), events: sent.getAll("events") };
      // The page may be loaded again: it shows the same secret, and no second endpoint is made.
      const hook = await context.call("create_webhook", args, sent.get("once"));
      return renderWebhookSecretPage(context, hook, {
        title: "Your new webhook",
        lede: html`Events are now delivered to <strong class="address">${hook.url}</strong>.`,
      });
    },
  ),
];
