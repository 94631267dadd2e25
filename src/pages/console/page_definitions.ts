// A page is a record: method, path, whom it is for, and its response. A visit is what the record is given; it has no
// access to the database. It has sign-in, and operations through dispatch, which checks permissions. After a form was
// sent, a page shows the outcome once. A cookie carries its code, never its text.

import type { z } from "zod";
import type { KnownOperation } from "../../../operations/index.ts";
import type { ConsoleSession, ConsoleSessions } from "../../identity/auth/console_sessions.ts";
import type { LinkRedemptionService } from "../../identity/auth/link_redemption.ts";
import type { SendMail } from "../../identity/auth/mail.ts";
import type { AuthorizeHandler } from "../../identity/auth/oauth_authorize.ts";
import type { ApiError } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { isRoleAtLeast } from "../../model/domain/member_access_rules.ts";
import type { OwnerOperation, SessionOperation } from "../../operation/define_operation.ts";
import type { Dispatcher } from "../../operation/dispatcher.ts";
import type { Log, MemberCaller } from "../../store/handler_context.ts";
import type { Html, HtmlContent } from "../../ui/html.ts";
import {
  type FormErrorOptions,
  type FormFiles,
  type FormProtection,
  type FormRenderer,
  withFormErrors,
} from "./form_submission.ts";
import type { PageOptions } from "./page_layout.ts";

export const FLASH_MESSAGES = {
  "signed-out": "You are signed out.",
  "session-ended": "The session has ended.",
  "password-changed": "Your password was changed, and all other sessions were ended.",
  "password-reset":
    "Your password was set. Your other sessions were ended and your passkeys were removed. Two-factor " +
    "authentication was also removed if it was set up before your address was verified.",
  "name-changed": "Your name was changed in every workspace.",
  "workspace-made": "Workspace created. You are its owner.",
  "workspace-renamed": "The workspace was renamed.",
  "retention-set": "Saved. See below how many alerts will be deleted, and when.",
  "workspace-left": "You left the workspace.",
  "account-closed": "Your account was closed.",
  "second-factor-off": "Two-factor authentication is off. Your password alone is enough to sign in.",
  "oidc-connected": "Single sign-on is connected. You can now use it to sign in.",
  "oidc-disconnected": "Single sign-on is disconnected. You can no longer use it to sign in to this account.",
  "passkey-added": "The passkey was added. You can now sign in with it.",
  "passkey-removed": "The passkey was removed. It can no longer be used to sign in.",
  "device-unlinked": "The device was unlinked. It no longer receives tests.",
  "channel-opened": "Channel created. Write its first alert and share its address.",
  "channel-opened-silent":
    "Channel created. It requests no permissions, so its alerts appear only in the inbox, without a banner or sound.",
  "channel-saved": "Channel saved.",
  "channel-saved-silent":
    "Channel saved. It requests no permissions, so its alerts appear only in the inbox, without a banner or sound.",
  "channel-kept":
    "Channel saved. The page shows below how many alerts will be deleted, and when. You can undo this until that time.",
  "channel-same": "No changes to save.",
  "channel-paused": "The channel is paused. It cannot send alerts until it is resumed.",
  "channel-resumed": "The channel is active again.",
  "channel-deleted": "The channel and all its alerts were deleted.",
  "invite-made": "Invite created.",
  "invite-revoked": "The invite was revoked. Devices that joined with it stay subscribed.",
  "invite-evicted": "The invite was revoked, and the devices that joined with it were unsubscribed.",
  "member-changed": "Member updated. The change takes effect with their next request.",
  "member-removed": "The member was removed. Their keys and assistants no longer work.",
  "file-uploaded": "The file was uploaded. You can now use it in alerts.",
  "file-deleted": "The file was deleted.",
  "sender-tested": "This draft shows how the sender’s messages look. It has not been sent.",
  "key-revoked": "The key was revoked and no longer works.",
  "key-saved": "Key updated. The change takes effect with its next call.",
  "assistant-saved": "Assistant updated. The change takes effect with the assistant's next call.",
  "alert-drafted": "Moved back to draft.",
  "alert-saved": "Draft saved.",
  "alert-tested": "The test was sent to your test devices that are subscribed to this channel.",
  "alert-deleted": "The alert was deleted.",
  "alert-sent": "The alert was sent.",
  "alert-sent-before": "The alert was already sent from this form. It was not sent again.",
  "alert-scheduled": "The alert was scheduled.",
  "alert-cancelled": "The alert was cancelled. Devices that have not fetched it will not show it.",
  "alerts-moved": "The alerts were moved.",
  "alerts-cancelled": "The alerts were cancelled.",
  "alerts-deleted": "The alerts were deleted.",
  "alerts-deleted-some": "The alerts were deleted. Alerts that had already been sent or deleted were skipped.",
  "nothing-selected": "No alerts were selected. Select alerts first.",
  "alert-declined": "The alert was declined. Its author can see your comment.",
  "alert-duplicated": "The alert was copied to this draft.",
  "webhook-tested": "A test event was sent. Its result appears under Deliveries.",
  "webhook-redelivered": "The event was sent again. Its result appears under Deliveries.",
  "webhook-changed": "The choice of events was saved. It takes effect with the next event.",
  "webhook-paused": "The webhook is paused. It will receive no events until it is resumed.",
  "webhook-resumed": "The webhook is active again. It will receive new events.",
  "webhook-enabled": "The webhook is enabled again. It will receive new events.",
  "webhook-deleted": "The webhook was deleted.",
  disconnected: "The assistant was disconnected and no longer has access.",
} as const;

export type FlashCode = keyof typeof FLASH_MESSAGES;
export const FLASH_COOKIE = "belfry_flash";

