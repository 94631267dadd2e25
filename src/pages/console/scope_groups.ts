// Scopes as forms show them: what only looks, what changes, what publishes; and which role each of them needs.

import { roleReaches } from "../../model/domain/visibility.ts";
import type { Role } from "../../model/entities/member.ts";
import { ALL_SCOPES, IMPLICIT_SCOPE, PUBLISH, type Scope } from "../../model/scopes.ts";
import type { Tool } from "../../operation/tool.ts";

/** The scopes that a person decides about; the implicit one comes with every credential. */
export const CHOOSABLE: Scope[] = ALL_SCOPES.filter((scope) => scope !== IMPLICIT_SCOPE);

const isRisky = (scope: Scope): boolean => scope === PUBLISH || scope.endsWith(":write");

const looks = (scope: Scope): boolean => !isRisky(scope);

/** What most keys are made for, each with everything of the one before it. */
export const PRESETS: Record<string, { label: string; scopes: readonly Scope[] }> = {
  read: { label: "Read", scopes: CHOOSABLE.filter(looks) },
  draft: {
    label: "May draft",
    scopes: CHOOSABLE.filter((scope) => looks(scope) || scope === "alerts:write"),
  },
  publish: {
    label: "May publish",
    scopes: CHOOSABLE.filter((scope) => looks(scope) || scope.startsWith("alerts:")),
  },
  everything: { label: "Everything", scopes: CHOOSABLE },
};

interface Group {
  title: string;
  holds(scope: Scope): boolean;
}

export const SCOPE_GROUPS: readonly [Group, ...Group[]] = [
  { title: "Look", holds: looks },
  { title: "Change", holds: (scope) => scope.endsWith(":write") },
  { title: "Publish", holds: (scope) => scope === PUBLISH },
];

/** The least role with which a scope lets any operation through. */
export function leastRoleOf(tools: readonly Tool[], scope: Scope): Role {
  const roles = tools.filter((tool) => tool.scope === scope).map(({ role }) => role);
  return roles.reduce<Role>((least, role) => (roleReaches(least, role) ? role : least), "owner");
}
