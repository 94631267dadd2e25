// Creating and editing a channel with one form. An edit sends the fields that its person changed. Another person's
// concurrent changes are never overwritten unseen. Pausing and resuming are below the form.

import { randomBytes } from "node:crypto";
import { get_retention } from "../../../identity/session/workspaces.ts";
import { type ApiError, forbidden, notFound } from "../../../model/api_error.ts";
import { MAX_ASSET_BYTES } from "../../../model/domain/asset_rules.ts";
import { MAX_BODY_BYTES } from "../../../operation/define_operation.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { icon } from "../../../ui/icons.ts";
import {
  CHANNEL_PANEL_TITLES,
  channelCirclePreview,
  channelPreview,
  PICTURE_UPLOAD_FIELD,
  renderChannelFormPanels,
} from "../channel_form.ts";
import {
  CHANNEL_FIELD_LABELS,
  CHANNEL_FIELD_NAMES,
  type ChannelField,
  createChannelFormDigests,
  findChannelFormChanges,
  mergeChannelFormValues,
  parseChannelForm,
  toChannelFormValues,
} from "../channel_form_values.ts";
import { getChannelPath, getRequestedChannel, renderChannelHeader } from "../channel_header.ts";
import { renderErrorSummary } from "../components.ts";
import { getPanelId, setGeolocationPermissionsPolicy } from "../form_controls.ts";
import { copyErrorWithFields, rethrowUnlessShownInForm, toFormError } from "../form_submission.ts";
import {
  type ChannelResult,
  type ConsolePage,
  canUse,
  defineMemberForm,
  defineMemberPage,
  type FlashCode,
  type MemberPageContext,
} from "../page_definitions.ts";
import { settingsSection } from "../settings_section.ts";
import { getUploadEndpointPath, uploadFilesIntoForm } from "./files.ts";
import { renderRetentionPreview } from "./workspace_settings.ts";

const OPTIONS = {
  styles: ["alert_card", "drawings", "channel"],
  scripts: ["count", "circle", "upload", "channel"],
} as const;

const MAX_FORM = MAX_ASSET_BYTES.image + MAX_BODY_BYTES.usual;

const READS_ONLY = "With your role, you can only view the settings. An editor can change them.";

/** The permissions that a new channel requests. Without both, people would not notice the first alert. */
const FIRST = new URLSearchParams([
  ["requested_perms", "notify"],
  ["requested_perms", "sound"],
]);

/** A refusal that the form shows, in the order of its controls; any other is a page of its own. */
function shownInForm(error: unknown): ApiError {
  const refused = toFormError(rethrowUnlessShownInForm(error), {}, CHANNEL_FIELD_LABELS);
  const panels = renderChannelFormPanels({ values: FIRST, handle: null, server: "" }).toString();
  const placeOf = (name: string) => panels.indexOf(` name="${name}"`);
  return copyErrorWithFields(
    refused,
    [...refused.fields].sort((a, b) => placeOf(a.param) - placeOf(b.param)),
  );
}

function answer(context: MemberPageContext, title: string, body: Html, error?: ApiError): Response {
  return setGeolocationPermissionsPolicy(context.page(title, body, { ...OPTIONS, error }));
}

const formOf = (context: MemberPageContext, action: string, content: HtmlContent, foot: HtmlContent) =>
  html`<form id="channel" method="post" action="${action}" enctype="multipart/form-data"
    data-shown="${context.base}channels/shown" data-uploads="${getUploadEndpointPath(context)}"
      novalidate>${context.token}${content}
  <div class="foot">${foot}</div></form>`;

const beside = (shown: Html, form: Html) =>
  html`<div class="beside"><aside aria-label="Preview and sections"><div class="card"><p class="label">Preview</p><div
    class="shown" id="channel-shown">${shown}</div></div><nav class="index"
      aria-label="Sections"><ul>${CHANNEL_PANEL_TITLES.map(
        (title) => html`<li><a href="#${getPanelId(title)}">${title}</a></li>`,
      )}</ul></nav></aside><div>${form}</div></div>`;

