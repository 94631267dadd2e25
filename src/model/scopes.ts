// The scopes of credentials, each with a one-line description for the consent page, the docs and the README. An
// operation's record names the scope that it needs.

export const SCOPES = {
  "account:read": "View the current account, member and credential.",
  "webhooks:read": "List webhook endpoints and their failure counts.",
  "webhooks:write": "Add and remove webhook endpoints.",
  "pushers:read": "View channels and their counts.",
  "pushers:write": "Create, edit, pause and delete channels.",
  "invites:read": "View invites of private channels, including their codes.",
  "invites:write": "Create and revoke invites.",
  "alerts:read": "Read draft, scheduled, sent and cancelled alerts.",
  "alerts:write":
    "Write and edit drafts, return scheduled alerts to draft, and delete unsent alerts. Does not allow publishing.",
  "alerts:send": "Publish, schedule and cancel alerts. Sent alerts cannot be recalled.",
  "stats:read": "Read aggregate statistics.",
  "subscribers:read": "List subscribers. Each subscriber is identified by a pseudonym.",
  "audit:read": "Read the audit log: who changed what, with which key or assistant.",
} as const;

export type Scope = keyof typeof SCOPES;

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

/** The scope for publishing, which cannot be undone. */
export const PUBLISH_SCOPE: Scope = "alerts:send";

/**
 * The scopes that an assistant should request at first: reading, and writing drafts, which only members see before a
 * person sends them. A call that needs more requests it.
 */
export const INITIAL_ASSISTANT_SCOPES = ALL_SCOPES.filter(
  (scope) => scope.endsWith(":read") || scope === "alerts:write",
);

/** The scope of every credential (rules#account-read-always). */
export const IMPLICIT_SCOPE: Scope = "account:read";

export function isScope(value: string): value is Scope {
  return Object.hasOwn(SCOPES, value);
}
