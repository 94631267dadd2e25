// What a credential may be allowed to do: one scope, one plain line. The consent page, the docs and the README read
// this table; which operation needs which scope stands in the operation's own record.

export const SCOPES = {
  "account:read": "See the current account, member and credential.",
  "webhooks:read": "List webhook endpoints and their failures.",
  "webhooks:write": "Add and remove webhook endpoints.",
  "pushers:read": "View channels and their counts.",
  "pushers:write": "Create, edit, pause and delete channels.",
  "invites:read": "View invites of private channels, including their codes.",
  "invites:write": "Create and revoke invites.",
  "alerts:read": "Read drafts, scheduled, sent and cancelled alerts.",
  "alerts:write":
    "Write and edit drafts, return scheduled alerts to draft, and delete unsent alerts. Does not publish.",
  "alerts:send": "Publish, schedule and cancel alerts. Sent alerts cannot be recalled.",
  "stats:read": "Read aggregate statistics.",
  "subscribers:read": "List subscribers by pseudonym.",
  "audit:read": "Read the audit log: who changed what, with which key or assistant.",
} as const;

export type Scope = keyof typeof SCOPES;

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

/** The scope of whatever is published, which nobody can take back. */
export const PUBLISH_SCOPE: Scope = "alerts:send";

/**
 * What an assistant is told to ask for at first: to look, and to write drafts, which nobody sees before a person
 * sends them. More is asked for by the call that needs it.
 */
export const INITIAL_SCOPES = ALL_SCOPES.filter((scope) => scope.endsWith(":read") || scope === "alerts:write");

/** What every credential holds (rules#account-read-always). */
export const IMPLICIT_SCOPE: Scope = "account:read";

export function isScope(value: string): value is Scope {
  return Object.hasOwn(SCOPES, value);
}