function newForm(context: MemberPageContext, error?: ApiError): Response {
  const { form, base, deps } = context;
  if (!canUse(context, "create_pusher") || context.caller.pusherIds !== null)
    throw forbidden("channel_restricted", "You cannot create channels here. Ask a workspace owner.");
  const values = error ? form : FIRST;
  const once = form.get("once") ?? randomBytes(18).toString("base64url");
  return answer(
    context,
    "New channel",
    html`<h1>New channel</h1>
    <p class="lede">People subscribe to a channel to get its alerts. You can change everything later except the
      handle.</p>
    ${renderErrorSummary(error)}
    ${beside(
      channelPreview(values, null, deps.publicUrl),
      formOf(
        context,
        `${base}channels/new`,
        html`<input type="hidden" name="once" value="${once}">${renderChannelFormPanels({
          values,
          handle: null,
          server: deps.publicUrl,
          error,
        })}`,
        html`<button>Create channel</button><a class="button plain" href="${base}channels">Cancel</a>`,
      ),
    )}`,
    error,
  );
}

async function open(context: MemberPageContext): Promise<Response> {
  const { form, base } = context;
  const wrong = await uploadFilesIntoForm(context, [PICTURE_UPLOAD_FIELD]);
  if (wrong) return newForm(context, wrong);
  const own = form.get("colours") === "own";
  const given = CHANNEL_FIELD_NAMES.filter((name) => {
    if (name === "gradient_from" || name === "gradient_to") return own;
    return name !== "initials" || (form.get(name) ?? "") !== "";
  });
  try {
    const args = { handle: form.get("handle") ?? "", ...parseChannelForm(form, given) };
    const made = await context.call("create_pusher", args, form.get("once"));
    return context.goTo(`${base}channels/${made.id}`, made.notes ? "channel-opened-silent" : "channel-opened");
  } catch (error) {
    const refused = shownInForm(error);
    // The one thing of a channel that can be taken is its handle.
    if (refused.type !== "conflict") return newForm(context, refused);
    return newForm(context, copyErrorWithFields(refused, [{ param: "handle", message: refused.message }]));
  }
}

async function settings(context: MemberPageContext, error?: ApiError): Promise<Response> {
  const { form, deps } = context;
  const channel = await getRequestedChannel(context);
  const action = `${getChannelPath(context, channel.id)}/edit`;
  const values =
    error && form.has("seen")
      ? mergeChannelFormValues(form, form.get("seen") ?? "", channel)
      : toChannelFormValues(channel);
  const may = canUse(context, "update_pusher");
  const ahead = renderRetentionPreview(await context.asMember(get_retention, { pusher_id: channel.id }), context.now);
  const panels = renderChannelFormPanels({ values, handle: channel.handle, server: deps.publicUrl, error, ahead });
  return answer(
    context,
    `Settings of ${channel.name}`,
    html`${renderChannelHeader(context, channel, "edit")}
    ${renderErrorSummary(error)}
    ${!may && html`<p class="note">${icon("lock")}<span>${READS_ONLY}</span></p>`}
    ${beside(
      channelPreview(values, channel.handle, deps.publicUrl),
      html`${
        may
          ? formOf(
              context,
              action,
              html`<input type="hidden" name="seen" value="${createChannelFormDigests(
                toChannelFormValues(channel),
              )}"><input
                type="hidden" name="known_as" value="${channel.handle}">${panels}`,
              html`<button name="act" value="save">Save</button><p class="hint">Only your changes are saved. If someone
                else changed the same field, you will see their change first.</p>`,
            )
          : html`<fieldset disabled>${panels}</fieldset>`
      }
      ${
        may &&
        settingsSection(
          "state",
          "Pause or delete",
          "These actions take effect immediately.",
          html`<ul class="ways">${await status(context, channel, action)}${
            canUse(context, "delete_pusher") && ending(context, channel)
          }</ul>`,
          true,
        )
      }`,
    )}`,
    error,
  );
}

