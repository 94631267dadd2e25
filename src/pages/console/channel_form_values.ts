// Converts a channel between its record and its form: the values of controls, their arguments, and the fields that a
// person changed. An edit sends only the fields that its person changed. Two people who change different fields both
// keep their changes. If both changed one field, the second sees the first's value before anything is written.

import { createHash } from "node:crypto";
import { ApiError } from "../../model/api_error.ts";
import { CHANNEL_FIELDS, type RequestablePermission } from "../../model/fields/channel.ts";
import { getFieldLabels, getFieldNames } from "../../model/fields/field_table.ts";
import { normalizeLineEnds, parseControlValue, toControlValue } from "./form_controls.ts";
import type { ChannelResult } from "./page_definitions.ts";

export type ChannelField = keyof typeof CHANNEL_FIELDS;

/** Their labels in the form. */
export const CHANNEL_FIELD_LABELS: Record<ChannelField | "handle", string> = {
  ...getFieldLabels(CHANNEL_FIELDS),
  handle: "Handle",
};

/**
 * The permissions that an owner requests. Each has its consequence when the channel does not request it or a person
 * does not allow it.
 */
export const REQUESTED_PERMISSION_LABELS: Record<RequestablePermission, { label: string; without: string }> = {
  notify: { label: "Notify", without: "Without this permission, alerts appear only in the inbox." },
  sound: { label: "Play a sound", without: "Without this permission, sounds and recordings are not played." },
  vibrate: { label: "Vibrate", without: "Without this permission, devices do not vibrate." },
  tts: { label: "Read aloud", without: "Without this permission, no text is read aloud." },
  full: {
    label: "Use the full screen",
    without: "Urgent alerts only. Without this permission, they look like other alerts.",
  },
  loc: { label: "Use location", without: "Without this permission, an alert’s area is ignored." },
  quiet: { label: "Override quiet hours", without: "Without this permission, alerts are silent during quiet hours." },
};

export const CHANNEL_FIELD_NAMES: readonly ChannelField[] = getFieldNames(CHANNEL_FIELDS);

/** The values of the controls for a channel, as get_pusher returns it. */
export function toChannelFormValues(channel: Pick<ChannelResult, ChannelField>): URLSearchParams {
  const values = new URLSearchParams();
  for (const name of CHANNEL_FIELD_NAMES) {
    if (name === "requested_perms") for (const asked of channel.requested_perms) values.append(name, asked);
    else values.set(name, toControlValue(CHANNEL_FIELDS[name], channel[name]));
  }
  return values;
}

/** One control's text in a normal form. Browsers and rows end lines differently. */
function normalizeControl(form: URLSearchParams, name: ChannelField): string {
  if (name === "requested_perms") return form.getAll(name).sort().join("\n");
  const text = form.get(name) ?? "";
  return CHANNEL_FIELDS[name].look === "lines"
    ? toControlValue(CHANNEL_FIELDS[name], parseControlValue(CHANNEL_FIELDS[name], text))
    : normalizeLineEnds(text);
}

/** The arguments that some controls make. */
export const parseChannelForm = (form: URLSearchParams, names: readonly ChannelField[]): Record<string, unknown> =>
  Object.fromEntries(
    names.map((name) => [
      name,
      name === "requested_perms" ? form.getAll(name) : parseControlValue(CHANNEL_FIELDS[name], form.get(name)),
    ]),
  );

const markOf = (form: URLSearchParams, name: ChannelField) =>
  createHash("sha256").update(normalizeControl(form, name)).digest("base64url").slice(0, 10);

/** The values that an edit's page showed, in one hidden field: a digest of each control's text. */
export const createChannelFormDigests = (values: URLSearchParams): string =>
  CHANNEL_FIELD_NAMES.map((name) => markOf(values, name)).join(".");

/** The fields whose controls differ from what the page showed. */
function touchedIn(form: URLSearchParams, seen: string): ChannelField[] {
  const marks = seen.split(".");
  return CHANNEL_FIELD_NAMES.filter((name, at) => markOf(form, name) !== marks[at]);
}

/** The values of the form when it is shown again: changed fields as typed, the rest as the channel has them now. */
export function mergeChannelFormValues(
  form: URLSearchParams,
  seen: string,
  channel: Pick<ChannelResult, ChannelField>,
): URLSearchParams {
  const values = toChannelFormValues(channel);
  for (const name of touchedIn(form, seen)) {
    values.delete(name);
    for (const value of form.getAll(name)) values.append(name, value);
  }
  return values;
}

/**
 * The fields that a person changed on a page.
 * @param seen what `createChannelFormDigests` made of the values that the page showed
 * @throws 409 naming every field that another person changed to another value in the meantime
 */
export function findChannelFormChanges(
  form: URLSearchParams,
  seen: string,
  channel: Pick<ChannelResult, ChannelField>,
): ChannelField[] {
  const now = toChannelFormValues(channel);
  const changed = touchedIn(form, seen).filter((name) => normalizeControl(form, name) !== normalizeControl(now, name));
  const theirs = new Set(touchedIn(now, seen));
  const fields = changed
    .filter((name) => theirs.has(name))
    .map((name) => ({
      param: name,
      message: `${CHANNEL_FIELD_LABELS[name]}: someone else has changed this to “${normalizeControl(now, name).replace(
        /\n/g,
        ", ",
      )}”.`,
    }));
  if (fields.length > 0)
    throw new ApiError(
      "version_conflict",
      `${fields[0]?.message} Nothing was saved. Save again to replace their version with yours.`,
      { fields },
    );
  return changed;
}
