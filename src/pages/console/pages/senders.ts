// Senders of a channel: programs with their own request formats. A person picks one, and it gets a key that composes
// and, when ticked, sends. The text to paste into it is shown once. Its page shows the outcome of its last requests.

import { buildAlertFromSamplePayload } from "../../../api/ingest/formats/sample_payloads.ts";
import { create_key, list_keys, list_sender_requests } from "../../../identity/session/api_keys.ts";
import { type ApiError, invalidRequest, notFound } from "../../../model/api_error.ts";
import { INGEST_SOURCE_PROGRAM_IDS, type IngestSourceProgramId } from "../../../model/fields/sender_programs.ts";
import { LIMITS } from "../../../model/limits.ts";
import { PUBLISH_SCOPE } from "../../../model/scopes.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { getChannelPath, getRequestedChannel, renderChannelHeader } from "../channel_header.ts";
import {
  checkbox,
  copyableText,
  relativeTime,
  renderCreateDisclosure,
  renderErrorSummary,
  renderHtmlTable,
  renderInputField,
  renderSelectField,
} from "../components.ts";
import { emptyState } from "../empty_state.ts";
import { failingSendersNotice, findFailingSenders } from "../failing_senders.ts";
import { createErrorTypeMatcher } from "../form_submission.ts";
import {
  type ChannelResult,
  type ConsolePage,
  defineMemberForm,
  defineMemberPage,
  type MemberPageContext,
} from "../page_definitions.ts";
import { getSenderProgramTitle, isSenderProgram, SETUP_SNIPPETS, type SenderSetupValues } from "../sender_setup.ts";

const PATH = "/channels/:pusher/senders";
const OPTIONS = { styles: ["alert_card", "drawings", "channel"], scripts: ["copy"] } as const;

async function sendersOf(context: MemberPageContext, { id }: ChannelResult) {
  const { data } = await context.asMember(list_keys, {});
  // A key of the command line was made for no program: it is a sender once it made a request in a program's format.
  return data
    .filter(({ client_program, pusher_id, sends_to }) =>
      pusher_id === null ? sends_to?.includes(id) : pusher_id === id && (client_program !== null || sends_to !== null),
    )
    .map((key) => ({ ...key, program: key.client_program ?? key.speaks }));
}
type Sender = Awaited<ReturnType<typeof sendersOf>>[number];

const mayOf = ({ scopes, requires_approval }: Sender): string =>
  scopes.includes(PUBLISH_SCOPE) && !requires_approval ? "Sends" : "Writes drafts";

const newForm = ({ form: sent, token }: MemberPageContext, action: string, error?: ApiError): Html =>
  html`${renderErrorSummary(error)}
    <form method="post" action="${action}" novalidate>${token}
      <div class="columns">
      ${renderSelectField({
        name: "client_program",
        label: "Program",
        options: INGEST_SOURCE_PROGRAM_IDS.map((value) => ({ value, label: getSenderProgramTitle(value) })),
        value: sent.get("client_program") ?? "alertmanager",
        hint: "If your program is not listed, it may support ntfy, Gotify or JSON webhooks.",
        error,
      })}
      ${renderInputField({
        name: "name",
        label: "Name",
        value: sent.get("name") ?? "",
        maxlength: LIMITS.name,
        required: false,
        hint: "Defaults to the program name.",
        error,
      })}
      </div>
      ${checkbox({
        id: "may-send",
        name: "may_send",
        value: "yes",
        label: "Send without approval",
        note:
          "Messages are sent immediately and cannot be recalled. If off, each message waits as a draft until a " +
          "member sends it.",
        checked: sent.has("may_send"),
      })}
      <div class="actions"><button>Create key</button><a class="button plain" href="${action}">Cancel</a></div>
    </form>`;

