// Keys: made here, shown once on the answering page, listed with their last use, revoked.

import type { z } from "zod";
import {
  type ApiKeyDependents,
  create_key,
  KEY_LIFETIMES,
  list_key_dependents,
  list_keys,
  revoke_key,
  update_key,
} from "../../../identity/session/api_keys.ts";
import { type ApiError, notFound } from "../../../model/api_error.ts";
import { parseIdOrNull } from "../../../model/domain/type_ids.ts";
import { LIMITS } from "../../../model/limits.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import {
  checkbox,
  copyableText,
  relativeTime,
  renderCreateDisclosure,
  renderErrorSummary,
  renderFieldErrorAndAttributes,
  renderHtmlTable,
  renderInputField,
  renderSelectField,
  rowMenu,
  scopeLine,
} from "../components.ts";
import { segmentedControl } from "../form_controls.ts";
import { createErrorTypeMatcher } from "../form_submission.ts";
import {
  findTypedChannelId,
  getSearchText,
  renderChannelSelectField,
  searchAndPaginateRows,
  UNKNOWN_CHANNEL_MESSAGE,
} from "../list_search.ts";
import {
  createListUrlBuilder,
  renderSortMenu,
  type SortableColumns,
  sortRowsAndCreateHeadings,
} from "../list_sorting.ts";
import { type ConsolePage, defineMemberForm, defineMemberPage, type MemberPageContext } from "../page_definitions.ts";
import { renderCollapsibleScopeList, SCOPE_GROUPS, SCOPE_PRESETS, SELECTABLE_SCOPES } from "../scope_groups.ts";
import {
  parseRequiresApproval,
  renderApprovalSettingCheckbox,
  renderApprovalSettingPage,
  renderConfirmationPage,
} from "./confirmation.ts";

const LIFE_OPTIONS = Object.entries(KEY_LIFETIMES).map(([value, { label }]) => ({ value, label }));

const PRESET_OPTIONS = [
  ...Object.entries(SCOPE_PRESETS).map(([value, { label }]) => ({ value, label })),
  { value: "own", label: "Custom" },
];

/** The choice of a form: a preset, or each box by itself. */
function scopesOf(sent: URLSearchParams): readonly string[] {
  const preset = sent.get("preset") ?? "";
  return Object.hasOwn(SCOPE_PRESETS, preset) ? (SCOPE_PRESETS[preset]?.scopes ?? []) : sent.getAll("scope");
}

/** In the order of the form: scopes that only read come first. */
const OFFERED = SCOPE_GROUPS.flatMap(({ holds }) => SELECTABLE_SCOPES.filter(holds));

async function newKeyForm(context: MemberPageContext, error?: ApiError): Promise<Html> {
  const { form: sent, token, base } = context;
  const channels = await context.call("list_pushers");
  const ticked = new Set(sent.getAll("scope"));
  const preset = sent.get("preset") ?? (error ? "own" : "read");
  const may = renderFieldErrorAndAttributes(error, "scope", "said");
  return html`${renderErrorSummary(error, { scope: `scope-${OFFERED[0]}` })}
    <form method="post" action="${base}keys" novalidate>${token}
      <div class="columns">
        ${renderInputField({
          name: "name",
          label: "Name",
          value: sent.get("name") ?? "",
          maxlength: LIMITS.name,
          hint: "What the key is for.",
          error,
        })}
        ${renderSelectField({
          name: "life",
          label: "Valid for",
          options: LIFE_OPTIONS,
          value: sent.get("life") ?? "90d",
          hint: "An expiry date limits the damage if the key is lost.",
          error,
        })}
      </div>
      ${renderChannelSelectField(channels.data, {
        ...{ name: "pusher", label: "Channel", all: "All my channels", value: sent.get("pusher") ?? "", error },
        hint: "A key for one channel cannot access others.",
      })}
      <div class="scope-choice"><h3 id="scope-said">Permissions</h3>
        <p class="hint" id="scope-hint">The key acts on your behalf and never has more permissions than you do.</p>
        ${segmentedControl({
          name: "preset",
          label: "Preset",
          options: PRESET_OPTIONS,
          value: preset,
          hint:
            "A key with the “Draft” preset cannot publish: its alerts are saved as drafts. Each preset includes the " +
            "one before it.",
        })}${may.line}
        ${SCOPE_GROUPS.map(
          ({ title, holds }) =>
            html`<fieldset class="each"><legend>${title}</legend>${SELECTABLE_SCOPES.filter(holds).map((scope) =>
              checkbox({
                id: `scope-${scope}`,
                name: "scope",
                value: scope,
                label: scopeLine(scope),
                checked: ticked.has(scope),
                attributes: scope === OFFERED[0] && may.attributes,
              }),
            )}</fieldset>`,
        )}
      </div>
      ${renderApprovalSettingCheckbox(parseRequiresApproval(sent))}
      <button>Create key</button>
    </form>`;
}

