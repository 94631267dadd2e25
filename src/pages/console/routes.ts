// Mounts every page. Decides, before a page's own code runs: where the form came from, who is signed in, and of which
// workspace. What the person may do, dispatch says. Refusals are pages, too.

import type { H3, H3Event } from "h3";
import { refusal, wantsPage } from "../../api/transports/answers.ts";
import type { RouteMeta } from "../../api/transports/body.ts";
import { requestOf } from "../../api/transports/request.ts";
import { compressed, takesGzip } from "../../api/transports/static.ts";
import { callerOf, personOf, type Session } from "../../identity/auth/people.ts";
import { isLoopbackName } from "../../identity/auth/redirects.ts";
import { parseId, showId } from "../../model/domain/ids.ts";
import { ApiError, forbidden, notFound } from "../../model/errors.ts";
import { MAX_BODY } from "../../operation/tool.ts";
import type { Log, MemberCaller } from "../../store/context.ts";
import { faultOf } from "../../store/db/unavailable.ts";
import { fileAnswer, ICON, STYLES } from "../../ui/files.ts";
import { CLOCK_SCRIPT } from "../../ui/instants.ts";
import {
  cookieOf,
  isFileForm,
  KEPT_FIELD,
  MAX_KEPT,
  readFileForm,
  readForm,
  type SentFiles,
  signedInAnew,
  signedOut,
  welcomeBack,
} from "./forms.ts";
import { CONSOLE_FILES, framed, goTo, partAnswer } from "./page.ts";
import { ACCOUNT_PAGES } from "./pages/account.ts";
import { ALERT_LIST_PAGES } from "./pages/alert_lists.ts";
import { AUDIT_PAGES } from "./pages/audit.ts";
import { CHANNEL_EDIT_PAGES } from "./pages/channel_edit.ts";
import { CHANNEL_DELETE_PAGES, CHANNEL_LIST_PAGES } from "./pages/channels.ts";
import { COMPOSE_PAGES } from "./pages/compose.ts";
import { errorPage } from "./pages/confirm.ts";
import { CONSENT_PAGES } from "./pages/consent.ts";
import { FILE_PAGES } from "./pages/files.ts";
import { INVITE_PAGES } from "./pages/invites.ts";
import { ASSISTANT_PAGES, KEY_PAGES } from "./pages/keys.ts";
import { MEMBER_PAGES } from "./pages/members.ts";
import { MONTH_PAGES } from "./pages/month.ts";
import { OVERVIEW_PAGES } from "./pages/overview.ts";
import { OWN_WORKSPACE_PAGES } from "./pages/own_workspaces.ts";
import { REVIEW_PAGES } from "./pages/review.ts";
import { SENDER_PAGES } from "./pages/senders.ts";
import { SERVICE_PAGES } from "./pages/service.ts";
import { SECOND_STEP_PAGES, SIGN_IN_PAGES, signInForm } from "./pages/sign_in.ts";
import { STATISTICS_PAGES } from "./pages/statistics.ts";
import { SUBSCRIBER_PAGES } from "./pages/subscribers.ts";
import { WAYS_IN_PAGES } from "./pages/ways_in.ts";
import { ONE_WEBHOOK_PAGES } from "./pages/webhook.ts";
import { WEBHOOK_PAGES } from "./pages/webhooks.ts";
import { WELCOME_PAGES } from "./pages/welcome.ts";
import {
  type AnswerOf,
  type ConsoleDeps,
  FLASH_COOKIE,
  FLASHES,
  type FlashCode,
  type MemberVisit,
  openPage,
  type Page,
  type PersonVisit,
  toolOf,
  type Visit,
} from "./visit.ts";

export const PAGES: readonly Page[] = [
  ...OVERVIEW_PAGES,
  ...CHANNEL_LIST_PAGES,
  ...CHANNEL_EDIT_PAGES,
  ...CHANNEL_DELETE_PAGES,
  ...INVITE_PAGES,
  ...SENDER_PAGES,
  ...COMPOSE_PAGES,
  ...REVIEW_PAGES,
  ...ALERT_LIST_PAGES,
  ...MONTH_PAGES,
  ...STATISTICS_PAGES,
  ...SUBSCRIBER_PAGES,
  ...WEBHOOK_PAGES,
  ...ONE_WEBHOOK_PAGES,
  ...AUDIT_PAGES,
  ...SERVICE_PAGES,
  ...SIGN_IN_PAGES,
  ...SECOND_STEP_PAGES,
  ...WELCOME_PAGES,
  ...CONSENT_PAGES,
  ...ACCOUNT_PAGES,
  ...WAYS_IN_PAGES,
  ...OWN_WORKSPACE_PAGES,
  ...MEMBER_PAGES,
  ...KEY_PAGES,
  ...FILE_PAGES,
  ...ASSISTANT_PAGES,
];

