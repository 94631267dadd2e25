// The assistants that the signed-in person connected to this workspace. The person reads their list, sets for each if
// its alerts need approval, and ends connections.

import { end_connection, list_connections, update_connection } from "../../../identity/session/client_connections.ts";
import { notFound } from "../../../model/api_error.ts";
import { html } from "../../../ui/html.ts";
import { copyableText, relativeTime, renderHtmlTable } from "../components.ts";
import { emptyState } from "../empty_state.ts";
import { type ConsolePage, defineMemberPage } from "../page_definitions.ts";
import { renderCollapsibleScopeList } from "../scope_groups.ts";
import {
  parseRequiresApproval,
  renderApprovalSettingLink,
  renderApprovalSettingPage,
  renderConfirmationPage,
} from "./confirmation.ts";
import { assistantName } from "./consent_form.ts";

export const CONNECTED_ASSISTANT_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", "/assistants", async (context) => {
    const { deps, caller, base, now } = context;
    const { data: rows } = await context.asMember(list_connections, {});
    return context.page(
      "Assistants",
      html`<h1>Assistants</h1>
      <p class="lede">Assistants connected to ${caller.workspace.name}. An assistant acts on your behalf and never
        has more permissions than you do.</p>
      ${renderHtmlTable(
        "Connected assistants",
        rows,
        {
          Assistant: (row) =>
            html`<strong>${assistantName(row.name)}</strong>${
              row.uri && html` <span class="muted">${URL.parse(row.uri)?.host}</span>`
            }`,
          Permissions: (row) =>
            html`<div>${renderCollapsibleScopeList(row.scopes)}${renderApprovalSettingLink(
              row.requires_approval,
              `${base}assistants/${row.id}/asking`,
              row.name ?? "this assistant",
            )}</div>`,
          Channel: (row) => (row.pusher_id === null ? "All channels" : (row.handle ?? "A deleted channel")),
          Connected: (row) => relativeTime(row.created_at, now),
          "Last used": (row) => relativeTime(row.last_used_at, now),
          "": (row) =>
            html`<a class="button danger" href="${base}assistants/${row.id}/disconnect">Disconnect<span
              class="unseen"> ${row.name ?? "this assistant"}</span></a>`,
        },
        emptyState({ icon: "speech", title: "No assistants connected", says: "Give an assistant the address below." }),
        { texts: ["Permissions"] },
      )}
      <h2>Connect an assistant</h2>
      <p>Give your assistant this address. It opens your browser, where you choose the assistant's permissions.</p>
      ${copyableText(`${deps.publicUrl}/mcp`, "the address")}`,
      { styles: ["people"], scripts: ["copy"] },
    );
  }),

  defineMemberPage("GET", "/assistants/:id/asking", async (context) => {
    const { data: rows } = await context.asMember(list_connections, {});
    const row = rows.find(({ id }) => id === context.params.id);
    if (!row) throw notFound("connection");
    const title =
      row.name === null
        ? "Allow this assistant to publish without approval?"
        : `Allow “${row.name}” to publish without approval?`;
    return renderApprovalSettingPage(context, {
      title,
      asksFirst: row.requires_approval,
      back: `${context.base}assistants`,
    });
  }),

  defineMemberPage("POST", "/assistants/:id/asking", async (context) => {
    const asked = { connection_id: context.params.id ?? "", requires_approval: parseRequiresApproval(context.form) };
    await context.asMember(update_connection, asked);
    return context.goTo(`${context.base}assistants`, "assistant-saved");
  }),

  defineMemberPage("GET", "/assistants/:id/disconnect", async (context) => {
    const { params, base } = context;
    const { data: rows } = await context.asMember(list_connections, {});
    const row = rows.find(({ id }) => id === params.id);
    if (!row) throw notFound("connection");
    return renderConfirmationPage(context, {
      title: row.name === null ? "Disconnect this assistant?" : `Disconnect “${row.name}”?`,
      effect: html`The assistant loses access immediately and must ask again to reconnect. Items it created belong to
        the workspace and stay active: <a href="${base}webhooks">webhooks</a> and <a
          href="${base}scheduled">scheduled alerts</a>.`,
      act: "Disconnect",
      back: `${base}assistants`,
    });
  }),

  defineMemberPage("POST", "/assistants/:id/disconnect", async (context) => {
    await context.asMember(end_connection, { connection_id: context.params.id ?? "" });
    return context.goTo(`${context.base}assistants`, "disconnected");
  }),
];
