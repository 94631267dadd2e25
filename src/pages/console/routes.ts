// Mounts every page. Checks before a page's own code runs: the origin of the form, the session, and its workspace.
// Dispatch checks permissions. Refusals are also pages.

import type { H3, H3Event } from "h3";
import { createErrorResponse, getEventRequest, prefersHtml } from "../../api/transports/http_responses.ts";
import type { RouteMeta } from "../../api/transports/request_body.ts";
import { acceptsGzip, compressHtmlPage } from "../../api/transports/static_content.ts";
import { type ConsoleSession, getSessionMemberCaller, toSignedInPerson } from "../../identity/auth/console_sessions.ts";
import { isLoopbackHost } from "../../identity/auth/redirect_uris.ts";
import { ApiError, forbidden, notFound } from "../../model/api_error.ts";
import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { MAX_BODY_BYTES } from "../../operation/define_operation.ts";
import { toApiError } from "../../store/db/database_unavailable_errors.ts";
import type { Log, MemberCaller } from "../../store/handler_context.ts";
import { COLOR_SCHEME_SCRIPT } from "../../ui/color_scheme_choice.ts";
import { ICON, LOCAL_TIME_SCRIPT, SESSION_HINT_SCRIPT, STYLES, staticFileResponse } from "../../ui/static_files.ts";
import {
  type FormFiles,
  formRestoredError,
  getCookie,
  isMultipartForm,
  MAX_PRESERVED_FORM_BYTES,
  PRESERVED_FORM_FIELD,
  readFileForm,
  readForm,
  sessionChangedError,
  signedOutError,
} from "./form_submission.ts";
import {
  type ConsoleDeps,
  type ConsolePage,
  defineAnonymousPage,
  FLASH_COOKIE,
  FLASH_MESSAGES,
  type FlashCode,
  getOperation,
  type MemberPageContext,
  type OperationResult,
  type PageContext,
  type PersonPageContext,
} from "./page_definitions.ts";
import { CONSOLE_FILES, partResponse, redirectTo, renderConsolePage } from "./page_layout.ts";
import { ACCOUNT_PAGES } from "./pages/account.ts";
import { WORKSPACE_SETTINGS_PAGES } from "./pages/account_workspaces.ts";
import { ALERT_LIST_PAGES } from "./pages/alert_lists.ts";
import { AUDIT_PAGES } from "./pages/audit.ts";
import { BULK_ALERT_PAGES } from "./pages/bulk_alerts.ts";
import { CALENDAR_PAGES } from "./pages/calendar.ts";
import { CHANNEL_EDIT_PAGES } from "./pages/channel_create_and_edit.ts";
import { CHANNEL_DELETE_PAGES, CHANNEL_LIST_PAGES } from "./pages/channels.ts";
import { COMPOSE_PAGES } from "./pages/compose.ts";
import { renderErrorPage } from "./pages/confirmation.ts";
import { CONNECTED_ASSISTANT_PAGES } from "./pages/connected_assistants.ts";
import { CONSENT_PAGES } from "./pages/consent.ts";
import { FIND_PAGES } from "./pages/console_search.ts";
import { FILE_PAGES } from "./pages/files.ts";
import { CHANNEL_INVITE_PAGES } from "./pages/invites.ts";
import { KEY_PAGES } from "./pages/keys.ts";
import { MEMBER_PAGES } from "./pages/members.ts";
import { OIDC_PAGES } from "./pages/oidc_sign_in_and_connect.ts";
import { ONE_TIME_LINK_PAGES } from "./pages/one_time_link.ts";
import { OVERVIEW_PAGES } from "./pages/overview.ts";
import { REVIEW_PAGES } from "./pages/review.ts";
import { REVIEW_NOTIFICATION_PAGES } from "./pages/review_notifications.ts";
import { SENDER_PAGES } from "./pages/senders.ts";
import { SERVICE_STATUS_PAGES } from "./pages/service_status.ts";
import { renderSignInPage, SIGN_IN_CHALLENGE_PAGES, SIGN_IN_PAGES } from "./pages/sign_in.ts";
import { SIGN_IN_METHOD_PAGES } from "./pages/sign_in_methods.ts";
import { STATISTICS_PAGES } from "./pages/statistics.ts";
import { SUBSCRIBER_PAGES } from "./pages/subscribers.ts";
import { WEBHOOK_DELIVERY_DETAIL_PAGES } from "./pages/webhook_delivery.ts";
import { WEBHOOK_DETAIL_PAGES } from "./pages/webhook_details.ts";
import { WEBHOOK_PAGES } from "./pages/webhooks.ts";
import { SETTINGS_PAGES } from "./pages/workspace_settings.ts";

