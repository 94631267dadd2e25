// Scopes as forms and lists show them: what only looks, what changes, what publishes; and which role each of them
// needs.

import { isRoleAtLeast } from "../../model/domain/member_access_rules.ts";
import { ALL_SCOPES, IMPLICIT_SCOPE, PUBLISH_SCOPE, type Scope } from "../../model/scopes.ts";
import type { Role } from "../../model/tables/member.ts";
import type { OwnerOperation } from "../../operation/define_operation.ts";
import { type HtmlContent, html } from "../../ui/html.ts";
import { scopeLine } from "./components.ts";

/** The scopes that a person decides about; the implicit one comes with every credential. */
export const SELECTABLE_SCOPES: Scope[] = ALL_SCOPES.filter((scope) => scope !== IMPLICIT_SCOPE);

const isRisky = (scope: Scope): boolean => scope === PUBLISH_SCOPE || scope.endsWith(":write");

const looks = (scope: Scope): boolean => !isRisky(scope);

/** Presets of scopes for most keys, each with everything of the one before it. */
export const SCOPE_PRESETS: Record<string, { label: string; scopes: readonly Scope[] }> = {
  read: { label: "Read", scopes: SELECTABLE_SCOPES.filter(looks) },
  draft: { label: "Draft", scopes: SELECTABLE_SCOPES.filter((scope) => looks(scope) || scope === "alerts:write") },
  publish: {
    label: "Publish",
    scopes: SELECTABLE_SCOPES.filter((scope) => looks(scope) || scope.startsWith("alerts:")),
  },
  everything: { label: "Everything", scopes: SELECTABLE_SCOPES },
};

interface Group {
  title: string;
  holds(scope: Scope): boolean;
}

export const SCOPE_GROUPS: readonly [Group, ...Group[]] = [
  { title: "Read", holds: looks },
  { title: "Change", holds: (scope) => scope.endsWith(":write") },
  { title: "Publish", holds: (scope) => scope === PUBLISH_SCOPE },
];

/** The least role with which a scope lets any operation through. */
export function findLeastRoleForScope(tools: readonly OwnerOperation[], scope: Scope): Role {
  const roles = tools.filter((tool) => tool.scope === scope).map(({ role }) => role);
  return roles.reduce<Role>((least, role) => (isRoleAtLeast(least, role) ? role : least), "owner");
}

/** The most that the scopes of a credential allow. */
export function describeAccess(scopes: readonly Scope[]): string {
  if (scopes.includes(PUBLISH_SCOPE)) return "Publishes";
  const changing = scopes.filter(isRisky);
  if (changing.length === 0) return "Reads";
  return changing.every((scope) => scope === "alerts:write") ? "Drafts only" : "Changes, no publishing";
}

/** The permissions of a credential, folded. */
export function renderCollapsibleScopeList(scopes: readonly string[]): HtmlContent {
  const held = ALL_SCOPES.filter((scope) => scopes.includes(scope));
  return html`<details class="more"><summary>${describeAccess(held)}</summary>
    <dl class="scopes">${SCOPE_GROUPS.map(({ title, holds }) => {
      const own = held.filter(holds);
      return own.length > 0 && html`<dt>${title}</dt>${own.map((scope) => html`<dd>${scopeLine(scope)}</dd>`)}`;
    })}</dl></details>`;
}
