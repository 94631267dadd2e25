// The assistants that the signed-in person connected to this workspace, and the end of a connection.

import { parseId, showId } from "../../domain/ids.ts";
import { notFound } from "../../errors.ts";
import { isScope } from "../../scopes.ts";
import { html } from "../html.ts";
import { copyable, emptyState, instant, scopeLine, table } from "../parts.ts";
import { memberPage, type Page } from "../visit.ts";

export const ASSISTANT_PAGES: readonly Page[] = [
  memberPage("GET", "/assistants", "viewer", async (visit) => {
    const { deps, session, caller, base, token, now } = visit;
    const rows = await deps.connections.list(session.user.id, caller.workspace.id);
    return visit.page(
      "Assistants",
      html`<h1>Assistants</h1>
      <p class="lede">What you connected to ${caller.workspace.name} by consent. An assistant acts for you and can never do more than you may.</p>
      ${
        rows.length === 0
          ? html`${emptyState("No assistant is connected", "Give an assistant the address below; it asks you here what it may do.")}
            ${copyable(`${deps.publicUrl}/mcp`)}`
          : table(
              "Connected assistants",
              ["Assistant", "May do", "Channel", "Last used", "Connected", ""],
              rows.map((row) => [
                html`<strong>${row.name ?? "An assistant"}</strong>${row.uri && html`<span class="muted">${URL.parse(row.uri)?.host}</span>`}`,
                html`<details class="more"><summary>${row.scopes.length} ${row.scopes.length === 1 ? "permission" : "permissions"}</summary>
                  <ul class="scopes">${row.scopes.filter(isScope).map((scope) => html`<li>${scopeLine(scope)}</li>`)}</ul></details>`,
                row.pusher_id === null ? "all of yours" : (row.handle ?? "one that is gone"),
                instant(row.last_used_at, now),
                instant(row.created_at, now),
                html`<form method="post" action="${base}assistants/${showId("con", row.id)}/disconnect">${token}
                  <button class="danger">Disconnect<span class="unseen"> ${row.name ?? "this assistant"}</span></button></form>`,
              ]),
            )
      }`,
      { section: "assistants" },
    );
  }),

  memberPage("POST", "/assistants/:id/disconnect", "viewer", async (visit) => {
    const id = parseId("con", visit.params.id ?? "");
    if (!id) throw notFound("connection");
    await visit.deps.connections.disconnect(visit.session.user.id, id);
    return visit.goTo(`${visit.base}assistants`, "disconnected");
  }),
];
