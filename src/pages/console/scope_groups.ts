// Scopes as forms and lists show them: what only looks, what changes, what publishes; and which role each of them needs.

import { roleReaches } from "../../model/domain/standing.ts";
import type { Role } from "../../model/entities/member.ts";
import { ALL_SCOPES, IMPLICIT_SCOPE, PUBLISH, type Scope } from "../../model/scopes.ts";
import type { Tool } from "../../operation/tool.ts";
import { type Content, html } from "../../ui/html.ts";
import { scopeLine } from "./parts.ts";

/** The scopes that a person decides about; the implicit one comes with every credential. */
export const CHOOSABLE: Scope[] = ALL_SCOPES.filter((scope) => scope !== IMPLICIT_SCOPE);

const isRisky = (scope: Scope): boolean => scope === PUBLISH || scope.endsWith(":write");

const looks = (scope: Scope): boolean => !isRisky(scope);

/** What most keys are made for, each with everything of the one before it. */
export const PRESETS: Record<string, { label: string; scopes: readonly Scope[] }> = {
  read: { label: "Read", scopes: CHOOSABLE.filter(looks) },
  draft: {
    label: "Draft",
    scopes: CHOOSABLE.filter((scope) => looks(scope) || scope === "alerts:write"),
  },
  publish: {
    label: "Publish",
    scopes: CHOOSABLE.filter((scope) => looks(scope) || scope.startsWith("alerts:")),
  },
  everything: { label: "Everything", scopes: CHOOSABLE },
};

interface Group {
  title: string;
  holds(scope: Scope): boolean;
}

export const SCOPE_GROUPS: readonly [Group, ...Group[]] = [
  { title: "Read", holds: looks },
  { title: "Change", holds: (scope) => scope.endsWith(":write") },
  { title: "Publish", holds: (scope) => scope === PUBLISH },
];

/** The least role with which a scope lets any operation through. */
export function leastRoleOf(tools: readonly Tool[], scope: Scope): Role {
  const roles = tools.filter((tool) => tool.scope === scope).map(({ role }) => role);
  return roles.reduce<Role>((least, role) => (roleReaches(least, role) ? role : least), "owner");
}

/** What a credential may do, folded; the fold itself says whether it publishes. */
export function mayDo(scopes: readonly string[]): Content {
  const held = ALL_SCOPES.filter((scope) => scopes.includes(scope));
  const count = `${held.length} ${held.length === 1 ? "permission" : "permissions"}`;
  return html`<details class="more"><summary>${count}${held.includes(PUBLISH) && ", can publish"}</summary>
    <dl class="scopes">${SCOPE_GROUPS.map(({ title, holds }) => {
      const own = held.filter(holds);
      return own.length > 0 && html`<dt>${title}</dt>${own.map((scope) => html`<dd>${scopeLine(scope)}</dd>`)}`;
    })}</dl></details>`;
}
