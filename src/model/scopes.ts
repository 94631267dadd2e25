// What a credential may be allowed to do: one scope, one plain line. The consent page, the docs and the README read
// this table; which operation needs which scope stands in the operation's own record.

export const SCOPES = {
  "account:read": "See which account, member and credential this is.",
  "webhooks:read": "List the registered webhook endpoints and their failures.",
  "webhooks:write": "Register and remove webhook endpoints.",
  "pushers:read": "See the alert channels and their counts.",
  "pushers:write": "Open, change, pause and delete alert channels.",
  "invites:read": "See the invites of private channels, their codes included.",
  "invites:write": "Create and revoke invites.",
  "alerts:read": "Read drafts, scheduled, sent and cancelled alerts.",
  "alerts:write":
    "Write and edit drafts, return a scheduled alert to draft, delete what was not sent. It never publishes.",
  "alerts:send": "Publish, schedule and withdraw alerts. A sent alert cannot be unsent.",
  "stats:read": "Read the aggregate statistics.",
  "subscribers:read": "List the pseudonymous subscribers.",
  "audit:read": "Read the audit log: who changed what, and by which key or assistant.",
} as const;

export type Scope = keyof typeof SCOPES;

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

/** The scope of whatever is published, which nobody can take back. */
export const PUBLISH: Scope = "alerts:send";

/**
 * What an assistant is told to ask for at first: to look, and to write drafts, which nobody sees before a person sends them. More is asked
 * for by the call that needs it.
 */
export const BASE_SCOPES = ALL_SCOPES.filter((scope) => scope.endsWith(":read") || scope === "alerts:write");

/** What every credential holds (docs/rules.md#account-read-always). */
export const IMPLICIT_SCOPE: Scope = "account:read";

export function isScope(value: string): value is Scope {
  return Object.hasOwn(SCOPES, value);
}
