// The form of a new or existing channel. Four panels have a control for every field of its table. A preview shows the
// channel as people will find it. The operations validate the values.

import type { ApiError } from "../../model/api_error.ts";
import {
  defaultGradient,
  deriveInitials,
  parseChannelColourOrCurrent,
} from "../../model/domain/channel_capabilities_and_defaults.ts";
import { CHANNEL_FIELDS, REQUESTABLE_DEVICE_PERMISSIONS } from "../../model/fields/channel.ts";
import { getFieldNames, selectFieldsDrawnByKind } from "../../model/fields/field_table.ts";
import { LIMITS } from "../../model/limits.ts";
import { avatar, getLocalPicturePath } from "../../ui/avatar.ts";
import { CATEGORY_LABELS } from "../../ui/category_and_permission_labels.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { CHANNEL_FIELD_LABELS, type ChannelField, REQUESTED_PERMISSION_LABELS } from "./channel_form_values.ts";
import { checkbox, renderFieldErrorAndAttributes } from "./components.ts";
import {
  circleFields,
  circlePreview,
  collapsibleFields,
  colorField,
  type FormState,
  fieldControl,
  panel,
  plainFieldControls,
  segmentedControl,
  textField,
} from "./form_controls.ts";
import { renderFileUploadField, UPLOAD_KIND_HINTS, type UploadField } from "./pages/files.ts";

interface ChannelForm {
  values: URLSearchParams;
  /** The handle of an existing channel; a new one's handle is in `values`. */
  handle: string | null;
  /** The effect of `retention_days` at its present value. */
  ahead?: HtmlContent;
  /** The origin under which people reach the service. */
  server: string;
  error?: ApiError;
}

/** The picture that a form uploads. */
export const PICTURE_UPLOAD_FIELD: UploadField = {
  field: "picture_file",
  kind: "image",
  into: "image_url",
  holds: "url",
};

/** The titles of the panels, in their order. */
export const CHANNEL_PANEL_TITLES = [
  "Basics",
  CHANNEL_FIELD_LABELS.requested_perms,
  "Audience and area",
  "Appearance",
  "Alert retention",
] as const;

export function renderChannelFormPanels(form: ChannelForm): Html {
  return html`${about(form)}${phones(form)}${reach(form)}${looks(form)}${retentionPanel(form)}`;
}

const NO_CIRCLE = "No area: the channel applies everywhere.";

const typedIn = ({ values, error }: ChannelForm): FormState => ({ form: values, error });

