// The preview of an alert: its card as devices show it, with inert buttons, and its sound, vibration and speech.

import { type AlertButton, getOpenUrlActions, getReplyQuestion } from "../model/fields/split_alert_actions.ts";
import { type ActionElementRenderers, renderAlertActions } from "./alert_actions.ts";
import { alertCard } from "./alert_card.ts";
import { type AvatarData, externalPicture } from "./avatar.ts";
import { type Html, type HtmlContent, html } from "./html.ts";
import { icon } from "./icons.ts";

/** The parts of an alert that a device draws, stored or typed. */
export interface PreviewedAlert {
  title: string;
  body: string | null;
  priority: "normal" | "important" | "urgent";
  picture: string | null;
  /** A picture on another server, which is only loaded on request. */
  elsewhere: string | null;
  requires_ack: boolean;
  actions: readonly AlertButton[];
  sound: string | null;
  vibrate: string | null;
  /** A recording replaces the sound. */
  recording: boolean;
  tts_text: string | null;
  radius_km: number | null;
  at: Date;
  expires_at: Date | null;
}

const inertButton = (content: HtmlContent): Html => html`<span class="button plain">${content}</span>`;

/** Pictures of the app's buttons, which do nothing. */
const INERT_ELEMENTS: ActionElementRenderers<Html, { label: string }> = {
  html: html as ActionElementRenderers<Html, { label: string }>["html"],
  icon,
  choice: (label) => inertButton(html`<bdi>${label}</bdi>`),
  acknowledge: (content) => html`<span class="button">${content}</span>`,
  link: (_, content) => inertButton(content),
};

/** The question and the buttons of an alert, drawn as the app draws them. */
export const inertActions = ({
  requires_ack,
  actions,
}: Pick<PreviewedAlert, "requires_ack" | "actions">): HtmlContent =>
  renderAlertActions(INERT_ELEMENTS, {
    question: getReplyQuestion({ actions }) ?? null,
    acknowledge: requires_ack ? "Acknowledge" : null,
    links: getOpenUrlActions(actions),
  });

const capitalize = (value: string): string => value.charAt(0).toUpperCase() + value.slice(1);

/** "Siren", "Long": the sound, vibration and speech of an alert. */
export function listAlertEffects({ sound, vibrate, recording, tts_text }: PreviewedAlert): Html[] {
  const heard = recording ? "Recording" : sound && sound !== "silent" ? capitalize(sound) : null;
  return [
    ...(heard ? [html`<span>${icon("sound", "s")}${heard}</span>`] : []),
    ...(vibrate && vibrate !== "none" ? [html`<span>${icon("shake", "s")}${capitalize(vibrate)}</span>`] : []),
    ...(tts_text ? [html`<span>${icon("speech", "s")}Read aloud</span>`] : []),
  ];
}

/** The card of an alert as devices show it. @param id unique on the page */
export const renderAlertPreviewCard = (
  channel: AvatarData & { name: string },
  drawn: PreviewedAlert,
  now: Date,
  id: string,
): Html =>
  alertCard({
    id,
    channel,
    title: drawn.title.trim() === "" ? "Alert title" : drawn.title,
    text: drawn.body,
    priority: drawn.priority,
    state: drawn.expires_at && drawn.expires_at <= now ? "past" : "unread",
    sentAt: drawn.at,
    now,
    expiresAt: drawn.expires_at,
    picture: drawn.picture,
    radiusKm: drawn.radius_km,
    also: drawn.elsewhere && externalPicture(drawn.elsewhere),
    actions: inertActions(drawn),
  });

/** "1 device", "412 devices" */
export const formatDeviceCount = (count: number): string =>
  `${count.toLocaleString("en")} ${count === 1 ? "device" : "devices"}`;