async function status(context: MemberPageContext, channel: ChannelResult, action: string): Promise<Html> {
  const { data } = await context.call("list_pushers", { handle: channel.handle });
  const planned = data[0]?.scheduled ?? 0;
  const stays =
    planned === 0
      ? "No alerts are scheduled."
      : html`${
          planned === 1 ? "One scheduled alert will still be sent" : `${planned} scheduled alerts will still be sent`
        }; cancel ${planned === 1 ? "it" : "them"} to stop ${planned === 1 ? "it" : "them"}.`;
  const button = (act: string, words: string) =>
    html`<form method="post" action="${action}">${context.token}<button class="plain"
      name="act" value="${act}">${words}</button></form>`;
  const parts: Record<ChannelResult["status"], [title: string, says: HtmlContent, act: HtmlContent]> = {
    active: [
      "Pause channel",
      html`A paused channel keeps its handle, page and subscribers but is not listed in the directory. It cannot
        send alerts until it is resumed; you can still write drafts. ${stays}`,
      button("pause", "Pause"),
    ],
    paused: [
      "The channel is paused",
      html`It cannot send alerts until it is resumed.
      ${stays}`,
      button("resume", "Resume"),
    ],
    suspended: [
      "The channel is suspended",
      "The operator suspended this channel: it is hidden from devices and the directory until the operator " +
        "reinstates it. You can still edit its settings.",
      null,
    ],
  };
  const [title, says, act] = parts[channel.status];
  return stateRow(title, says, act);
}

const stateRow = (title: string, says: HtmlContent, act: HtmlContent): Html =>
  html`<li><div class="what"><p><strong>${title}</strong></p><p>${says}</p></div>${act}</li>`;

const ending = (context: MemberPageContext, { id, subscribers }: ChannelResult): Html =>
  stateRow(
    "Delete channel",
    subscribers === 0
      ? "This channel has no subscribers, so you can delete it and all its alerts."
      : `A channel with subscribers cannot be deleted; this one has ${subscribers.toLocaleString(
          "en",
        )}. Pause it instead.`,
    subscribers === 0 && html`<a class="button danger" href="${getChannelPath(context, id)}/delete">Delete…</a>`,
  );

/** The effect of a button. */
async function change(context: MemberPageContext): Promise<FlashCode> {
  const { form } = context;
  const pusher_id = context.params.pusher ?? "";
  const act = form.get("act") ?? "";
  if (act === "pause" || act === "resume") {
    await context.call("update_pusher", { pusher_id, status: act === "pause" ? "paused" : "active" });
    return act === "pause" ? "channel-paused" : "channel-resumed";
  }
  if (act !== "save") throw notFound("form");
  if (!canUse(context, "update_pusher")) throw forbidden("role_too_low", READS_ONLY);
  const wrong = await uploadFilesIntoForm(context, [PICTURE_UPLOAD_FIELD]);
  if (wrong) throw wrong;
  const channel = await context.call("get_pusher", { pusher_id });
  const changed: ChannelField[] = findChannelFormChanges(form, form.get("seen") ?? "", channel);
  if (changed.length === 0) return "channel-same";
  const saved = await context.call("update_pusher", { pusher_id, ...parseChannelForm(form, changed) });
  if (changed.includes("retention_days")) return "channel-kept";
  return saved.notes ? "channel-saved-silent" : "channel-saved";
}

export const CHANNEL_EDIT_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", "/channels/new", async (context) => newForm(context)),
  { ...defineMemberForm("/channels/new", newForm, open), maxFiles: MAX_FORM },

  // The drawings of a form that is being filled in. Nothing of its values is stored.
  defineMemberPage("POST", "/channels/shown", async ({ form, deps, part }) => {
    const handle = form.get("known_as");
    return part(
      html`<div id="channel-shown">${channelPreview(form, handle, deps.publicUrl)}</div>${channelCirclePreview(form)}`,
    );
  }),

  defineMemberPage("GET", "/channels/:pusher/edit", (context) => settings(context)),
  {
    ...defineMemberForm("/channels/:pusher/edit", settings, async (context) => {
      try {
        return context.goTo(context.url.pathname, await change(context));
      } catch (error) {
        return settings(context, shownInForm(error));
      }
    }),
    maxFiles: MAX_FORM,
  },
];
