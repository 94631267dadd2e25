// Writing an alert: a new one, or an edit of a draft or a scheduled one. Every button is an operation; the version that the page
// was made of goes along, so two people who edit one draft never overwrite each other unseen (rules#expected-version).

import { createHash, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { test_alert } from "../../../identity/session/own_devices.ts";
import { MAX_BYTES } from "../../../model/domain/assets.ts";
import { ApiError, conflict, notFound } from "../../../model/errors.ts";
import { MAX_BODY } from "../../../operation/tool.ts";
import { html } from "../../../ui/html.ts";
import { alertPath, channelBase, channelOf } from "../channel_head.ts";
import { asksPlace } from "../controls.ts";
import { inForm, shownRefusal } from "../forms.ts";
import { framedMarkup } from "../phone.ts";
import { ruleControl, wrongRepeat } from "../recurrence_form.ts";
import {
  type Alert,
  type Channel,
  type FlashCode,
  type MemberVisit,
  memberForm,
  memberPage,
  type Page,
} from "../visit.ts";
import { clashReport, editedSince, sentBefore } from "./compose_controls.ts";
import {
  argumentsOf,
  blankForm,
  changesOf,
  formOf,
  LABELS,
  questionNames,
  ROW_LABELS,
  UPLOADS,
} from "./compose_fields.ts";
import { alertCircle, composePage, nextTyped, type Shown } from "./compose_form.ts";
import { filesOf, preview } from "./compose_preview.ts";
import { takeUploads } from "./files.ts";

const NEW = "/channels/:pusher/alerts/new";
const EDIT = "/channels/:pusher/alerts/:alert/edit";
/** All three files and the markup. */
const MAX_FORM = MAX_BYTES.image + MAX_BYTES.audio + MAX_BYTES.html + MAX_BODY.alerts;

/** What was sent so long before this form came was sent by the same form before. */
const REPEATED_MS = 10_000;

/** What names a form in its address. */
const ONCE = /^[\w-]{22,64}$/;

const DONE: Record<string, FlashCode> = {
  send: "alert-sent",
  schedule: "alert-scheduled",
  save: "alert-saved",
  test: "alert-tested",
};

/** What these buttons do publishes nothing: it stays a draft. */
const KEEPS: readonly string[] = ["save", "test"];

async function show(
  visit: MemberVisit,
  { status, ...shown }: Omit<Shown, "files"> & { status?: number },
): Promise<Response> {
  const { error, alert } = shown;
  const page = visit.page(
    alert ? `Edit: ${alert.title}` : "New alert",
    await composePage(visit, { ...shown, files: await filesOf(visit) }),
    {
      status: status ?? error?.status ?? 200,
      width: "wide",

      frames: true,
      styles: ["alert_card", "drawings", "compose"],
      scripts: ["zone", "count", "circle", "upload", "compose"],
    },
  );
  return asksPlace(page);
}

const pageOf = (visit: MemberVisit, { id, pusher_id }: Pick<Alert, "id" | "pusher_id">) =>
  `${channelBase(visit, pusher_id)}/alerts/${id}`;

/** What only this page asks for. */
function unready(form: URLSearchParams, act: string): ApiError | undefined {
  if (act === "preview") return undefined;
  const keeps = KEEPS.includes(act);
  const fields = [
    ...wrongRepeat(form),
    ...(act === "schedule" && !form.get("send_at")
      ? [{ param: "send_at", message: "Choose the time to send it." }]
      : []),
    ...(!keeps && form.get("priority") === "urgent" && !form.has("sure")
      ? [{ param: "sure", message: "Tick the box to confirm: an urgent alert can ring at night." }]
      : []),
  ];
  const [first] = fields;
  return first && new ApiError("field_required", first.message, { fields });
}

/** Where the form stands for what a button asks; an unknown one asks for nothing. */
function actOf(form: URLSearchParams): string {
  const act = form.get("act") ?? "";
  if (act !== "preview" && !Object.hasOwn(DONE, act)) throw notFound("form");
  // What is sent now has no time, whatever stands in the field of the other choice; what is scheduled has one.
  if (act === "send") form.set("when", "now");
  if (act === "schedule") form.set("when", "later");
  return act;
}

function shownError(refused: unknown, form: URLSearchParams): ApiError {
  const error = shownRefusal(refused);
  if (error.param !== "idempotency_key")
    return inForm(
      error,
      { expected_updated_at: "version", recurrence: ruleControl(form), ...questionNames(form) },
      { ...LABELS, ...ROW_LABELS },
    );
  // One successor for each, so that whoever goes back and forth makes no third one unasked.
  form.set(
    "once",
    createHash("sha256")
      .update(form.get("once") ?? "")
      .digest("base64url"),
  );
  return conflict(
    "wrong_state",
    "This form already created an alert, and its text has changed since. Submit it again to create another alert.",
  );
}

async function write(visit: MemberVisit): Promise<Response> {
  const channel = await channelOf(visit);
  const { form } = visit;
  const error = await takeUploads(visit, UPLOADS);
  const act = actOf(form);
  const wrong = error ?? unready(form, act);
  if (act === "preview" || wrong) return show(visit, { channel, alert: null, form, error: wrong });
  let draft: Alert | null = null;
  try {
    const once = form.get("once");
    const fields = argumentsOf(form);
    const above = act === "send" && (await sentBefore(visit, channel.id, fields, once));
    if (above) return await show(visit, { channel, alert: null, form, above, status: 409 });
    // What repeats begins as a draft, and one form makes one.
    const begins = act === "schedule" && fields.recurrence !== null;
    const send = !KEEPS.includes(act) && !begins;
    const made = await visit.call("create_alert", { pusher_id: channel.id, ...fields, send }, once);
    if (begins) {
      draft = made;
      await visit.call("schedule_alert", { pusher_id: channel.id, alert_id: made.id });
    }
    const repeated = act === "send" && visit.now.getTime() - Date.parse(made.sent_at ?? "") > REPEATED_MS;
    if (repeated) return visit.goTo(pageOf(visit, made), "alert-sent-before");
    return await done(visit, { channel, made, act, removed: made.blocked.length > 0 });
  } catch (refused) {
    return show(visit, { channel, alert: draft, form, error: shownError(refused, form) });
  }
}

/** Whether it is another version than the form's, or one that nobody edits any more. */
const hasChanged = (alert: Alert, form: URLSearchParams): boolean =>
  alert.updated_at !== form.get("version") || alert.review_url === null;

async function edit(visit: MemberVisit): Promise<Response> {
  const channel = await channelOf(visit);
  const { form } = visit;
  const error = await takeUploads(visit, UPLOADS);
  const act = actOf(form);
  const alert = await visit.call("get_alert", alertPath(visit));
  const version = form.get("version") ?? "";
  if (hasChanged(alert, form)) return clash(visit, { channel, alert, form });
  const wrong = error ?? unready(form, act);
  if (act === "preview" || wrong) return show(visit, { channel, alert, form, error: wrong });
  let made = alert;
  try {
    const above = act === "send" && (await sentBefore(visit, channel.id, argumentsOf(form)));
    if (above) return await show(visit, { channel, alert, form, above, status: 409 });
    const changes = changesOf(form, alert);
    made = await visit.call("update_alert", {
      ...alertPath(visit),
      ...changes,
      expected_updated_at: version,
    });
    if (!KEEPS.includes(act)) {
      const expected = { ...alertPath(visit), expected_updated_at: made.updated_at };
      await visit.call(act === "send" ? "send_alert" : "schedule_alert", expected);
    }
    return await done(visit, {
      channel,
      made,
      act,
      removed: !isDeepStrictEqual(made.blocked, alert.blocked),
    });
  } catch (refused) {
    const now = await visit.call("get_alert", alertPath(visit));
    // Somebody was faster between the look above and the write; what this form has saved itself is no clash.
    if (now.updated_at !== made.updated_at || now.review_url === null)
      return clash(visit, { channel, alert: now, form });
    return show(visit, { channel, alert: now, form, error: shownError(refused, form) });
  }
}

async function writeAgain(visit: MemberVisit, error: ApiError): Promise<Response> {
  return show(visit, { channel: await channelOf(visit), alert: null, form: visit.form, error });
}

/** The form of an edit as it was written, or beside what somebody else made of the alert meanwhile. */
async function editAgain(visit: MemberVisit, error: ApiError): Promise<Response> {
  const { form } = visit;
  const [channel, alert] = await Promise.all([channelOf(visit), visit.call("get_alert", alertPath(visit))]);
  if (hasChanged(alert, form)) return clash(visit, { channel, alert, form });
  return show(visit, { channel, alert, form, error });
}

/** After the act: the alert's page; or, where a draft lost something on the way, the form with the report of it. */
async function done(
  visit: MemberVisit,
  { channel, made, act, removed }: { channel: Channel; made: Alert; act: string; removed: boolean },
): Promise<Response> {
  if (act === "test") return test(visit, { channel, made });
  if (act !== "save" || !removed || made.blocked.length === 0) return visit.goTo(pageOf(visit, made), DONE[act]);
  const above = html`<p class="flash done" role="status">Draft saved.</p>`;
  return show(visit, { channel, alert: made, form: formOf(made), above });
}

/** The draft is saved by now, so what is wrong with the test is said above it as it is. */
async function test(visit: MemberVisit, { channel, made }: { channel: Channel; made: Alert }): Promise<Response> {
  const path = { pusher_id: made.pusher_id, alert_id: made.id, expected_updated_at: made.updated_at };
  try {
    await visit.asMember(test_alert, path);
  } catch (refused) {
    return show(visit, { channel, alert: made, form: formOf(made), error: shownRefusal(refused) });
  }
  return visit.goTo(pageOf(visit, made), DONE.test);
}

/** Somebody changed the alert while this form was written: both texts, and nothing typed is lost. */
async function clash(
  visit: MemberVisit,
  { channel, alert, form }: { channel: Channel; alert: Alert; form: URLSearchParams },
): Promise<Response> {
  const who = await editedSince(visit, alert);
  if (alert.review_url === null) {
    const error = conflict(
      "alert_already_sent",
      `This alert was ${alert.status === "sent" ? "sent" : "cancelled"} while you were writing, so it can no longer be edited. Your text is below as a new alert.`,
    );
    return show(visit, { channel, alert: null, form, error });
  }
  return show(visit, { channel, alert, form, above: clashReport(visit, { alert, form, who }), status: 409 });
}

/** The markup that a form holds, as phones would be shown it, for the frame of the preview. */
async function page(visit: MemberVisit): Promise<Response> {
  const layout = visit.form.get("layout") === "document" ? "document" : "html";
  const { html: clean } = await visit.call("preview_html", { html: visit.form.get("html") ?? "", layout });
  // What is edited may be another author's: nothing of theirs is fetched from elsewhere.
  return framedMarkup(clean, !visit.form.has("version"));
}

export const COMPOSE_PAGES: readonly Page[] = [
  // The address names the form, so that the browser's way back leads to the same one, which makes one alert.
  memberPage("GET", NEW, async (visit) => {
    const channel = await channelOf(visit);
    const once = visit.url.searchParams.get("once") ?? "";
    if (!ONCE.test(once)) return visit.goTo(`${visit.url.pathname}?once=${randomUUID()}`);
    return show(visit, { channel, alert: null, form: blankForm(once) });
  }),
  { ...memberForm(NEW, writeAgain, write), maxFiles: MAX_FORM },

  memberPage("GET", EDIT, async (visit) => {
    const alert = await visit.call("get_alert", alertPath(visit));
    if (alert.review_url === null) return visit.goTo(pageOf(visit, alert));
    return show(visit, { channel: await channelOf(visit), alert, form: formOf(alert) });
  }),
  { ...memberForm(EDIT, editAgain, edit), maxFiles: MAX_FORM },

  {
    ...memberPage("POST", "/channels/:pusher/alerts/preview", async (visit) => {
      const [channel, files] = [await channelOf(visit), await filesOf(visit)];
      const { form } = visit;
      const alert_id = form.get("alert");
      const alert = alert_id ? await visit.call("get_alert", { pusher_id: channel.id, alert_id }) : null;
      const shown = await preview(visit, { channel, alert, form, files });
      return visit.part(html`${shown}${alertCircle(form, channel)}${nextTyped(visit)}`);
    }),
    maxBody: MAX_BODY.alerts,
  },
  { ...memberPage("POST", "/channels/:pusher/alerts/page", page), maxBody: MAX_BODY.alerts },
  memberPage("GET", "/channels/:pusher/alerts/:alert/page", async (visit) => {
    const alert = await visit.call("get_alert", alertPath(visit));
    return framedMarkup(alert.asset_html ?? alert.html ?? "", visit.url.searchParams.has("pictures"));
  }),
];