export interface ConsoleDeps {
  people: ConsoleSessions;
  joining: LinkRedemptionService;
  authorize: AuthorizeHandler;
  dispatcher: Dispatcher;
  tools: readonly OwnerOperation[];
  forms: FormProtection;
  /** Null where no mail server is configured. */
  mail: SendMail | null;
  publicUrl: string;
  /** The host name of the ntfy API at its root; null without one. */
  ntfyHost: string | null;
  /** Days that a line of the audit log is kept; 0 for ever. */
  auditRetentionDays: number;
  now(): Date;
}

export interface PageContext {
  deps: ConsoleDeps;
  request: Request;
  url: URL;
  address: string | null;
  log: Log;
  params: Record<string, string>;
  form: URLSearchParams;
  /** The files that a form brought, on pages that take any. */
  files: FormFiles;
  session: ConsoleSession | null;
  caller: MemberCaller | null;
  /** The hidden field that every form carries. */
  token: Html;
  now: Date;
  page(title: string, body: HtmlContent, options?: PageOptions): Response;
  part(body: Html): Response;
  /** Another page of ours, optionally with a message on top of it. */
  goTo(path: string, flash?: FlashCode, cookies?: readonly string[]): Response;
}

export interface PersonPageContext extends PageContext {
  session: ConsoleSession;
  /** Runs an operation that only a signed-in person can do, as this person. */
  asPerson<I extends z.ZodObject, O extends z.ZodType>(
    operation: SessionOperation<"person", I, O>,
    args: z.input<I>,
  ): Promise<z.output<O>>;
}

export interface MemberPageContext extends PersonPageContext {
  caller: MemberCaller;
  base: string;
  /** Runs an operation that only a signed-in person can do, as this member. */
  asMember<I extends z.ZodObject, O extends z.ZodType>(
    operation: SessionOperation<"member", I, O>,
    args: z.input<I>,
  ): Promise<z.output<O>>;
  /**
   * Runs an operation available to keys and assistants, as this member. With `once`, a form that is sent twice makes
   * one thing (rules#idempotency).
   */
  call<N extends OperationName>(tool: N, args?: ArgumentsOf<N>, once?: string | null): Promise<OperationResult<N>>;
}

type OperationName = KnownOperation["name"];
type Named<N extends OperationName> = Extract<KnownOperation, { name: N }>;
/** Names are validated here, values by the operation. */
type ArgumentsOf<N extends OperationName> = { [A in keyof z.input<Named<N>["input"]>]?: unknown };
/** The result of each operation, by its name. */
export type OperationResult<N extends OperationName> = z.output<Named<N>["output"]>;
/** A row of its list. */
export type OperationResultRow<N extends OperationName> =
  OperationResult<N> extends { data: (infer Row)[] } ? Row : never;
export type GetAlertResult = Omit<OperationResult<"get_alert">, "via" | "decision">;
export type ChannelResult = OperationResult<"get_pusher">;

export interface ConsolePage {
  method: "GET" | "POST";
  path: string;
  for: "anyone" | "person" | "member";
  /** It writes although the request is a GET, as every form does. */
  writes?: true;
  /**
   * Its form may bring files, and has at most this many bytes with them; without it, a form of the usual size without
   * any.
   */
  maxFiles?: number;
  /** The most bytes of a form without files; MAX_BODY_BYTES.usual when left out. */
  maxBody?: number;
  answer(context: PageContext): Promise<Response>;
  /** The page again, for a form that could not be read; without it the refusal is a page of its own. */
  unread?(context: PageContext, error: ApiError): Promise<Response>;
  /** The page again with what was written in it, and nothing done: for a form whose session was over. */
  again?(context: PageContext, error: ApiError): Promise<Response> | Response;
}

const pageFor =
  <V extends PageContext>(whom: ConsolePage["for"], below = "") =>
  (method: ConsolePage["method"], path: string, answer: (context: V) => Promise<Response>): ConsolePage => ({
    ...{ method, path: below + path, for: whom },
    answer: answer as ConsolePage["answer"],
  });

/** A page before sign-in. */
export const defineAnonymousPage = pageFor<PageContext>("anyone");

/** A page of a signed-in person, of no workspace. */
export const defineSignedInPage = pageFor<PersonPageContext>("person");

/** A page of a workspace, below /console/{workspace}/. Others than its members get 404. */
export const defineMemberPage = pageFor<MemberPageContext>("member", "/console/:workspace");

const formFor =
  <V extends PageContext>(page: ReturnType<typeof pageFor<V>>) =>
  (
    path: string,
    again: FormRenderer<V> | FormErrorOptions<V>,
    answer: (context: V) => Promise<Response>,
  ): ConsolePage =>
    typeof again === "function"
      ? { ...page("POST", path, answer), again: again as ConsolePage["again"] }
      : { ...page("POST", path, withFormErrors(again, answer)), again: again.again as ConsolePage["again"] };

/** Handles a form of a signed-in person. Shows it again if the session was over, or where `again` requires it. */
export const defineSignedInForm = formFor(defineSignedInPage);

/** The same for a form of a workspace. */
export const defineMemberForm = formFor(defineMemberPage);

/** The operation of a name. */
export const getOperation = ({ tools }: Pick<ConsoleDeps, "tools">, name: OperationName): OwnerOperation =>
  assertDefined(
    tools.find((tool) => tool.name === name),
    "the name is in the list",
  );

/** Reports if the visitor's role permits an operation. Pages offer only permitted actions; dispatch enforces it. */
export const canUse = ({ caller, deps }: MemberPageContext, tool: OperationName): boolean =>
  isRoleAtLeast(caller.member.role, getOperation(deps, tool).role);
