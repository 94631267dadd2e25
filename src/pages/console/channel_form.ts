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

const NO_CIRCLE = "No circle: the channel is for every place.";

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
    "What it is",
    html`${text("name", { required: true })}
    ${
      handle === null
        ? textField({
            name: "handle",
            label: LABELS.handle,
            value: values.get("handle") ?? "",
            most: LIMITS.handle,
            hint: "Its public address, such as harbour-watch: small letters, digits, - and _. It can never be changed.",
            required: true,
            autocomplete: "off",
            literal: true,
            error,
          })
        : html`<div class="field"><p class="label">${LABELS.handle}</p><p class="fixed">@${handle}</p><p class="hint after">A handle never changes.</p></div>`
    }
    ${text("category", { options: CATEGORY_WORDS, value: "community" })}
    ${text("description", { required: true })}
    ${folded({ form: values, error }, "Site, place, words to find it by", ["long", "site", "city", "tags", "alert_types", ...namesOf(plainOn(PUSHER, "form"))], rest)}`,
  );
}

function phones({ values, error }: ChannelForm): Html {
  const asked = new Set(values.getAll("requested_perms"));
  const { line, attributes } = wrongWith(error, "requested_perms", "said");
  return panel(
    LABELS.requested_perms,
    html`<p class="hint" id="requested_perms-hint">Each person decides about each of these, and can take it back. An alert does only what was asked for and allowed.</p>${line}
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
    <p class="note warn nothing">${icon("bell")}<span>The channel asks for nothing: its alerts only appear in the list, without a banner or a sound.</span></p>`,
  );
}

function reach(form: ChannelForm): Html {
  const { values, error } = form;
  return panel(
    "Who and where",
    html`${segmented({
      name: "is_public",
      label: LABELS.is_public,
      options: [
        { value: "true", label: html`Everybody` },
        { value: "false", label: html`${icon("lock", "s")}Who is invited` },
      ],
      value: values.get("is_public") ?? "true",
      hint: PUSHER.is_public.drawn.hint,
      error,
    })}
    <div role="group" aria-labelledby="circle" aria-describedby="circle-hint"><p class="label" id="circle">Circle</p>
    <p class="hint" id="circle-hint">Where the channel matters. Fill in all three, or none. Phones compare it with their own place; no place leaves a phone.</p>
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
    "How it looks",
    html`${control(PUSHER, typedIn(form), "initials", {
      hint: handle === null && "Left empty, they are made of the name.",
      autocomplete: "off",
    })}
    ${
      handle === null
        ? html`${segmented({
            name: "colours",
            label: "Colours",
            options: [
              { value: "made", label: "Made of the handle" },
              { value: "own", label: "My own" },
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
        hint: `It takes the place of initials and colours. ${FILE_HINTS.image}`,
        error,
      })
    }
    ${control(PUSHER, typedIn(form), "image_url")}`,
  );
}

const kept = (form: ChannelForm): Html =>
  panel(
    "How long alerts are kept",
    html`<p class="hint">After these days, counted from the end of each alert (when it was sent or withdrawn, or when it expired), it is removed for good, from phones as well. Its counts stay in the statistics. Drafts and scheduled alerts stay. The first goes no earlier than ${LIMITS.retention_notice_hours} hours after this was changed. Whoever runs this service can make a copy first, with <code>belfry export</code>.</p>
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
  return html`${face({ ...facesOf(values, handle), picture }, "shown-face", "l")}<div><p class="lead">${values.get("name") || "Name"}</p><p class="muted small">${under.join(" · ")}</p></div><p class="says">${values.get("description") || "One line about it"}</p>`;
}

/** The circle to scale, as the form has it. */
export const channelCircle = (values: URLSearchParams): Html => circleShown(values, NO_CIRCLE);