export const CONSOLE_PAGES: readonly ConsolePage[] = [
  ...OVERVIEW_PAGES,
  ...CHANNEL_LIST_PAGES,
  ...CHANNEL_EDIT_PAGES,
  ...CHANNEL_DELETE_PAGES,
  ...FIND_PAGES,
  ...CHANNEL_INVITE_PAGES,
  ...SENDER_PAGES,
  ...COMPOSE_PAGES,
  ...REVIEW_PAGES,
  ...ALERT_LIST_PAGES,
  ...REVIEW_NOTIFICATION_PAGES,
  ...BULK_ALERT_PAGES,
  ...CALENDAR_PAGES,
  ...STATISTICS_PAGES,
  ...SUBSCRIBER_PAGES,
  ...WEBHOOK_PAGES,
  ...WEBHOOK_DETAIL_PAGES,
  ...WEBHOOK_DELIVERY_DETAIL_PAGES,
  ...AUDIT_PAGES,
  ...SERVICE_STATUS_PAGES,
  ...SIGN_IN_PAGES,
  ...SIGN_IN_CHALLENGE_PAGES,
  ...OIDC_PAGES,
  ...ONE_TIME_LINK_PAGES,
  ...CONSENT_PAGES,
  ...ACCOUNT_PAGES,
  ...SIGN_IN_METHOD_PAGES,
  ...WORKSPACE_SETTINGS_PAGES,
  ...SETTINGS_PAGES,
  ...MEMBER_PAGES,
  ...KEY_PAGES,
  ...FILE_PAGES,
  ...CONNECTED_ASSISTANT_PAGES,
];

/** The app's context of a request. */
interface ConsoleServerHooks {
  /** @throws ApiError while nothing may be written. */
  mustHaveRoom(): void;
  getRequestLog(event: H3Event): Log;
  addressOf(event: H3Event): string | null;
}

export function addConsole(app: H3, deps: ConsoleDeps, support: ConsoleServerHooks): void {
  for (const file of [STYLES, ICON, LOCAL_TIME_SCRIPT, COLOR_SCHEME_SCRIPT, SESSION_HINT_SCRIPT, ...CONSOLE_FILES])
    app.get(file.path, (event) => staticFileResponse(file, acceptsGzip(getEventRequest(event))));
  for (const page of CONSOLE_PAGES) {
    const meta: RouteMeta = { maxBody: page.maxFiles ?? page.maxBody ?? MAX_BODY_BYTES.usual };
    const answer = async (event: H3Event) =>
      compressHtmlPage(getEventRequest(event), await serve(page, event, deps, support));
    app.on(page.method, page.path, answer, { meta });
    if (page.method === "GET") app.on("HEAD", page.path, answer);
  }
  const nowhere = defineAnonymousPage("GET", "", async () => {
    throw notFound("page");
  });
  app.all("/console/**", (event) => serve(nowhere, event, deps, support));
}

async function serve(
  page: ConsolePage,
  event: H3Event,
  deps: ConsoleDeps,
  support: ConsoleServerHooks,
): Promise<Response> {
  const request = getEventRequest(event);
  const log = support.getRequestLog(event);
  const url = new URL(request.url);
  const params = (event.context.params ?? {}) as Record<string, string>;
  const elsewhere = otherNameOfThisMachine(request, url, deps.publicUrl);
  if (elsewhere) return redirectTo(elsewhere);

  let session: ConsoleSession | null = null;
  let caller: MemberCaller | null = null;
  let reading = false;
  let form: URLSearchParams | null = null;
  const build = (form: URLSearchParams, files: FormFiles = new Map()) =>
    visitOf({ deps, request, url, params, form, files, session, caller, log, address: support.addressOf(event) });
  const at = url.pathname + url.search;
  try {
    if (page.method === "POST") deps.forms.checkOrigin(request.headers);
    session = await deps.people.session(request.headers);
    if (page.for !== "anyone" && !session) {
      if (page.method === "GET") return redirectTo(`/console/sign-in?${new URLSearchParams({ next: at })}`);
      const next = new URLSearchParams({ next: wayBack(page, request, at) });
      const kept = deps.forms.keep({ at, form: await writtenIn(page, request) });
      if (kept !== null) next.set(PRESERVED_FORM_FIELD, kept);
      return await renderSignInPage(asVisitor(build(next)), { error: signedOutError() });
    }
    if (page.for === "member") {
      const id = parseIdOrNull("wsp", params.workspace ?? "");
      caller = id && session ? getSessionMemberCaller(session, id) : null;
      if (!caller) throw notFound("workspace");
    }
    if (page.method === "POST" || page.writes) support.mustHaveRoom();
    let files: FormFiles = new Map();
    if (page.method === "POST") {
      reading = true;
      if (page.maxFiles !== undefined && isMultipartForm(request)) ({ form, files } = await readFileForm(request));
      else form = await readForm(request);
      reading = false;
      // Kept text is only shown, so it needs no proof of its origin.
      const kept = page.again && deps.forms.kept(form.get(PRESERVED_FORM_FIELD));
      if (page.again && kept?.at === at) return await page.again(build(kept.form), formRestoredError());
      if (!deps.forms.holdsToken(form, request.headers, page.for === "anyone" ? null : session)) {
        if (page.again) return await page.again(build(form), sessionChangedError());
        throw forbidden(
          "origin_not_allowed",
          "This form is no longer valid. Go back, reload the page and submit it again.",
        );
      }
    }
    const context = build(form ?? new URLSearchParams(), files);
    // Before sign-in, forms are tied to a cookie of the visitor.
    return await page.answer(page.for === "anyone" ? asVisitor(context) : context);
  } catch (error) {
    if (!(error instanceof ApiError)) log.error({ err: error }, "page failed");
    const refused = toApiError(error);
    if (refused.type === "not_found" && !prefersHtml(request)) return createErrorResponse(refused);
    const context = build(new URLSearchParams());
    const written = refused.type === "server_error" ? (form ?? (await writtenIn(page, request))) : null;
    const response =
      reading && page.unread
        ? await page.unread(context, refused)
        : renderErrorPage(context, refused, written && page.again ? deps.forms.keep({ at, form: written }) : null);
    const retryAfter = refused.headers["retry-after"];
    if (retryAfter) response.headers.set("retry-after", retryAfter);
    return response;
  }
}