/** What the app knows of a request. */
export interface ConsoleSupport {
  /** @throws ApiError while nothing may be written. */
  mustHaveRoom(): void;
  logOf(event: H3Event): Log;
  addressOf(event: H3Event): string | null;
}

export function addConsole(app: H3, deps: ConsoleDeps, support: ConsoleSupport): void {
  for (const file of [STYLES, ICON, CLOCK_SCRIPT, ...CONSOLE_FILES])
    app.get(file.path, (event) => fileAnswer(file, takesGzip(requestOf(event))));
  for (const page of PAGES) {
    const meta: RouteMeta = { maxBody: page.maxFiles ?? page.maxBody ?? MAX_BODY.usual };
    const answer = async (event: H3Event) => compressed(requestOf(event), await serve(page, event, deps, support));
    app.on(page.method, page.path, answer, { meta });
    if (page.method === "GET") app.on("HEAD", page.path, answer);
  }
  const nowhere = openPage("GET", "", async () => {
    throw notFound("page");
  });
  app.all("/console/**", (event) => serve(nowhere, event, deps, support));
}

async function serve(page: Page, event: H3Event, deps: ConsoleDeps, support: ConsoleSupport): Promise<Response> {
  const request = requestOf(event);
  const log = support.logOf(event);
  const url = new URL(request.url);
  const params = (event.context.params ?? {}) as Record<string, string>;
  const elsewhere = otherNameOfThisMachine(request, url, deps.publicUrl);
  if (elsewhere) return goTo(elsewhere);

  let session: Session | null = null;
  let caller: MemberCaller | null = null;
  let reading = false;
  let form: URLSearchParams | null = null;
  const build = (form: URLSearchParams, files: SentFiles = new Map()) =>
    visitOf({
      deps,
      request,
      url,
      params,
      form,
      files,
      session,
      caller,
      log,
      address: support.addressOf(event),
    });
  const at = url.pathname + url.search;
  try {
    if (page.method === "POST") deps.forms.checkOrigin(request.headers);
    session = await deps.people.session(request.headers);
    if (page.for !== "anyone" && !session) {
      if (page.method === "GET") return goTo(`/console/sign-in?${new URLSearchParams({ next: at })}`);
      const next = new URLSearchParams({ next: wayBack(page, request, at) });
      const kept = deps.forms.keep({ at, form: await writtenIn(page, request) });
      if (kept !== null) next.set(KEPT_FIELD, kept);
      return await signInForm(asVisitor(build(next)), { error: signedOut() });
    }
    if (page.for === "member") {
      const id = parseId("wsp", params.workspace ?? "");
      caller = id && session ? callerOf(session, id) : null;
      if (!caller) throw notFound("workspace");
    }
    if (page.method === "POST" || page.writes) support.mustHaveRoom();
    let files: SentFiles = new Map();
    if (page.method === "POST") {
      reading = true;
      if (page.maxFiles !== undefined && isFileForm(request)) ({ form, files } = await readFileForm(request));
      else form = await readForm(request);
      reading = false;
      // What was kept is only shown, so it needs no proof of which page sent it.
      const kept = page.again && deps.forms.kept(form.get(KEPT_FIELD));
      if (page.again && kept?.at === at) return await page.again(build(kept.form), welcomeBack());
      if (!deps.forms.holdsToken(form, request.headers, page.for === "anyone" ? null : session)) {
        if (page.again) return await page.again(build(form), signedInAnew());
        throw forbidden(
          "origin_not_allowed",
          "This form is no longer valid. Go back, reload the page and submit it again.",
        );
      }
    }
    const visit = build(form ?? new URLSearchParams(), files);
    // Before sign-in, forms are bound to a cookie of the visitor.
    return await page.answer(page.for === "anyone" ? asVisitor(visit) : visit);
  } catch (error) {
    if (!(error instanceof ApiError)) log.error({ err: error }, "page failed");
    const refused = faultOf(error);
    if (refused.type === "not_found" && !wantsPage(request)) return refusal(refused);
    const visit = build(new URLSearchParams());
    const written = refused.type === "server_error" ? (form ?? (await writtenIn(page, request))) : null;
    const response =
      reading && page.unread
        ? await page.unread(visit, refused)
        : errorPage(visit, refused, written && page.again ? deps.forms.keep({ at, form: written }) : null);
    const retryAfter = refused.headers["retry-after"];
    if (retryAfter) response.headers.set("retry-after", retryAfter);
    return response;
  }
}

