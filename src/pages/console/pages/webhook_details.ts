// The page of one endpoint: its state, which updates itself, its deliveries, and what members can change.

import { update_webhook } from "../../../identity/session/update_webhook_and_get_delivery.ts";
import { type ApiError, notFound } from "../../../model/api_error.ts";
import { getFieldLabels } from "../../../model/fields/field_table.ts";
import { type EventName, WEBHOOK_FIELDS } from "../../../model/fields/webhook.ts";
import { LIMITS } from "../../../model/limits.ts";
import { truncateText } from "../../../store/response_schemas/shared_parameters_and_pages.ts";
import { breakableUrl } from "../../../ui/build_url.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { formatMinute, timeElement } from "../../../ui/time_format.ts";
import { renderTotalsHeader } from "../charts/chart.ts";
import {
  isPartRequest,
  liveSection,
  relativeTime,
  renderErrorSummary,
  renderFirstAndNextLinks,
  renderHtmlTable,
} from "../components.ts";
import { emptyState } from "../empty_state.ts";
import { createErrorTypeMatcher, withFormErrors } from "../form_submission.ts";
import {
  type ConsolePage,
  canUse,
  defineMemberForm,
  defineMemberPage,
  type FlashCode,
  type MemberPageContext,
} from "../page_definitions.ts";
import { settingsSection } from "../settings_section.ts";
import { renderConfirmationPage } from "./confirmation.ts";
import { deliveryResult } from "./webhook_delivery.ts";
import {
  describeLastResponse,
  describeWebhookCreator,
  eventChips,
  eventChoices,
  FIRST_EVENT_CHECKBOX_ID,
  renderWebhookSecretPage,
  renderWebhookStateBadge,
  WEBHOOK_NO_RETRIES_NOTE,
  type Webhook,
} from "./webhooks.ts";

const PATH = "/webhooks/:webhook";
const PAGE = LIMITS.page_usual;
/** Characters of an alert's title in the list. */
const TITLE = 60;

async function endpoint(context: MemberPageContext): Promise<Webhook> {
  const { data } = await context.call("list_webhooks");
  const hook = data.find(({ id }) => id === context.params.webhook);
  if (!hook) throw notFound("webhook");
  return hook;
}

const pathOf = ({ base }: MemberPageContext, { id }: Webhook) => `${base}webhooks/${id}`;

const act = ({ token }: MemberPageContext, action: string, words: HtmlContent, kind = "plain"): Html =>
  html`<form method="post" action="${action}">${token}<button class="${kind}">${words}</button></form>`;

/** The state of the receiver, on top of the page. A disabled one has its steps there. */
function receiver({ now }: MemberPageContext, hook: Webhook): HtmlContent {
  if (hook.disabled) return null;
  return renderTotalsHeader([
    ["State", renderWebhookStateBadge(hook)],
    ["Last delivery", relativeTime(hook.last_delivery_at, now), describeLastResponse(hook)],
    ["Consecutive failures", `${hook.failure_count}`, `disabled after ${LIMITS.webhook_failures}`],
  ]);
}

