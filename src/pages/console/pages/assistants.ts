// The assistants that the signed-in person connected to this workspace, and the end of a connection.

import {
  end_connection,
  list_connections,
  update_connection,
} from "../../../identity/session/connections.ts";
import { notFound } from "../../../model/errors.ts";
import { html } from "../../../ui/html.ts";
import { copyable, emptyState, instant, table } from "../parts.ts";
import { mayDo } from "../scope_groups.ts";
import { memberPage, type Page } from "../visit.ts";
import { askFirstLink, askFirstOf, askFirstPage, askOnce } from "./confirm.ts";
import { named } from "./consent_form.ts";

export const ASSISTANT_PAGES: readonly Page[] = [
  memberPage("GET", "/assistants", async (visit) => {
    const { deps, caller, base, now } = visit;
    const { data: rows } = await visit.asMember(list_connections, {});
    return visit.page(
      "Assistants",
      html`<h1>Assistants</h1>
      <p class="lede">The assistants that you connected to ${caller.workspace.name}. An assistant acts for you. It can never do more than you may.</p>
      ${
        rows.length === 0
          ? emptyState(
              "No assistant is connected",
              "Give an assistant the address below. It then asks you what it may do.",
            )
          : table(
              "Connected assistants",
              ["Assistant", "May do", "Channel", "Connected", "Last used", ""],
              rows.map((row) => [
                html`<strong>${named(row.name)}</strong>${row.uri && html`<span class="muted">${URL.parse(row.uri)?.host}</span>`}`,
                html`<div>${mayDo(row.scopes)}${askFirstLink(row.asks_first, `${base}assistants/${row.id}/asking`, row.name ?? "this assistant")}</div>`,
                row.pusher_id === null ? "All channels" : (row.handle ?? "A deleted channel"),
                instant(row.created_at, now),
                instant(row.last_used_at, now),
                html`<a class="button danger" href="${base}assistants/${row.id}/disconnect">Disconnect<span class="unseen"> ${row.name ?? "this assistant"}</span></a>`,
              ]),
            )
      }
      <h2>Connect an assistant</h2>
      <p>Give it this address. It opens your browser, and you say what it may do.</p>
      ${copyable(`${deps.publicUrl}/mcp`, "the address")}`,
      { styles: ["people"], scripts: ["copy"] },
    );
  }),

  memberPage("GET", "/assistants/:id/asking", async (visit) => {
    const { data: rows } = await visit.asMember(list_connections, {});
    const row = rows.find(({ id }) => id === visit.params.id);
    if (!row) throw notFound("connection");
    const title =
      row.name === null ? "May this assistant publish by itself?" : `May “${row.name}” publish by itself?`;
    return askFirstPage(visit, { title, asksFirst: row.asks_first, back: `${visit.base}assistants` });
  }),

  memberPage("POST", "/assistants/:id/asking", async (visit) => {
    const asked = { connection_id: visit.params.id ?? "", asks_first: askFirstOf(visit.form) };
    await visit.asMember(update_connection, asked);
    return visit.goTo(`${visit.base}assistants`, "assistant-saved");
  }),

  memberPage("GET", "/assistants/:id/disconnect", async (visit) => {
    const { params, base } = visit;
    const { data: rows } = await visit.asMember(list_connections, {});
    const row = rows.find(({ id }) => id === params.id);
    if (!row) throw notFound("connection");
    return askOnce(visit, {
      title: row.name === null ? "Disconnect this assistant?" : `Disconnect “${row.name}”?`,
      effect: html`The assistant is refused from its next call on. To come back, it must ask you again.
        What it set up is the workspace's and goes on: <a href="${base}webhooks">webhooks</a> that it added, <a href="${base}scheduled">alerts</a> that it scheduled.`,
      act: "Disconnect",
      back: `${base}assistants`,
    });
  }),

  memberPage("POST", "/assistants/:id/disconnect", async (visit) => {
    await visit.asMember(end_connection, { connection_id: visit.params.id ?? "" });
    return visit.goTo(`${visit.base}assistants`, "disconnected");
  }),
];
