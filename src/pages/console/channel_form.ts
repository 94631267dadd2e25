// The form of a channel, new or known: four panels whose controls together hold every field of its table, and beside them the
// channel as people will find it. What is accepted, the operations say.

import { defaultGradient, deriveInitials, pickColour } from "../../model/domain/channel.ts";
import type { ApiError } from "../../model/errors.ts";
import { CAPABILITIES, PUSHER } from "../../model/fields/pusher.ts";
import { namesOf, plainOn } from "../../model/fields/record.ts";
import { LIMITS } from "../../model/limits.ts";
import { CATEGORY_WORDS } from "../../ui/channel_words.ts";
import { face, pictureHere } from "../../ui/face.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { ASKED, type ChannelField, LABELS } from "./channel_values.ts";
import {
  circleFields,
  circleShown,
  colour,
  control,
  folded,
  panel,
  plainControls,
  segmented,
  type Typed,
  textField,
} from "./controls.ts";
import { FILE_HINTS, fileField, type UploadField } from "./pages/files.ts";
import { tick, wrongWith } from "./parts.ts";

export interface ChannelForm {
  values: URLSearchParams;
  /** The handle of a channel that is there; a new one's stands in `values`. */
  handle: string | null;
  /** What `retention_days` leads to as it is now. */
  ahead?: Content;
  /** The origin under which people reach the service. */
  server: string;
  error?: ApiError;
}

/** The picture that a form uploads. */
export const PICTURE: UploadField = {
  field: "picture_file",
  kind: "image",
  into: "image_url",
  holds: "url",
};

export function channelPanels(form: ChannelForm): Html {
  return html`${about(form)}${phones(form)}${reach(form)}${looks(form)}${kept(form)}`;
}

const NO_CIRCLE = "No area: the channel applies everywhere.";

const typedIn = ({ values, error }: ChannelForm): Typed => ({ form: values, error });

function about(form: ChannelForm): Html {
  const { values, handle, error } = form;
  const text = (name: ChannelField, more: Parameters<typeof control>[3] = {}) =>
    control(PUSHER, typedIn(form), name, more);
  const others = plainControls(PUSHER, typedIn(form));
  const rest = html`${text("long")}
    <div class="columns">${text("site")}
    ${text("city")}</div>
    <div class="columns">${text("tags")}
    ${text("alert_types")}</div>${others}`;
  return panel(
    "Basics",
    html`${text("name", { required: true })}
    ${
      handle === null
        ? textField({
            name: "handle",
            label: LABELS.handle,
            value: values.get("handle") ?? "",
            most: LIMITS.handle,
            hint: "Its public address, such as harbour-watch: lowercase letters, digits, - and _. It cannot be changed later.",
            required: true,
            autocomplete: "off",
            literal: true,
            error,
          })
        : html`<div class="field"><p class="label">${LABELS.handle}</p><p class="fixed">@${handle}</p><p class="hint after">The handle cannot be changed.</p></div>`
    }
    ${text("category", { options: CATEGORY_WORDS, value: "community" })}
    ${text("description", { required: true })}
    ${folded({ form: values, error }, "Website, city and tags", ["long", "site", "city", "tags", "alert_types", ...namesOf(plainOn(PUSHER, "form"))], rest)}`,
  );
}

function phones({ values, error }: ChannelForm): Html {
  const asked = new Set(values.getAll("requested_perms"));
  const { line, attributes } = wrongWith(error, "requested_perms", "said");
  return panel(
    LABELS.requested_perms,
    html`<p class="hint" id="requested_perms-hint">Each subscriber allows or denies these and can change that later. Alerts use only what is requested and allowed.</p>${line}
    <div class="asked">${CAPABILITIES.map((name, at) =>
      tick({
        id: at === 0 ? "requested_perms" : `ask-${name}`,
        name: "requested_perms",
        value: name,
        label: ASKED[name].label,
        note: ASKED[name].without,
        checked: asked.has(name),
        attributes: at === 0 && error && attributes,
      }),
    )}</div>
    <p class="note warn nothing">${icon("bell")}<span>The channel requests nothing: its alerts appear in the list only, without a banner or sound.</span></p>`,
  );
}