function about(form: ChannelForm): Html {
  const { values, handle, error } = form;
  const text = (name: ChannelField, more: Parameters<typeof fieldControl>[3] = {}) =>
    fieldControl(CHANNEL_FIELDS, typedIn(form), name, more);
  const others = plainFieldControls(CHANNEL_FIELDS, typedIn(form));
  const drawn = getFieldNames(selectFieldsDrawnByKind(CHANNEL_FIELDS, "form"));
  const further = ["long", "site", "city", "tags", "alert_types", ...drawn];
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
            label: CHANNEL_FIELD_LABELS.handle,
            value: values.get("handle") ?? "",
            most: LIMITS.handle,
            hint:
              "The channel’s public address, such as harbour-watch. Use lowercase letters, digits, - and _. It " +
              "cannot be changed later.",
            required: true,
            autocomplete: "off",
            literal: true,
            error,
          })
        : html`<div class="field"><p class="label">${CHANNEL_FIELD_LABELS.handle}</p><p class="fixed">@${handle}</p><p
          class="hint after">The handle cannot be changed.</p></div>`
    }
    ${text("category", { options: CATEGORY_LABELS, value: "community" })}
    ${text("description", { required: true })}
    ${collapsibleFields(typedIn(form), "Website, city and tags", further, rest)}`,
    "Shown on the channel’s page and in the directory.",
  );
}

function phones({ values, error }: ChannelForm): Html {
  const asked = new Set(values.getAll("requested_perms"));
  const { line, attributes } = renderFieldErrorAndAttributes(error, "requested_perms", "said");
  return panel(
    CHANNEL_FIELD_LABELS.requested_perms,
    html`${line}
    <div class="asked">${REQUESTABLE_DEVICE_PERMISSIONS.map((name, at) =>
      checkbox({
        id: at === 0 ? "requested_perms" : `ask-${name}`,
        name: "requested_perms",
        value: name,
        label: REQUESTED_PERMISSION_LABELS[name].label,
        note: REQUESTED_PERMISSION_LABELS[name].without,
        checked: asked.has(name),
        attributes: at === 0 && error && attributes,
      }),
    )}</div>
    <p class="note warn nothing">${icon("bell")}<span>The channel requests no permissions: its alerts appear only in
      the inbox, without a banner or sound.</span></p>`,
    html`<span id="requested_perms-hint">Each subscriber chooses which of these to allow and can change that later.
      Alerts use only permissions that are both requested and allowed.</span>`,
  );
}

function reach(form: ChannelForm): Html {
  const { values, error } = form;
  return panel(
    "Audience and area",
    html`${segmentedControl({
      name: "is_public",
      label: CHANNEL_FIELD_LABELS.is_public,
      options: [
        { value: "true", label: html`Public` },
        { value: "false", label: html`${icon("lock", "s")}Invite only` },
      ],
      value: values.get("is_public") ?? "true",
      hint: CHANNEL_FIELDS.is_public.drawn.hint,
      error,
    })}
    ${collapsibleFields(
      typedIn(form),
      "Area",
      ["lat", "lon", "radius_km", "loc_rule"],
      html`<div role="group" aria-label="Area" aria-describedby="circle-hint">
      <p class="hint" id="circle-hint">The area the channel covers. Fill in all three fields or none. Devices
        compare it with their location, which they never send.</p>
      ${circleFields(values, NO_CIRCLE, error)}</div>
      ${fieldControl(CHANNEL_FIELDS, typedIn(form), "loc_rule", {
        most: LIMITS.channel_loc_rule,
        autocomplete: "off",
        literal: true,
      })}`,
    )}`,
    "The visibility of the channel, and the area that it covers.",
  );
}

function looks(form: ChannelForm): Html {
  const { values, handle, server, error } = form;
  const face = facesOf(values, handle);
  const own = html`<div class="colours">${colorField({
    name: "gradient_from",
    label: CHANNEL_FIELD_LABELS.gradient_from,
    value: face.gradient_from,
    error,
  })}
    ${colorField({
      name: "gradient_to",
      label: CHANNEL_FIELD_LABELS.gradient_to,
      value: face.gradient_to,
      error,
    })}</div>`;
  return panel(
    "Appearance",
    html`${fieldControl(CHANNEL_FIELDS, typedIn(form), "initials", {
      hint: handle === null && "If empty, the initials are taken from the name.",
      autocomplete: "off",
    })}
    ${
      handle === null
        ? html`${segmentedControl({
            name: "colours",
            label: "Colours",
            options: [
              { value: "made", label: "Based on the handle" },
              { value: "own", label: "Custom" },
            ],
            value: values.get("colours") ?? "made",
          })}<div class="own">${own}</div>`
        : own
    }
    ${
      // A channel cannot have an address without https.
      server.startsWith("https:") &&
      renderFileUploadField(PICTURE_UPLOAD_FIELD, {
        label: "Upload a picture",
        hint: `Replaces the initials and colours. ${UPLOAD_KIND_HINTS.image}`,
        error,
      })
    }
    ${fieldControl(CHANNEL_FIELDS, typedIn(form), "image_url")}`,
    "The channel’s initials and colours, or its picture.",
  );
}

const retentionPanel = (form: ChannelForm): Html =>
  panel(
    "Alert retention",
    html`${fieldControl(CHANNEL_FIELDS, typedIn(form), "retention_days")}
    ${form.ahead}`,
    html`Alerts are permanently deleted this many days after they are sent or withdrawn, or after they expire. They
      are also deleted from devices. Statistics, drafts and scheduled alerts are kept. Deletion starts no earlier than
        ${LIMITS.retention_notice_hours} hours after you change this setting. The operator can make a copy first
          with <code>belfry export</code>.`,
  );

/** The avatar with the values of the form. The service derives missing ones from handle and name. */
function facesOf(values: URLSearchParams, handle: string | null) {
  const made = defaultGradient(handle ?? values.get("handle") ?? "");
  const chosen = handle !== null || values.get("colours") === "own";
  const pick = (name: string, otherwise: string) =>
    chosen ? parseChannelColourOrCurrent(values.get(name) ?? undefined, otherwise) : otherwise;
  const initials = [...(values.get("initials") ?? "").trim()].slice(0, LIMITS.channel_initials).join("");
  return {
    initials: initials || deriveInitials(values.get("name") ?? ""),
    gradient_from: pick("gradient_from", made.from),
    gradient_to: pick("gradient_to", made.to),
  };
}

/** The channel as the directory shows it. */
export function channelPreview(values: URLSearchParams, handle: string | null, server: string): Html {
  const picture = getLocalPicturePath(values.get("image_url"), server);
  const category = values.get("category") ?? "";
  const under = [
    `@${handle ?? (values.get("handle") || "handle")}`,
    Object.hasOwn(CATEGORY_LABELS, category) && CATEGORY_LABELS[category as keyof typeof CATEGORY_LABELS],
    values.get("city"),
  ].filter(Boolean);
  return html`${avatar({ ...facesOf(values, handle), picture }, "shown-face", "l")}<div><p
    class="lead">${values.get("name") || "Name"}</p><p class="muted small facts-line">${under.map(
      (fact) => html`<span class="line"><bdi>${fact}</bdi></span>`,
    )}</p></div><p
      class="says">${values.get("description") || "Short description"}</p>`;
}

/** The circle to scale, as the form has it. */
export const channelCirclePreview = (values: URLSearchParams): Html => circlePreview(values, NO_CIRCLE);