async function list(context: MemberPageContext, error?: ApiError): Promise<Response> {
  const { now } = context;
  const channel = await getRequestedChannel(context);
  const [senders, failing] = await Promise.all([sendersOf(context, channel), findFailingSenders(context)]);
  const base = `${getChannelPath(context, channel.id)}/senders`;
  // A key for all channels may fail on one of them only.
  const form = renderCreateDisclosure("Connect a sender", error !== undefined, newForm(context, base, error));
  const refused = new Set(failing.flatMap(({ id, pusher_id }) => (pusher_id === channel.id ? [id] : [])));
  return context.page(
    `Senders of ${channel.name}`,
    html`${renderChannelHeader(context, channel, "senders")}
    <div class="titled"><h2>Senders</h2><p class="lede">Programs that you already run can send to this channel in their
      native format. Each uses its own key, limited to this channel.</p>
    ${senders.length > 0 && form}</div>
    ${failingSendersNotice(context, failing, channel)}
    ${renderHtmlTable(
      "Senders",
      senders,
      {
        Sender: (sender) =>
          html`<strong><a href="${base}/${sender.id}">${sender.name}</a></strong>${
            getSenderProgramTitle(sender.program) !== sender.name &&
            html` <span class="muted">${getSenderProgramTitle(sender.program)}</span>`
          }`,
        State: ({ id, last_used_at }) => {
          if (refused.has(id)) return html`<span class="badge warn">failing</span>`;
          if (last_used_at === null) return html`<span class="badge">not used yet</span>`;
          return html`<span class="badge good">active</span>`;
        },
        Permission: mayOf,
        "Last used": (sender) => relativeTime(sender.last_used_at, now),
        Created: (sender) => relativeTime(sender.created_at, now),
      },
      emptyState({
        icon: "code",
        title: "No senders yet",
        says: "Keys created elsewhere appear here after their first use.",
        form,
      }),
      { wide: ["Created"] },
    )}`,
    { ...OPTIONS, error },
  );
}

const pasted = (program: IngestSourceProgramId, place: SenderSetupValues): HtmlContent =>
  SETUP_SNIPPETS[program](place).map(
    ({ where, text }) => html`<p>${where}</p>${copyableText(text, "the configuration")}`,
  );

const placeOf = (
  { publicUrl, ntfyHost }: MemberPageContext["deps"],
  { handle }: ChannelResult,
  key: string,
): SenderSetupValues => ({ publicUrl, ntfyHost, handle, key });

async function make(context: MemberPageContext): Promise<Response> {
  const { form: sent, deps } = context;
  const channel = await getRequestedChannel(context);
  const program = sent.get("client_program");
  if (!isSenderProgram(program)) throw invalidRequest("field_required", "Choose a program.", "client_program");
  const made = await context.asMember(create_key, {
    name: sent.get("name")?.trim() || getSenderProgramTitle(program),
    scopes: ["alerts:write", ...(sent.has("may_send") ? [PUBLISH_SCOPE] : [])],
    pusher_id: channel.id,
    // A sender that falls silent by itself would be missed when it is needed.
    life: "never",
    client_program: program,
  });
  return context.page(
    `Connect ${made.name}`,
    html`${renderChannelHeader(context, channel, "senders")}
    <h2>Configuration for ${getSenderProgramTitle(program)}</h2>
    <p class="flash careful">Copy the key now. It cannot be shown again.</p>
    ${pasted(program, placeOf(deps, channel, made.key))}
    <p>Then send a message from the program. <a href="/docs/reference/senders">Senders</a> explains how the
      program’s fields are mapped.</p>
    <p><a class="button" href="${getChannelPath(context, channel.id)}/senders/${made.id}">I have copied it</a></p>`,
    OPTIONS,
  );
}

type Request = Awaited<ReturnType<typeof requestsOf>>[number];
const requestsOf = async (context: MemberPageContext, key_id: string) =>
  (await context.asMember(list_sender_requests, { key_id })).data;

const OUTCOMES: Record<Request["outcome"], Html> = {
  sent: html`<span class="badge good">sent</span>`,
  scheduled: html`<span class="badge planned">scheduled</span>`,
  draft: html`<span class="badge">draft</span>`,
  refused: html`<span class="badge warn">refused</span>`,
  nothing: html`<span class="badge">ignored</span>`,
};

async function senderOf(context: MemberPageContext, channel: ChannelResult): Promise<Sender> {
  const sender = (await sendersOf(context, channel)).find(({ id }) => id === context.params.key);
  if (!sender) throw notFound("sender");
  return sender;
}

