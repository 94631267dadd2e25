// Keys: made here, shown once on the answering page, listed with their last use, revoked.

import { KEY_LIVES } from "../../auth/member_keys.ts";
import { ApiError } from "../../errors.ts";
import { isScope } from "../../scopes.ts";
import { type Content, html } from "../html.ts";
import { copyable, emptyState, field, instant, problem, scopeLine, select, table, tick } from "../parts.ts";
import { CHOOSABLE, SCOPE_GROUPS } from "../scope_groups.ts";
import { type MemberVisit, memberPage, type Page } from "../visit.ts";

const LIFE_OPTIONS = Object.entries(KEY_LIVES).map(([value, { label }]) => ({ value, label }));

async function newKeyForm(visit: MemberVisit, error?: ApiError): Promise<Content> {
  const { form: sent, token, base } = visit;
  const channels = await visit.call("list_pushers");
  const ticked = new Set(sent.getAll("scope"));
  return html`<section class="card" aria-labelledby="new"><h2 id="new">Make a key</h2>
    ${problem(error?.message)}
    <form method="post" action="${base}keys">${token}
      <div class="columns">
        ${field({ name: "name", label: "Name", value: sent.get("name") ?? "", maxlength: 80, hint: "What the key is for, so that you know it again." })}
        ${select({ name: "life", label: "Good for", options: LIFE_OPTIONS, value: sent.get("life") ?? "90d", hint: "A key that ends by itself cannot be forgotten." })}
      </div>
      ${select({
        name: "pusher",
        label: "Channel",
        hint: "Bound to one channel, the key sees no other.",
        options: [
          { value: "", label: "Every channel that I see" },
          ...channels.data.map((channel: any) => ({
            value: channel.id,
            label: `${channel.name} (${channel.handle})`,
          })),
        ],
        value: sent.get("pusher") ?? "",
      })}
      <fieldset><legend>What the key may do</legend>
        <p class="hint">It acts for you and can never do more than you may.</p>
        ${SCOPE_GROUPS.flatMap(({ holds }) => CHOOSABLE.filter(holds)).map((scope) =>
          tick({
            id: `scope-${scope}`,
            name: "scope",
            value: scope,
            label: scopeLine(scope),
            checked: ticked.has(scope),
          }),
        )}
      </fieldset>
      <button>Make the key</button>
    </form></section>`;
}

async function list(visit: MemberVisit, error?: ApiError): Promise<Response> {
  const { deps, caller, base, token, now } = visit;
  const rows = await deps.keys.list(caller);
  const form = await newKeyForm(visit, error);
  return visit.page(
    "Keys",
    html`<h1>Keys</h1>
    <p class="lede">Keys are for scripts and for programs that cannot open a page here. Each acts for the member who made it. Assistants connect without one.</p>
    ${error && form}
    ${
      rows.length === 0
        ? emptyState("No keys", "Make one below when a script needs it.")
        : table(
            "Live keys",
            ["Key", "May do", "Channel", "Last used", "Ends", ""],
            rows.map((row) => [
              html`<strong>${row.name}</strong><span class="muted">${row.member_id === caller.member.id ? "acts for you" : `acts for ${row.member_name ?? row.email}`}</span>`,
              html`<details class="more"><summary>${row.scopes.length} ${row.scopes.length === 1 ? "permission" : "permissions"}</summary>
                <ul class="scopes">${row.scopes.filter(isScope).map((scope) => html`<li>${scopeLine(scope)}</li>`)}</ul></details>`,
              row.pusher_id === null ? "all of the member's" : (row.handle ?? "one that is gone"),
              instant(row.last_used_at, now),
              instant(row.expires_at, now, "not by itself"),
              html`<form method="post" action="${base}keys/${row.id}/revoke">${token}
                <button class="danger">Revoke<span class="unseen"> ${row.name}</span></button></form>`,
            ]),
          )
    }
    ${!error && form}`,
    { section: "keys", status: error?.status ?? 200 },
  );
}

export const KEY_PAGES: readonly Page[] = [
  memberPage("GET", "/keys", "admin", (visit) => list(visit)),

  memberPage("POST", "/keys", "admin", async (visit) => {
    const { form: sent, deps, caller, base } = visit;
    try {
      const made = await deps.keys.create(caller, {
        name: sent.get("name") ?? "",
        scopes: sent.getAll("scope"),
        pusher: sent.get("pusher") || null,
        life: sent.get("life") ?? "",
      });
      return visit.page(
        "Your new key",
        html`<h1>Your new key</h1>
        <p class="lede"><strong>${made.name}</strong> works from now on. Copy it into the program that uses it.</p>
        <p class="flash careful">This is the only time that the key is shown. Nobody can read it again, not even here.</p>
        ${copyable(made.key)}
        <p>Try it:</p>
        ${copyable(`curl -s ${deps.publicUrl}/api/v1/me -H "Authorization: Bearer ${made.key}"`)}
        <p><a class="button" href="${base}keys">I have copied it</a></p>`,
        { section: "keys" },
      );
    } catch (error) {
      if (!(error instanceof ApiError) || error.type !== "invalid_request") throw error;
      return list(visit, error);
    }
  }),

  memberPage("POST", "/keys/:id/revoke", "admin", async (visit) => {
    await visit.deps.keys.revoke(visit.caller, visit.params.id ?? "");
    return visit.goTo(`${visit.base}keys`, "key-revoked");
  }),
];
