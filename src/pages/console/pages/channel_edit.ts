// A channel opened and changed: one form for both. Of a known channel, an edit sends the fields that its person changed; what
// another person changed meanwhile is never overwritten unseen. Pausing and going on stand below the form.

import { randomBytes } from "node:crypto";
import { get_retention } from "../../../identity/session/workspaces.ts";
import { MAX_BYTES } from "../../../model/domain/assets.ts";
import { type ApiError, forbidden, notFound } from "../../../model/errors.ts";
import { MAX_BODY } from "../../../operation/tool.ts";
import { type Content, type Html, html } from "../../../ui/html.ts";
import { icon } from "../../../ui/icons.ts";
import { channelCircle, channelPanels, channelShown, PICTURE } from "../channel_form.ts";
import { channelBase, channelHead, channelOf } from "../channel_head.ts";
import {
  argumentsFrom,
  CHANNEL_FIELDS,
  type ChannelField,
  changedBy,
  LABELS,
  mergedValues,
  seenMark,
  valuesOf,
} from "../channel_values.ts";
import { asksPlace } from "../controls.ts";
import { inForm, shownRefusal, withFields } from "../forms.ts";
import { problem } from "../parts.ts";
import { type Channel, type FlashCode, type MemberVisit, mayUse, memberForm, memberPage, type Page } from "../visit.ts";
import { takeUploads, uploadsAt } from "./files.ts";
import { aheadNote } from "./own_workspaces.ts";

const OPTIONS = {
  styles: ["alert_card", "drawings", "channel"],
  scripts: ["count", "circle", "upload", "channel"],
} as const;

const MAX_FORM = MAX_BYTES.image + MAX_BODY.usual;

const READS_ONLY = "Your role can only view the settings. An editor can change them.";

/** What is asked for at first: without both, nobody would notice the first alert. */
const FIRST = new URLSearchParams([
  ["requested_perms", "notify"],
  ["requested_perms", "sound"],
]);

/** A refusal that the form shows, in the order of its controls; any other is a page of its own. */
function shownInForm(error: unknown): ApiError {
  const refused = inForm(shownRefusal(error), {}, LABELS);
  const panels = channelPanels({ values: FIRST, handle: null, server: "" }).toString();
  const placeOf = (name: string) => panels.indexOf(` name="${name}"`);
  return withFields(
    refused,
    [...refused.fields].sort((a, b) => placeOf(a.param) - placeOf(b.param)),
  );
}

function answer(visit: MemberVisit, title: string, body: Html, error?: ApiError): Response {
  return asksPlace(visit.page(title, body, { ...OPTIONS, error }));
}

const formOf = (visit: MemberVisit, action: string, content: Content, foot: Content) =>
  html`<form id="channel" method="post" action="${action}" enctype="multipart/form-data" data-shown="${visit.base}channels/shown" data-uploads="${uploadsAt(visit)}" novalidate>${visit.token}${content}
  <div class="foot">${foot}</div></form>`;

const beside = (shown: Html, form: Html) =>
  html`<div class="beside"><aside class="card" aria-label="Preview"><p class="label">Preview</p><div class="shown" id="channel-shown">${shown}</div></aside><div>${form}</div></div>`;

function newForm(visit: MemberVisit, error?: ApiError): Response {
  const { form, base, deps } = visit;
  if (!mayUse(visit, "create_pusher") || visit.caller.pusherIds !== null)
    throw forbidden("channel_restricted", "You cannot create channels here. Ask an owner of the workspace.");
  const values = error ? form : FIRST;
  const once = form.get("once") ?? randomBytes(18).toString("base64url");
  return answer(
    visit,
    "New channel",
    html`<h1>New channel</h1>
    <p class="lede">People subscribe to a channel. You can change everything later except its handle.</p>
    ${problem(error)}
    ${beside(
      channelShown(values, null, deps.publicUrl),
      formOf(
        visit,
        `${base}channels/new`,
        html`<input type="hidden" name="once" value="${once}">${channelPanels({ values, handle: null, server: deps.publicUrl, error })}`,
        html`<button>Create channel</button><a class="button plain" href="${base}channels">Cancel</a>`,
      ),
    )}`,
    error,
  );
}

async function open(visit: MemberVisit): Promise<Response> {
  const { form, base } = visit;
  const wrong = await takeUploads(visit, [PICTURE]);
  if (wrong) return newForm(visit, wrong);
  const own = form.get("colours") === "own";
  const given = CHANNEL_FIELDS.filter((name) => {
    if (name === "gradient_from" || name === "gradient_to") return own;
    return name !== "initials" || (form.get(name) ?? "") !== "";
  });
  try {
    const args = { handle: form.get("handle") ?? "", ...argumentsFrom(form, given) };
    const made = await visit.call("create_pusher", args, form.get("once"));
    return visit.goTo(`${base}channels/${made.id}`, made.notes ? "channel-opened-silent" : "channel-opened");
  } catch (error) {
    const refused = shownInForm(error);
    // The one thing of a channel that can be taken is its handle.
    if (refused.type !== "conflict") return newForm(visit, refused);
    return newForm(visit, withFields(refused, [{ param: "handle", message: refused.message }]));
  }
}