type KeyRow = z.output<typeof list_keys.output>["data"][number];

const SORTABLE: SortableColumns<KeyRow> = {
  Key: { value: ({ name }) => name, first: "asc" },
  Created: { value: ({ created_at }) => created_at, first: "desc" },
  "Last used": { value: ({ last_used_at }) => last_used_at, first: "desc" },
  Expires: { value: ({ expires_at }) => expires_at, first: "asc" },
};

async function list(context: MemberPageContext, error?: ApiError): Promise<Response> {
  const { base, now } = context;
  const { data: rows } = await context.asMember(list_keys, {});
  const { data: channels } = await context.call("list_pushers");
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  const form = await newKeyForm(context, error);
  const sorted = sortRowsAndCreateHeadings(
    context,
    rows,
    SORTABLE,
    createListUrlBuilder(`${base}keys`, { q: getSearchText(context) }),
  );
  const found = searchAndPaginateRows(context, `${base}keys`, sorted.rows, {
    query: { sort: sorted.sort },
    order: renderSortMenu(sorted.headings, rows),
    ...{ label: "Find a key", hint: "Name or member" },
    wordsOf: ({ name, member_name, email }) => [name, member_name, email],
  });
  return context.page(
    "Keys",
    html`<div class="titled"><h1>Keys</h1>
    <p class="lede">Keys are for scripts and programs. Each key acts for the member who created it.
      <a href="/docs/start/connect-a-sender">Connect a program</a></p>
    ${renderCreateDisclosure("New key", error !== undefined || rows.length === 0, form)}</div>
    ${
      rows.length > 0 &&
      html`${found.form}${renderHtmlTable(
        "Active keys",
        found.rows,
        {
          Key: (row) => html`<strong>${row.name}</strong>`,
          Permissions: (row) =>
            html`${renderCollapsibleScopeList(row.scopes)}${
              row.requires_approval && html` <span class="badge warn">approval required</span>`
            }`,
          "Acts for": (row) =>
            row.own ? "You" : html`<span class="name" dir="auto">${row.member_name ?? row.email}</span>`,
          Channel: (row) =>
            row.pusher_id === null ? "All channels" : (names.get(row.pusher_id) ?? "A deleted channel"),
          Created: (row) => relativeTime(row.created_at, now),
          "Last used": (row) => relativeTime(row.last_used_at, now),
          Expires: (row) => relativeTime(row.expires_at, now),
          "": (row) =>
            rowMenu(row.name, [
              row.handle !== null &&
                (row.client_program !== null || row.sends_to !== null) && {
                  href: `${base}channels/${row.pusher_id}/senders/${row.id}`,
                  label: "Recent requests",
                },
              { href: `${base}keys/${row.id}/asking`, label: "Approval" },
              { href: `${base}keys/${row.id}/revoke`, label: "Revoke", danger: true },
            ]),
        },
        null,
        {
          ...{ headings: sorted.headings, texts: ["Permissions"], wide: ["Created"] },
          constant: rows.every(({ own }) => own) ? ["Acts for"] : [],
        },
      )}${found.ways}`
    }`,
    { error, styles: ["people"] },
  );
}