/** What a form says that cannot be taken now, without its files; nothing of a larger one than is handed on. */
async function writtenIn(page: Page, request: Request): Promise<URLSearchParams> {
  const nothing = new URLSearchParams();
  const size = Number(request.headers.get("content-length") ?? Number.POSITIVE_INFINITY);
  if (!page.again || page.method === "GET" || size > MAX_KEPT) return nothing;
  try {
    return isFileForm(request) ? (await readFileForm(request)).form : await readForm(request);
  } catch {
    return nothing;
  }
}

/** Where somebody goes on who pressed a button: the page of the same address, or the one that it stood on. */
function wayBack({ path }: Page, { headers }: Request, at: string): string {
  if (PAGES.some((page) => page.method === "GET" && page.path === path)) return at;
  return URL.parse(headers.get("referer") ?? "")?.pathname ?? "/console";
}

/** `localhost` and `127.0.0.1` are two origins to a browser: a cookie of one is none of the other. */
function otherNameOfThisMachine(request: Request, url: URL, publicUrl: string): string | null {
  const own = new URL(publicUrl);
  if (request.method !== "GET" || url.hostname === own.hostname || url.port !== own.port) return null;
  if (!isLoopbackName(url.hostname) || !isLoopbackName(own.hostname)) return null;
  return own.origin + url.pathname + url.search;
}

type VisitFacts = Pick<
  Visit,
  "deps" | "request" | "url" | "params" | "form" | "files" | "session" | "caller" | "log" | "address"
>;

function visitOf(facts: VisitFacts): Visit {
  const { deps, request, session, caller } = facts;
  const token = session ? deps.forms.sessionField(session) : deps.forms.visitorField(request.headers).field;
  const flashCode = request.method === "GET" ? cookieOf(request.headers, FLASH_COOKIE) : null;
  const visit: Visit = {
    ...facts,
    token,
    now: deps.now(),
    page: (title, body, options = {}) =>
      framed({
        ...{ title, body, session, caller, signOutField: token, ...options },
        publicUrl: deps.publicUrl,
        path: facts.url.pathname,
        flash: flashCode && Object.hasOwn(FLASHES, flashCode) ? FLASHES[flashCode as FlashCode] : null,
        cookies: [...(options.cookies ?? []), flashCode && deps.forms.cookie(FLASH_COOKIE, "", 0)],
      }),
    part: partAnswer,
    goTo: (path, flash, cookies = []) =>
      goTo(path, [...cookies, flash ? deps.forms.cookie(FLASH_COOKIE, flash, 60) : null]),
  };
  if (!session) return visit;
  const { dispatcher } = deps;
  const person: PersonVisit = {
    ...visit,
    session,
    asPerson: (operation, args) =>
      dispatcher.session(operation, { person: personOf(session) }, { args, log: facts.log }),
  };
  if (!caller) return person;
  const member: MemberVisit = {
    ...person,
    caller,
    base: `/console/${showId("wsp", caller.workspace.id)}/`,
    asMember: (operation, args) => dispatcher.session(operation, caller, { args, log: facts.log }),
    async call(name, args = {}, once = null) {
      const tool = toolOf(deps, name);
      const call = { args, log: facts.log, transport: "console", idempotencyKey: once } as const;
      return (await dispatcher.tool(tool, caller, call)).body as AnswerOf<typeof name>;
    },
  };
  return member;
}

/** Forms of open pages carry the visitor's token; signing out in the frame stays bound to the session. */
function asVisitor(visit: Visit): Visit {
  const { field, cookie } = visit.deps.forms.visitorField(visit.request.headers);
  return {
    ...visit,
    token: field,
    page: (title, body, options = {}) =>
      visit.page(title, body, {
        ...options,
        cookies: [...(options.cookies ?? []), cookie],
      }),
  };
}