/** The fields of a form that cannot be accepted now, without its files; nothing of a form above the size limit. */
async function writtenIn(page: ConsolePage, request: Request): Promise<URLSearchParams> {
  const nothing = new URLSearchParams();
  const size = Number(request.headers.get("content-length") ?? Number.POSITIVE_INFINITY);
  if (!page.again || page.method === "GET" || size > MAX_PRESERVED_FORM_BYTES) return nothing;
  try {
    return isMultipartForm(request) ? (await readFileForm(request)).form : await readForm(request);
  } catch {
    return nothing;
  }
}

/** The next address after a button: the page of the same address, or the page that had the button. */
function wayBack({ path }: ConsolePage, { headers }: Request, at: string): string {
  if (CONSOLE_PAGES.some((page) => page.method === "GET" && page.path === path)) return at;
  return URL.parse(headers.get("referer") ?? "")?.pathname ?? "/console";
}

/** To a browser, `localhost` and `127.0.0.1` are two origins: a cookie of one is not sent to the other. */
function otherNameOfThisMachine(request: Request, url: URL, publicUrl: string): string | null {
  const own = new URL(publicUrl);
  if (request.method !== "GET" || url.hostname === own.hostname || url.port !== own.port) return null;
  if (!isLoopbackHost(url.hostname) || !isLoopbackHost(own.hostname)) return null;
  return own.origin + url.pathname + url.search;
}

type VisitFacts = Pick<
  PageContext,
  "deps" | "request" | "url" | "params" | "form" | "files" | "session" | "caller" | "log" | "address"
>;

function visitOf(facts: VisitFacts): PageContext {
  const { deps, request, session, caller } = facts;
  const token = session ? deps.forms.sessionField(session) : deps.forms.visitorField(request.headers).field;
  const flashCode = request.method === "GET" ? getCookie(request.headers, FLASH_COOKIE) : null;
  // The account belongs to no workspace. Its pages keep the menu of the workspace that /console opens.
  const [first] = facts.url.pathname.startsWith("/console/account") ? (session?.memberships ?? []) : [];
  const accountCaller = session && first ? getSessionMemberCaller(session, first.workspace_id) : null;
  const context: PageContext = {
    ...facts,
    token,
    now: deps.now(),
    page: (title, body, options = {}) =>
      renderConsolePage({
        ...{ title, body, session, caller: caller ?? accountCaller, signOutField: token, ...options },
        publicUrl: deps.publicUrl,
        path: facts.url.pathname,
        flash: flashCode && Object.hasOwn(FLASH_MESSAGES, flashCode) ? FLASH_MESSAGES[flashCode as FlashCode] : null,
        cookies: [...(options.cookies ?? []), flashCode && deps.forms.cookie(FLASH_COOKIE, "", 0)],
      }),
    part: partResponse,
    goTo: (path, flash, cookies = []) =>
      redirectTo(path, [...cookies, flash ? deps.forms.cookie(FLASH_COOKIE, flash, 60) : null]),
  };
  if (!session) return context;
  const { dispatcher } = deps;
  const person: PersonPageContext = {
    ...context,
    session,
    asPerson: (operation, args) =>
      dispatcher.runSession(operation, { person: toSignedInPerson(session) }, { args, log: facts.log }),
  };
  if (!caller) return person;
  const member: MemberPageContext = {
    ...person,
    caller,
    base: `/console/${formatId("wsp", caller.workspace.id)}/`,
    asMember: (operation, args) => dispatcher.runSession(operation, caller, { args, log: facts.log }),
    async call(name, args = {}, once = null) {
      const tool = getOperation(deps, name);
      const call = { args, log: facts.log, transport: "console", idempotencyKey: once } as const;
      return (await dispatcher.run(tool, caller, call)).body as OperationResult<typeof name>;
    },
  };
  return member;
}

/** Forms of open pages carry the visitor's token; signing out in the frame stays tied to the session. */
function asVisitor(context: PageContext): PageContext {
  const { field, cookie } = context.deps.forms.visitorField(context.request.headers);
  return {
    ...context,
    token: field,
    page: (title, body, options = {}) =>
      context.page(title, body, { ...options, cookies: [...(options.cookies ?? []), cookie] }),
  };
}