function goesOn({ base }: MemberPageContext, { webhooks, scheduled_alerts }: ApiKeyDependents): HtmlContent {
  if (webhooks.length + scheduled_alerts.length === 0) return null;
  return html`<p>These stay active without the key:</p>
    <ul>${webhooks.map(
      ({ id, url }) => html`<li>The webhook <a class="address"
      href="${base}webhooks/${id}">${url}</a></li>`,
    )}${scheduled_alerts.map(
      ({ id, pusher_id, title }) => html`<li>The scheduled alert <a
      href="${base}channels/${pusher_id}/alerts/${id}">${title}</a>, until it is cancelled</li>`,
    )}</ul>
    ${
      webhooks.length > 0 &&
      checkbox({
        id: "end-webhooks",
        name: "end_webhooks",
        value: "yes",
        label:
          webhooks.length === 1 ? "Also delete the key’s webhook" : `Also delete the key’s ${webhooks.length} webhooks`,
        checked: false,
      })
    }`;
}

/** The id of the channel that the form names; null for all. @throws for the name of no channel */
async function chosenChannel(context: MemberPageContext): Promise<string | null> {
  const typed = (context.form.get("pusher") ?? "").trim();
  if (typed === "" || parseIdOrNull("psh", typed)) return typed || null;
  return findTypedChannelId((await context.call("list_pushers")).data, typed, UNKNOWN_CHANNEL_MESSAGE);
}

/** A channel that the member does not see is a 404; the form and the list stay. */
const REFUSED = {
  again: list,
  when: createErrorTypeMatcher("invalid_request", "not_found"),
  names: { scopes: "scope" },
};

export const KEY_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", "/keys", (context) => list(context)),

  defineMemberForm("/keys", REFUSED, async (context) => {
    const { form: sent, deps, base } = context;
    const made = await context.asMember(create_key, {
      name: sent.get("name") ?? "",
      scopes: [...scopesOf(sent)],
      pusher_id: await chosenChannel(context),
      life: sent.get("life") ?? "",
      requires_approval: parseRequiresApproval(sent),
    });
    return context.page(
      "Your new key",
      html`<h1>Your new key</h1>
        <p class="lede">The key <strong>${made.name}</strong> works now. Copy it into the program that will use it.</p>
        <p class="flash careful">Copy the key now. It cannot be shown again.</p>
        ${copyableText(made.key, "the key")}
        <p>Try it:</p>
        ${copyableText(`curl -s ${deps.publicUrl}/api/v1/me -H "Authorization: Bearer ${made.key}"`, "the command")}
        <p><a class="button" href="${base}keys">I have copied it</a></p>`,
      { scripts: ["copy"] },
    );
  }),

  defineMemberPage("GET", "/keys/:id/asking", async (context) => {
    const { data: rows } = await context.asMember(list_keys, {});
    const row = rows.find(({ id }) => id === context.params.id);
    if (!row) throw notFound("key");
    const title = `Allow the key ${row.name} to publish without approval?`;
    return renderApprovalSettingPage(context, { title, asksFirst: row.requires_approval, back: `${context.base}keys` });
  }),

  defineMemberPage("POST", "/keys/:id/asking", async (context) => {
    await context.asMember(update_key, {
      key_id: context.params.id ?? "",
      requires_approval: parseRequiresApproval(context.form),
    });
    return context.goTo(`${context.base}keys`, "key-saved");
  }),

  defineMemberPage("GET", "/keys/:id/revoke", async (context) => {
    const { params, base } = context;
    const key_id = params.id ?? "";
    const { name, ...left } = await context.asMember(list_key_dependents, { key_id });
    return renderConfirmationPage(context, {
      title: `Revoke the key ${name}?`,
      effect: "Programs that use this key lose access immediately. A revoked key cannot be restored.",
      condition: goesOn(context, left),
      act: "Revoke key",
      back: `${base}keys`,
    });
  }),

  defineMemberPage("POST", "/keys/:id/revoke", async (context) => {
    const end_webhooks = context.form.has("end_webhooks");
    await context.asMember(revoke_key, { key_id: context.params.id ?? "", end_webhooks });
    return context.goTo(`${context.base}keys`, "key-revoked");
  }),
];