function facts({ now }: MemberPageContext, hook: Webhook): Html {
  const until = hook.previous_secret_until && new Date(hook.previous_secret_until);
  const rows: [string, HtmlContent][] = [
    ["Events", eventChips(hook.events)],
    ["Added", relativeTime(hook.created_at, now)],
    ["Added by", describeWebhookCreator(hook)],
  ];
  const dropped = `${hook.dropped_count}, because this server’s queue was full. They do not count as failures.`;
  if (hook.dropped_count > 0) rows.push(["Dropped", dropped]);
  if (until) rows.push(["Previous secret", html`Valid until ${timeElement(until)}; deliveries carry both signatures.`]);
  return html`<dl class="who facts">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** The effect of a pause, above the status. */
const pauseNote = ({ paused_at }: Webhook): HtmlContent =>
  paused_at !== null &&
  html`<p class="flash careful">Paused since ${timeElement(new Date(paused_at))}. Events are not delivered and will
    not be sent later, but can be <a href="/docs/how-to/webhooks#without-a-public-address">fetched</a>
      for ${LIMITS.events_days} days. Tests and redeliveries are still sent.</p>`;

/** The steps that bring a disabled endpoint back, in order. */
function mending(context: MemberPageContext, hook: Webhook, may: boolean): HtmlContent {
  if (!hook.disabled) return null;
  const at = pathOf(context, hook);
  const since = timeElement(new Date(hook.disabled_at ?? ""));
  return html`<section class="card mend" aria-labelledby="mend"><h2 id="mend">Disabled since ${since}</h2>
    <p>The last ${LIMITS.webhook_failures} deliveries failed, so deliveries have stopped.${
      !may && " An editor, an admin or an owner can enable it again."
    }</p>
    ${
      may &&
      html`<ol>
        <li><span>Fix the receiver. The list below shows the result of each delivery.</span></li>
        <li><span>Send a test event; it is delivered even while the endpoint is disabled.</span>
          ${act(context, `${at}/test`, "Send a test event")}</li>
        <li><span>Enable the endpoint.</span>${act(context, `${at}/enable`, "Enable", "")}</li>
        <li><span>Redeliver failed events from the list below. Events that occurred while it was disabled can
          be <a href="/docs/how-to/webhooks#without-a-public-address">fetched</a>
          for ${LIMITS.events_days} days.</span></li>
      </ol>`
    }</section>`;
}

async function log(context: MemberPageContext, hook: Webhook, may: boolean): Promise<Html> {
  const before = context.url.searchParams.get("before");
  const { data, meta } = await context.call("list_deliveries", {
    webhook_id: hook.id,
    limit: PAGE,
    ...(before && { before }),
  });
  return html`<section aria-labelledby="log"><h2 id="log">Deliveries</h2>
    <p class="hint">The newest ${LIMITS.deliveries} are kept for ${LIMITS.deliveries_days} days. Open
      a delivery to see its payload. Response bodies are not stored.</p>
    ${renderHtmlTable(
      "Deliveries, newest first",
      data,
      {
        Event: ({ id, event, title, redelivery_of }) =>
          html`<a href="${pathOf(context, hook)}/deliveries/${id}">${event}</a>${
            redelivery_of && html` <span class="muted">redelivery</span>`
          }${title && html` <span class="muted">${truncateText(title, TITLE)}</span>`}`,
        Result: (delivery) => html`<span class="result">${deliveryResult(delivery, context.now)}</span>`,
        When: ({ created_at }) => relativeTime(created_at, context.now),
        Duration: ({ duration_ms }) =>
          duration_ms === null ? html`<span class="muted">pending</span>` : `${duration_ms} ms`,
        "": ({ id, event, created_at, ok }) =>
          may &&
          !hook.disabled &&
          ok !== null &&
          act(
            context,
            `${pathOf(context, hook)}/deliveries/${id}/again`,
            html`Redeliver<span class="unseen"> ${event} of ${formatMinute(new Date(created_at))}</span>`,
          ),
      },
      before
        ? emptyState({
            icon: "out",
            title: "No older deliveries",
            act: { href: pathOf(context, hook), label: "Newest deliveries" },
          })
        : emptyState({ icon: "out", title: "No deliveries yet", says: "Send a test event to check the receiver." }),
      { numbers: ["Duration"], texts: ["Result"] },
    )}${renderFirstAndNextLinks(pathOf(context, hook), { before, next: meta.next_before })}</section>`;
}

async function page(context: MemberPageContext, error?: ApiError): Promise<Response> {
  const hook = await endpoint(context);
  const may = canUse(context, "test_webhook");
  const at = pathOf(context, hook);
  const part = liveSection(
    "webhook",
    new URL(at + context.url.search, context.url),
    html`${pauseNote(hook)}${receiver(context, hook)}${mending(context, hook, may)}
    ${settingsSection(
      "facts",
      "Endpoint",
      WEBHOOK_NO_RETRIES_NOTE,
      html`${facts(context, hook)}${
        may &&
        html`<div class="save actions">${!hook.disabled && act(context, `${at}/test`, "Send a test event")}
          <a class="button plain" href="${at}/events">Edit events</a>
          ${hook.paused_at === null ? act(context, `${at}/pause`, "Pause") : act(context, `${at}/resume`, "Resume", "")}
          <a class="button plain" href="${at}/secret">New secret</a></div>`
      }`,
    )}
    ${await log(context, hook, may)}
    ${
      may &&
      settingsSection(
        "end",
        "Delete webhook",
        "Deliveries stop, and the secret and the delivery log are deleted.",
        html`<div class="save"><a class="button danger" href="${at}/delete">Delete</a></div>`,
        true,
      )
    }`,
  );
  if (isPartRequest(context)) return context.part(part);
  return context.page(
    "Webhook",
    html`<p class="back"><a href="${context.base}webhooks">All webhooks</a></p>
    <h1 class="address">${breakableUrl(hook.url)}</h1>
    ${renderErrorSummary(error)}${part}`,
    { error, styles: ["webhooks", "history"], scripts: ["live"] },
  );
}

async function eventsPage(context: MemberPageContext, error?: ApiError): Promise<Response> {
  const hook = await endpoint(context);
  const at = pathOf(context, hook);
  const title = "Webhook events";
  return context.page(
    title,
    html`<p class="back"><a href="${at}">Back to webhook</a></p><h1>${title}</h1>
    <p class="lede">Selected events will be delivered to <strong class="address">${hook.url}</strong>.</p>
    ${renderErrorSummary(error, { events: FIRST_EVENT_CHECKBOX_ID })}
    <section class="card"><form method="post" action="${at}/events" novalidate>${context.token}
      ${eventChoices(error ? context.form.getAll("events") : hook.events, error)}
      <div class="actions"><button>Save events</button>
        <a class="button plain" href="${at}">Cancel</a></div></form></section>`,
    { error, styles: ["webhooks"] },
  );
}

/** A form that pauses or resumes the endpoint. */
const pausing = (path: string, paused: boolean): ConsolePage =>
  defineMemberPage("POST", PATH + path, async (context) => {
    const { webhook = "" } = context.params;
    await context.asMember(update_webhook, { webhook_id: webhook, paused });
    return context.goTo(`${context.base}webhooks/${webhook}`, paused ? "webhook-paused" : "webhook-resumed");
  });

/** A form that runs one operation and returns with a message; a refusal is shown on the page. */
const acting = (path: string, tool: "test_webhook" | "enable_webhook" | "redeliver", done: FlashCode): ConsolePage =>
  defineMemberPage(
    "POST",
    PATH + path,
    withFormErrors({ again: page, when: createErrorTypeMatcher("conflict", "rate_limited") }, async (context) => {
      const { webhook = "", delivery } = context.params;
      await context.call(tool, { webhook_id: webhook, ...(delivery && { delivery_id: delivery }) });
      return context.goTo(`${context.base}webhooks/${webhook}`, done);
    }),
  );

export const WEBHOOK_DETAIL_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", PATH, (context) => page(context)),
  acting("/test", "test_webhook", "webhook-tested"),
  acting("/enable", "enable_webhook", "webhook-enabled"),
  pausing("/pause", true),
  pausing("/resume", false),
  defineMemberPage("GET", `${PATH}/events`, (context) => eventsPage(context)),
  defineMemberForm(
    `${PATH}/events`,
    { again: eventsPage, when: createErrorTypeMatcher("invalid_request"), labels: getFieldLabels(WEBHOOK_FIELDS) },
    async (context) => {
      const { webhook = "" } = context.params;
      await context.asMember(update_webhook, {
        webhook_id: webhook,
        events: context.form.getAll("events") as EventName[],
      });
      return context.goTo(`${context.base}webhooks/${webhook}`, "webhook-changed");
    },
  ),
  acting("/deliveries/:delivery/again", "redeliver", "webhook-redelivered"),

  defineMemberPage("GET", `${PATH}/secret`, async (context) => {
    const hook = await endpoint(context);
    return renderConfirmationPage(context, {
      title: "Create a new secret?",
      effect: html`Deliveries to <strong class="address">${hook.url}</strong> are signed with the new secret
        immediately. For ${LIMITS.webhook_overlap_hours} hours they also carry a signature made with the current secret,
        so the receiver can switch at any time.${
          hook.previous_secret_until && " The previous secret stops working immediately."
        }`,
      act: "Create new secret",
      back: pathOf(context, hook),
      keep: "Cancel",
    });
  }),

  defineMemberPage("POST", `${PATH}/secret`, async (context) => {
    const hook = await context.call("rotate_webhook_secret", { webhook_id: context.params.webhook });
    return renderWebhookSecretPage(context, hook, {
      title: "Your new secret",
      lede: html`Deliveries to <strong class="address">${hook.url}</strong> are now signed with it.`,
      further: html`<p>The previous secret is valid until ${timeElement(
        new Date(hook.previous_secret_until ?? ""),
      )}. Until then <code>X-Webhook-Signature</code> has two <code>v1</code> elements, and one match is enough.</p>`,
    });
  }),

  defineMemberPage("GET", `${PATH}/delete`, async (context) => {
    const hook = await endpoint(context);
    return renderConfirmationPage(context, {
      title: "Delete this webhook?",
      effect: html`Deliveries to <strong class="address">${hook.url}</strong> will stop. The secret and delivery
        log will be deleted.`,
      act: "Delete webhook",
      back: pathOf(context, hook),
    });
  }),

  defineMemberPage("POST", `${PATH}/delete`, async (context) => {
    await context.call("delete_webhook", { webhook_id: context.params.webhook });
    return context.goTo(`${context.base}webhooks`, "webhook-deleted");
  }),
];
