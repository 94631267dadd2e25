// Lines of the audit log in the past tense, without their actor: "sent {an alert}". The braces contain a text for a
// subject without a name. Pages put the name of the subject there.

import type { AccountAction } from "../../identity/auth/account_audit.ts";
import { type Html, html } from "../../ui/html.ts";

/** A phrase, or one for each state that the action left; `""` is that of all others. */
type Phrase = string | Readonly<Record<string, string>>;

/** Each action of the log by its name. */
export const AUDIT_PHRASES: Readonly<Record<AccountAction, Phrase> & Record<string, Phrase>> = {
  create_alert: {
    "": "created {an alert}",
    draft: "saved {an alert} as a draft",
    repeating: "scheduled {an alert}, repeating",
    scheduled: "scheduled {an alert}",
    sent: "sent {an alert}",
  },
  update_alert: "edited {an alert}",
  duplicate_alert: "created {an alert} as a copy",
  test_alert: "tested {an alert}",
  decline_alert: "declined {an alert}",
  schedule_alert: "scheduled {an alert}",
  send_alert: "sent {an alert}",
  cancel_alert: "cancelled {an alert}",
  delete_alert: "deleted {an alert}",
  move_alerts: { "": "moved {an alert}", cancelled: "cancelled {an alert}" },

  create_pusher: "created {a channel}",
  update_pusher: { "": "changed {a channel}", active: "resumed {a channel}", paused: "paused {a channel}" },
  delete_pusher: "deleted {a channel}",
  suspend_channel: "suspended {a channel}",
  restore_channel: "restored {a channel}",
  import_from: "imported {a channel}",
  open_reviews: "opened the review channel",
  create_invite: "created {an invite}",
  revoke_invite: "revoked {an invite}",

  create_webhook: "added {a webhook}",
  update_webhook: "changed {a webhook}",
  delete_webhook: "removed {a webhook}",
  enable_webhook: "enabled {a webhook}",
  test_webhook: "tested {a webhook}",
  rotate_webhook_secret: "rotated the secret of {a webhook}",
  redeliver: "redelivered an event",

  create_key: "created {a key}",
  update_key: "changed {a key}",
  revoke_key: "revoked {a key}",
  grant_connection: "connected an assistant",
  update_connection: "changed an assistant",
  end_connection: "disconnected an assistant",
  reuse_refresh_token: {
    "": "reused a refresh token within one minute of its first use",
    failed: "was disconnected because an old refresh token was reused",
  },

  add_member: "added {a member}",
  update_member: "changed {a member}",
  link_member: "created a one-time link for {a member}",
  remove_member: "removed {a member}",
  claim_account: "created an account with a link",
  join_workspace: { "": "joined the workspace with a link", failed: "tried to join the workspace as {a member}" },
  join_oidc: "joined the workspace with single sign-on",
  leave_workspace: "left the workspace",

  sign_in: { "": "signed in", failed: "tried to sign in as {a member}" },
  sign_in_second_factor: {
    "": "signed in with two-factor authentication",
    failed: "tried to sign in as {a member} with two-factor authentication",
  },
  sign_in_passkey: { "": "signed in with a passkey", failed: "tried to sign in as {a member} with a passkey" },
  sign_in_oidc: { "": "signed in with single sign-on", failed: "tried to sign in as {a member} with single sign-on" },
  sign_out: "signed out",
  end_session: "ended a session",
  ask_password_link: "requested a password reset for {a member}",
  follow_link: { "": "used a one-time link", failed: "tried to use an expired link of {a member}" },
  reset_password: "set a new password with a link",
  change_password: "changed the password",
  begin_second_factor: "began two-factor setup",
  confirm_second_factor: "turned on two-factor authentication",
  renew_recovery_codes: "created new recovery codes",
  end_second_factor: "turned off two-factor authentication of {the account}",
  begin_passkey: "began to add a passkey",
  add_passkey: "added a passkey",
  remove_passkey: "removed a passkey",
  connect_oidc: "connected the account to single sign-on",
  remove_oidc_connection: "disconnected the account from single sign-on",
  mail_drafts: "turned review e-mails on or off",
  update_profile: "changed the name of the account",
  close_account: "closed the account",
  link_own_device: "created a link for a test device",
  unlink_own_device: "unlinked a test device",

  create_workspace: "created the workspace",
  rename_workspace: "renamed the workspace",
  set_retention: "changed the alert retention",
  upload_file: "uploaded a file",
  delete_file: "deleted a file",
  import: "imported the workspace",
  rotate_secret: "rotated the secret of the server",
};

/** The kind of a named subject, where the name alone is unclear. */
const KINDS: Readonly<Record<string, string>> = {
  psh: "the channel ",
  inv: "the invite ",
  whk: "the webhook ",
  key: "the key ",
};

/** The parts of a line that choose its phrase. */
interface Line {
  operation: string;
  status: string | null;
  changed: readonly string[] | null;
}

/** The phrase of a line, as its text before the subject, the text for a subject without a name, and the rest. */
function selectPhrase({ operation, status, changed }: Line): [string, string, string] {
  const phrase = Object.hasOwn(AUDIT_PHRASES, operation)
    ? AUDIT_PHRASES[operation]
    : `ran ${operation.replaceAll("_", " ")}`;
  // An edit of other fields left the state as it was.
  const state = changed && !changed.includes("status") ? "" : (status ?? "");
  const text = (typeof phrase === "string" ? phrase : (phrase?.[state] ?? phrase?.[""])) ?? "";
  const [before = "", subject = "", after = ""] = text.split(/[{}]/);
  return [before, subject, after];
}

/** The phrase as text, for an order of lines. */
export const sortableAuditPhrase = (line: Line): string => selectPhrase(line).join("");

/** The phrase with its subject: a name in markup, or null for a subject without one. */
export function renderAuditPhrase(line: Line & { subject_id: string | null }, name: Html | null): Html {
  const [before, subject, after] = selectPhrase(line);
  const kind = KINDS[line.subject_id?.slice(0, 3) ?? ""] ?? "";
  const named = name ? html`${kind}${name}` : html`<span title="${line.subject_id}">${subject}</span>`;
  return html`${before}${subject && named}${after}`;
}

/** The phrase about the alert of the page: "edited it". */
export const formatPhraseAboutAlert = (line: Line): string => {
  const [before, subject, after] = selectPhrase(line);
  return `${before}${subject && "it"}${after}`;
};