async function one(context: MemberPageContext): Promise<Response> {
  const { base, now, deps } = context;
  const channel = await getRequestedChannel(context);
  const sender = await senderOf(context, channel);
  // A refused request may name no channel. Only for a key of one channel it is still about this channel.
  const requests = (await requestsOf(context, sender.id)).filter(
    ({ pusher_id }) => pusher_id === channel.id || (pusher_id === null && sender.pusher_id !== null),
  );
  const [last] = requests;
  const at = `${getChannelPath(context, channel.id)}/senders/${sender.id}`;
  return context.page(
    `${sender.name}, a sender of ${channel.name}`,
    html`${renderChannelHeader(context, channel, "senders")}
    <p class="back"><a href="${getChannelPath(context, channel.id)}/senders">All senders</a></p>
    ${last?.outcome === "refused" && html`<p class="flash careful">The last request was refused: ${last.said}</p>`}
    <section class="card" aria-labelledby="sender"><h2 id="sender">${sender.name}</h2>
      <dl class="facts"><dt>Permission</dt><dd>${mayOf(sender)}</dd><dt>Program</dt><dd>${getSenderProgramTitle(
        sender.program,
      )}</dd><dt>Created</dt><dd>${relativeTime(
        sender.created_at,
        now,
      )}</dd><dt>Last used</dt><dd>${relativeTime(sender.last_used_at, now)}</dd></dl>
      <p class="hint">A test draft shows how the program’s messages look. It is not sent. To test the connection, send a
        message from the program.</p>
      <div class="actions">
        ${
          isSenderProgram(sender.program) &&
          html`<form method="post" action="${at}/test">${context.token}<button
          class="plain">Create test draft</button></form>`
        }
        <a class="button plain" href="${at}">Reload</a>
        <a class="button danger last" href="${base}keys/${sender.id}/revoke">Revoke key</a></div></section>
    <section aria-labelledby="requests"><h2 id="requests">Recent requests</h2>
    ${renderHtmlTable(
      "Requests, newest first",
      requests,
      {
        Request: ({ program, said, notes, alert_id, pusher_id, alerts }) =>
          html`${
            alert_id && pusher_id
              ? html`<a href="${base}channels/${pusher_id}/alerts/${alert_id}">${said}</a>${
                  alerts > 1 && ` and ${alerts - 1} more`
                }`
              : html`<strong>${said}</strong>`
          }${[...(program === sender.program ? [] : [getSenderProgramTitle(program)]), ...notes].map(
            (note) => html` <span class="muted">${note}</span>`,
          )}`,
        Result: ({ outcome }) => OUTCOMES[outcome],
        When: ({ at }) => relativeTime(at, now),
      },
      emptyState({
        icon: "code",
        title: "No requests yet",
        says: "Requests from the program and their results appear here.",
      }),
    )}
    <p class="hint">We keep the last ${LIMITS.sender_requests} requests, never their content.</p></section>
    ${
      isSenderProgram(sender.program) &&
      html`<details class="card"><summary>Configuration</summary><p
      class="hint">Replace <code>THE-KEY</code> with your key. If you lost the key, revoke it and connect the program
        again.</p>${pasted(sender.program, placeOf(deps, channel, "THE-KEY"))}</details>`
    }`,
    OPTIONS,
  );
}

export const SENDER_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", PATH, (context) => list(context)),
  defineMemberForm(PATH, { again: list, when: createErrorTypeMatcher("invalid_request"), names: {} }, make),
  defineMemberPage("GET", `${PATH}/:key`, one),

  // The person's own draft: the key's permissions are not tested, and no device shows it.
  defineMemberPage("POST", `${PATH}/:key/test`, async (context) => {
    const channel = await getRequestedChannel(context);
    const { program } = await senderOf(context, channel);
    if (!isSenderProgram(program)) throw notFound("program");
    const fields = await buildAlertFromSamplePayload(program, context.now);
    const { id } = await context.call("create_alert", { ...fields, pusher_id: channel.id });
    return context.goTo(`${getChannelPath(context, channel.id)}/alerts/${id}`, "sender-tested");
  }),
];