async function settings(visit: MemberVisit, error?: ApiError): Promise<Response> {
  const { form, deps } = visit;
  const channel = await channelOf(visit);
  const action = `${channelBase(visit, channel.id)}/edit`;
  const values = error && form.has("seen") ? mergedValues(form, form.get("seen") ?? "", channel) : valuesOf(channel);
  const may = mayUse(visit, "update_pusher");
  const ahead = aheadNote(await visit.asMember(get_retention, { pusher_id: channel.id }), visit.now);
  const panels = channelPanels({ values, handle: channel.handle, server: deps.publicUrl, error, ahead });
  return answer(
    visit,
    `Settings of ${channel.name}`,
    html`${channelHead(visit, channel, "edit")}
    ${problem(error)}
    ${!may && html`<p class="note">${icon("lock")}<span>${READS_ONLY}</span></p>`}
    ${beside(
      channelShown(values, channel.handle, deps.publicUrl),
      html`${
        may
          ? formOf(
              visit,
              action,
              html`<input type="hidden" name="seen" value="${seenMark(valuesOf(channel))}"><input type="hidden" name="known_as" value="${channel.handle}">${panels}`,
              html`<button name="act" value="save">Save</button><p class="hint">Only your changes are saved. If someone else changed the same field, you will see their change first.</p>`,
            )
          : html`<fieldset disabled>${panels}</fieldset>`
      }
      ${may && (await status(visit, channel, action))}
      ${mayUse(visit, "delete_pusher") && ending(visit, channel)}`,
    )}`,
    error,
  );
}

async function status(visit: MemberVisit, channel: Channel, action: string): Promise<Html> {
  const { data } = await visit.call("list_pushers", { handle: channel.handle });
  const planned = data[0]?.scheduled ?? 0;
  const stays =
    planned === 0
      ? "No alerts are scheduled."
      : html`${planned === 1 ? "One scheduled alert will still be sent" : `${planned} scheduled alerts will still be sent`}; cancel ${planned === 1 ? "it" : "them"} to stop ${planned === 1 ? "it" : "them"}.`;
  const button = (act: string, words: string) =>
    html`<form method="post" action="${action}">${visit.token}<button class="plain" name="act" value="${act}">${words}</button></form>`;
  const parts: Record<Channel["status"], [title: string, says: Content, act: Content]> = {
    active: [
      "Pause channel",
      html`A paused channel keeps its handle, page and subscribers but is not in the directory. It cannot send alerts until resumed; you can still write drafts. ${stays}`,
      button("pause", "Pause"),
    ],
    paused: ["The channel is paused", html`It cannot send alerts until resumed. ${stays}`, button("resume", "Resume")],
    suspended: [
      "The channel is suspended",
      "The operator suspended this channel: it is hidden from devices and the directory until the operator reinstates it. You can still edit its settings.",
      null,
    ],
  };
  const [title, says, act] = parts[channel.status];
  return html`<section class="card" aria-labelledby="state"><h2 id="state">${title}</h2><p>${says}</p>${act}</section>`;
}

const ending = (visit: MemberVisit, { id, subscribers }: Channel): Html =>
  html`<section class="card" aria-labelledby="end"><h2 id="end">Delete channel</h2>
  <p>${
    subscribers === 0
      ? "This channel has no subscribers, so you can delete it with all its alerts."
      : `A channel with subscribers cannot be deleted; this one has ${subscribers.toLocaleString("en")}. Pause it instead.`
  }</p>${subscribers === 0 && html`<a class="button danger" href="${channelBase(visit, id)}/delete">Delete…</a>`}</section>`;

/** What a press of a button does. */
async function change(visit: MemberVisit): Promise<FlashCode> {
  const { form } = visit;
  const pusher_id = visit.params.pusher ?? "";
  const act = form.get("act") ?? "";
  if (act === "pause" || act === "resume") {
    await visit.call("update_pusher", { pusher_id, status: act === "pause" ? "paused" : "active" });
    return act === "pause" ? "channel-paused" : "channel-resumed";
  }
  if (act !== "save") throw notFound("form");
  if (!mayUse(visit, "update_pusher")) throw forbidden("role_too_low", READS_ONLY);
  const wrong = await takeUploads(visit, [PICTURE]);
  if (wrong) throw wrong;
  const channel = await visit.call("get_pusher", { pusher_id });
  const changed: ChannelField[] = changedBy(form, form.get("seen") ?? "", channel);
  if (changed.length === 0) return "channel-same";
  const saved = await visit.call("update_pusher", { pusher_id, ...argumentsFrom(form, changed) });
  if (changed.includes("retention_days")) return "channel-kept";
  return saved.notes ? "channel-saved-silent" : "channel-saved";
}

export const CHANNEL_EDIT_PAGES: readonly Page[] = [
  memberPage("GET", "/channels/new", async (visit) => newForm(visit)),
  { ...memberForm("/channels/new", newForm, open), maxFiles: MAX_FORM },

  // The drawings of a form that is being filled in. Nothing is kept of what it says.
  memberPage("POST", "/channels/shown", async ({ form, deps, part }) => {
    const handle = form.get("known_as");
    return part(
      html`<div id="channel-shown">${channelShown(form, handle, deps.publicUrl)}</div>${channelCircle(form)}`,
    );
  }),

  memberPage("GET", "/channels/:pusher/edit", (visit) => settings(visit)),
  {
    ...memberForm("/channels/:pusher/edit", settings, async (visit) => {
      try {
        return visit.goTo(visit.url.pathname, await change(visit));
      } catch (error) {
        return settings(visit, shownInForm(error));
      }
    }),
    maxFiles: MAX_FORM,
  },
];
