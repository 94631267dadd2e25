// Writing an alert: a new one, or an edit of a draft or a scheduled one. Every button is an operation; and sends the
// version of the page, so two users who edit one draft never overwrite each other (rules#expected-version).

import { createHash, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { test_alert } from "../../../identity/session/test_devices.ts";
import { ApiError, conflict, notFound } from "../../../model/api_error.ts";
import { MAX_ASSET_BYTES } from "../../../model/domain/asset_rules.ts";
import { MAX_BODY_BYTES } from "../../../operation/define_operation.ts";
import { html } from "../../../ui/html.ts";
import { getAlertPathArguments, getChannelPath, getRequestedChannel } from "../channel_header.ts";
import { setGeolocationPermissionsPolicy } from "../form_controls.ts";
import { rethrowUnlessShownInForm, toFormError } from "../form_submission.ts";
import {
  type ChannelResult,
  type ConsolePage,
  defineMemberForm,
  defineMemberPage,
  type FlashCode,
  type GetAlertResult,
  type MemberPageContext,
} from "../page_definitions.ts";
import { createAlertMarkupResponse } from "../phone_preview.ts";
import { findRecurrenceErrors, getRecurrenceErrorControl } from "../recurrence_form.ts";
import {
  alertCirclePreview,
  type ComposePageData,
  renderComposePage,
  renderFormNextOccurrences,
} from "./compose_form.ts";
import { lastEditNote, mergeEditsAndRenderConflict } from "./compose_form_controls.ts";
import {
  ACTION_BUTTON_FIELD_LABELS,
  ALERT_FIELD_LABELS,
  createBlankAlertForm,
  findAlertFormChanges,
  nameQuestionControls,
  parseAlertForm,
  toAlertFormValues,
  UPLOAD_FIELDS,
} from "./compose_form_values.ts";
import { renderOptionValues } from "./compose_options.ts";
import { listNewestAssets, renderAlertPreviewPanel } from "./compose_preview.ts";
import { findSendQuestions } from "./duplicate_and_many_devices_questions.ts";
import { uploadFilesIntoForm } from "./files.ts";

const NEW = "/channels/:pusher/alerts/new";
const EDIT = "/channels/:pusher/alerts/:alert/edit";
/** All three files and the markup. */
const MAX_FORM = MAX_ASSET_BYTES.image + MAX_ASSET_BYTES.audio + MAX_ASSET_BYTES.html + MAX_BODY_BYTES.alerts;

/** An alert that was sent within this time before the form arrived was sent by the same form. */
const REPEATED_MS = 10_000;

/** The parameter that identifies a form in its address. */
const ONCE = /^[\w-]{22,64}$/;

const DONE: Record<string, FlashCode> = {
  send: "alert-sent",
  schedule: "alert-scheduled",
  save: "alert-saved",
  test: "alert-tested",
};

/** The actions of these buttons publish nothing: the alert stays a draft. */
const KEEPS: readonly string[] = ["save", "test"];

async function show(
  context: MemberPageContext,
  { status, ...shown }: Omit<ComposePageData, "files"> & { status?: number },
): Promise<Response> {
  const { error, alert } = shown;
  const page = context.page(
    alert ? `Edit: ${alert.title}` : "New alert",
    await renderComposePage(context, { ...shown, files: await listNewestAssets(context) }),
    {
      status: status ?? error?.status ?? 200,
      width: "wide",
      frames: true,
      styles: ["alert_card", "drawings", "compose"],
      scripts: ["zone", "count", "circle", "upload", "compose", "kept"],
    },
  );
  return setGeolocationPermissionsPolicy(page);
}

const pageOf = (context: MemberPageContext, { id, pusher_id }: Pick<GetAlertResult, "id" | "pusher_id">) =>
  `${getChannelPath(context, pusher_id)}/alerts/${id}`;

function unready(form: URLSearchParams, act: string): ApiError | undefined {
  if (act === "preview") return undefined;
  const keeps = KEEPS.includes(act);
  const fields = [
    ...findRecurrenceErrors(form),
    ...(act === "schedule" && !form.get("send_at") ? [{ param: "send_at", message: "Choose a send time." }] : []),
    ...(!keeps && form.get("priority") === "urgent" && !form.has("sure")
      ? [{ param: "sure", message: "An urgent alert can ring at night. Tick the box to confirm." }]
      : []),
  ];
  const [first] = fields;
  return first && new ApiError("field_required", first.message, { fields });
}

/** The anchor of the form for a button's action; an unknown action has none. */
function actOf(form: URLSearchParams): string {
  const act = form.get("act") ?? "";
  if (act !== "preview" && !Object.hasOwn(DONE, act)) throw notFound("form");
  // An alert that is sent now has no time, so the field of the other choice is ignored. A scheduled alert has one.
  if (act === "send") form.set("when", "now");
  if (act === "schedule") form.set("when", "later");
  return act;
}

function shownError(refused: unknown, form: URLSearchParams): ApiError {
  const error = rethrowUnlessShownInForm(refused);
  if (error.param !== "idempotency_key")
    return toFormError(
      error,
      { expected_updated_at: "version", recurrence: getRecurrenceErrorControl(form), ...nameQuestionControls(form) },
      { ...ALERT_FIELD_LABELS, ...ACTION_BUTTON_FIELD_LABELS },
    );
  // Each alert has at most one successor, so going back and forth does not create a third one.
  const earlier = form.get("once") ?? "";
  form.set("once", createHash("sha256").update(earlier).digest("base64url"));
  return conflict(
    "wrong_state",
    "This form already created an alert, and you have changed the text since. Submit it to create another alert.",
  );
}

async function write(context: MemberPageContext): Promise<Response> {
  const channel = await getRequestedChannel(context);
  const { form } = context;
  const error = await uploadFilesIntoForm(context, UPLOAD_FIELDS);
  const act = actOf(form);
  const wrong = error ?? unready(form, act);
  if (act === "preview" || wrong) return show(context, { channel, alert: null, form, error: wrong });
  let draft: GetAlertResult | null = null;
  try {
    const once = form.get("once");
    const fields = parseAlertForm(form);
    const above = act === "send" && (await findSendQuestions(context, { channel, alert: null, once }));
    if (above) return await show(context, { channel, alert: null, form, above, status: 409 });
    // A repeating alert begins as a draft, and one form makes one.
    const begins = act === "schedule" && fields.recurrence !== null;
    const send = !KEEPS.includes(act) && !begins;
    const made = await context.call("create_alert", { pusher_id: channel.id, ...fields, send }, once);
    if (begins) {
      draft = made;
      await context.call("schedule_alert", { pusher_id: channel.id, alert_id: made.id });
    }
    const repeated = act === "send" && context.now.getTime() - Date.parse(made.sent_at ?? "") > REPEATED_MS;
    if (repeated) return context.goTo(pageOf(context, made), "alert-sent-before");
    return await done(context, { channel, made, act, removed: made.blocked.length > 0 });
  } catch (refused) {
    return show(context, { channel, alert: draft, form, error: shownError(refused, form) });
  }
}

/** Reports if the alert has another version than the form, or cannot be edited any more. */
const hasChanged = (alert: GetAlertResult, form: URLSearchParams): boolean =>
  alert.updated_at !== form.get("version") || alert.review_url === null;

async function edit(context: MemberPageContext): Promise<Response> {
  const channel = await getRequestedChannel(context);
  const { form } = context;
  const error = await uploadFilesIntoForm(context, UPLOAD_FIELDS);
  const act = actOf(form);
  const alert = await context.call("get_alert", getAlertPathArguments(context));
  const version = form.get("version") ?? "";
  if (hasChanged(alert, form)) return clash(context, { channel, alert, form });
  const wrong = error ?? unready(form, act);
  if (act === "preview" || wrong) return show(context, { channel, alert, form, error: wrong });
  let made: GetAlertResult = alert;
  try {
    const above = act === "send" && (await findSendQuestions(context, { channel, alert }));
    if (above) return await show(context, { channel, alert, form, above, status: 409 });
    const changes = findAlertFormChanges(form, alert);
    made = await context.call("update_alert", {
      ...getAlertPathArguments(context),
      ...changes,
      expected_updated_at: version,
    });
    if (!KEEPS.includes(act)) {
      const expected = { ...getAlertPathArguments(context), expected_updated_at: made.updated_at };
      await context.call(act === "send" ? "send_alert" : "schedule_alert", expected);
    }
    return await done(context, { channel, made, act, removed: !isDeepStrictEqual(made.blocked, alert.blocked) });
  } catch (refused) {
    const now = await context.call("get_alert", getAlertPathArguments(context));
    // Another person was faster between the check above and the write. A draft saved by this form is not a conflict.
    if (now.updated_at !== made.updated_at || now.review_url === null)
      return clash(context, { channel, alert: now, form });
    return show(context, { channel, alert: now, form, error: shownError(refused, form) });
  }
}

async function writeAgain(context: MemberPageContext, error: ApiError): Promise<Response> {
  return show(context, { channel: await getRequestedChannel(context), alert: null, form: context.form, error });
}

/** The form of an edit as it was written, or next to the version that another person saved. */
async function editAgain(context: MemberPageContext, error: ApiError): Promise<Response> {
  const { form } = context;
  const [channel, alert] = await Promise.all([
    getRequestedChannel(context),
    context.call("get_alert", getAlertPathArguments(context)),
  ]);
  if (hasChanged(alert, form)) return clash(context, { channel, alert, form });
  return show(context, { channel, alert, form, error });
}

/** After the act: the alert's page; or, where a draft lost something on the way, the form with the report of it. */
async function done(
  context: MemberPageContext,
  { channel, made, act, removed }: { channel: ChannelResult; made: GetAlertResult; act: string; removed: boolean },
): Promise<Response> {
  if (act === "test") return test(context, { channel, made });
  if (act !== "save" || !removed || made.blocked.length === 0) return context.goTo(pageOf(context, made), DONE[act]);
  const above = html`<p class="flash done" role="status">Draft saved.</p>`;
  return show(context, { channel, alert: made, form: toAlertFormValues(made), above });
}

/** The draft is saved by now, so an error of the test is shown above it as it is. */
async function test(
  context: MemberPageContext,
  { channel, made }: { channel: ChannelResult; made: GetAlertResult },
): Promise<Response> {
  const path = { pusher_id: made.pusher_id, alert_id: made.id, expected_updated_at: made.updated_at };
  try {
    await context.asMember(test_alert, path);
  } catch (refused) {
    const error = rethrowUnlessShownInForm(refused);
    return show(context, { channel, alert: made, form: toAlertFormValues(made), error });
  }
  return context.goTo(pageOf(context, made), DONE.test);
}

/** Another person changed the alert while this form was written. Both texts are shown, and nothing typed is lost. */
async function clash(
  context: MemberPageContext,
  { channel, alert, form }: { channel: ChannelResult; alert: GetAlertResult; form: URLSearchParams },
): Promise<Response> {
  const who = await lastEditNote(context, alert);
  if (alert.review_url === null) {
    const error = conflict(
      "alert_already_sent",
      `This alert was ${alert.status === "sent" ? "sent" : "cancelled"} while you were writing, so it can no longer ` +
        `be edited. Your text is below as a new alert.`,
    );
    return show(context, { channel, alert: null, form, error });
  }
  const above = mergeEditsAndRenderConflict(context, { alert, form, who });
  return show(context, { channel, alert, form, above, status: 409 });
}

/** The markup of a form as phones would show it, for the frame of the preview. */
async function page(context: MemberPageContext): Promise<Response> {
  const layout = context.form.get("layout") === "document" ? "document" : "html";
  const { html: clean } = await context.call("preview_html", { html: context.form.get("html") ?? "", layout });
  // The edited alert may have another author: none of their addresses is fetched.
  return createAlertMarkupResponse(clean, !context.form.has("version"));
}

export const COMPOSE_PAGES: readonly ConsolePage[] = [
  // The address names the form, so that the browser's way back leads to the same one, which makes one alert.
  defineMemberPage("GET", NEW, async (context) => {
    const channel = await getRequestedChannel(context);
    const once = context.url.searchParams.get("once") ?? "";
    if (!ONCE.test(once)) return context.goTo(`${context.url.pathname}?once=${randomUUID()}`);
    return show(context, { channel, alert: null, form: createBlankAlertForm(once) });
  }),
  { ...defineMemberForm(NEW, writeAgain, write), maxFiles: MAX_FORM },

  defineMemberPage("GET", EDIT, async (context) => {
    const alert = await context.call("get_alert", getAlertPathArguments(context));
    if (alert.review_url === null) return context.goTo(pageOf(context, alert));
    return show(context, { channel: await getRequestedChannel(context), alert, form: toAlertFormValues(alert) });
  }),
  { ...defineMemberForm(EDIT, editAgain, edit), maxFiles: MAX_FORM },

  {
    ...defineMemberPage("POST", "/channels/:pusher/alerts/preview", async (context) => {
      const [channel, files] = [await getRequestedChannel(context), await listNewestAssets(context)];
      const { form } = context;
      const alert_id = form.get("alert");
      const alert = alert_id ? await context.call("get_alert", { pusher_id: channel.id, alert_id }) : null;
      const shown = await renderAlertPreviewPanel(context, { channel, alert, form, files });
      const next = [alertCirclePreview(form, channel), renderFormNextOccurrences(context), renderOptionValues(form)];
      return context.part(html`${shown}${next}`);
    }),
    maxBody: MAX_BODY_BYTES.alerts,
  },
  { ...defineMemberPage("POST", "/channels/:pusher/alerts/page", page), maxBody: MAX_BODY_BYTES.alerts },
  defineMemberPage("GET", "/channels/:pusher/alerts/:alert/page", async (context) => {
    const alert = await context.call("get_alert", getAlertPathArguments(context));
    return createAlertMarkupResponse(alert.asset_html ?? alert.html ?? "", context.url.searchParams.has("pictures"));
  }),
];