function reach(form: ChannelForm): Html {
  const { values, error } = form;
  return panel(
    "Audience and area",
    html`${segmented({
      name: "is_public",
      label: LABELS.is_public,
      options: [
        { value: "true", label: html`Public` },
        { value: "false", label: html`${icon("lock", "s")}Invite only` },
      ],
      value: values.get("is_public") ?? "true",
      hint: PUSHER.is_public.drawn.hint,
      error,
    })}
    <div role="group" aria-labelledby="circle" aria-describedby="circle-hint"><p class="label" id="circle">Area</p>
    <p class="hint" id="circle-hint">The area the channel is about. Fill in all three fields or none. Devices compare it with their location, which they never send.</p>
    ${circleFields(values, NO_CIRCLE, error)}</div>
    ${control(PUSHER, typedIn(form), "loc_rule", { most: LIMITS.channel_loc_rule, autocomplete: "off", literal: true })}`,
  );
}

function looks(form: ChannelForm): Html {
  const { values, handle, server, error } = form;
  const face = facesOf(values, handle);
  const own = html`<div class="columns">${colour({ name: "gradient_from", label: LABELS.gradient_from, value: face.gradient_from, error })}
    ${colour({ name: "gradient_to", label: LABELS.gradient_to, value: face.gradient_to, error })}</div>`;
  return panel(
    "Appearance",
    html`${control(PUSHER, typedIn(form), "initials", {
      hint: handle === null && "If empty, taken from the name.",
      autocomplete: "off",
    })}
    ${
      handle === null
        ? html`${segmented({
            name: "colours",
            label: "Colours",
            options: [
              { value: "made", label: "From the handle" },
              { value: "own", label: "Custom" },
            ],
            value: values.get("colours") ?? "made",
          })}<div class="own">${own}</div>`
        : own
    }
    ${
      // An address without https is none that a channel may have.
      server.startsWith("https:") &&
      fileField(PICTURE, {
        label: "Upload a picture",
        hint: `Replaces the initials and colours. ${FILE_HINTS.image}`,
        error,
      })
    }
    ${control(PUSHER, typedIn(form), "image_url")}`,
  );
}

const kept = (form: ChannelForm): Html =>
  panel(
    "Alert retention",
    html`<p class="hint">Alerts are permanently deleted, from devices too, this many days after they were sent, withdrawn or expired. Statistics, drafts and scheduled alerts are kept. Deletion starts at the earliest ${LIMITS.retention_notice_hours} hours after a change. The operator can make a copy first with <code>belfry export</code>.</p>
    ${control(PUSHER, typedIn(form), "retention_days")}
    ${form.ahead}`,
  );

/** The avatar as it would be. What is left open, the service makes of handle and name. */
function facesOf(values: URLSearchParams, handle: string | null) {
  const made = defaultGradient(handle ?? values.get("handle") ?? "");
  const chosen = handle !== null || values.get("colours") === "own";
  const pick = (name: string, otherwise: string) =>
    chosen ? pickColour(values.get(name) ?? undefined, otherwise) : otherwise;
  const initials = [...(values.get("initials") ?? "").trim()].slice(0, LIMITS.channel_initials).join("");
  return {
    initials: initials || deriveInitials(values.get("name") ?? ""),
    gradient_from: pick("gradient_from", made.from),
    gradient_to: pick("gradient_to", made.to),
  };
}

/** The channel as the directory shows it. */
export function channelShown(values: URLSearchParams, handle: string | null, server: string): Html {
  const picture = pictureHere(values.get("image_url"), server);
  const category = values.get("category") ?? "";
  const under = [
    `@${handle ?? (values.get("handle") || "handle")}`,
    Object.hasOwn(CATEGORY_WORDS, category) && CATEGORY_WORDS[category as keyof typeof CATEGORY_WORDS],
    values.get("city"),
  ].filter(Boolean);
  return html`${face({ ...facesOf(values, handle), picture }, "shown-face", "l")}<div><p class="lead">${values.get("name") || "Name"}</p><p class="muted small">${under.join(" · ")}</p></div><p class="says">${values.get("description") || "Short description"}</p>`;
}

/** The circle to scale, as the form has it. */
export const channelCircle = (values: URLSearchParams): Html => circleShown(values, NO_CIRCLE);
