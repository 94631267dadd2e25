// Shared components of views: line icons on a grid of 24, a channel's avatar, a row with a switch, a notice, and the
// handling of refused actions. Icons are next to a word, or in a button that has a name.

import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { computeAvatarOverlayOpacity } from "../../../../ui/avatar_contrast_overlay.ts";
import { isOwnOrigin } from "../alert_effects.ts";
import type { ChannelCard } from "../api_types.ts";
import { updateAppState, useAppState } from "../app_state.ts";
import { LocalStoreUnavailableError } from "../device.ts";
import { ServiceRefusedError } from "../handset_api.ts";
import { html, type VNodeContent } from "../html_template.ts";
import { t } from "../texts/translate.ts";

const PATHS = {
  inbox: "M3 13h4l2 3h6l2-3h4M5 5h14l2 8v6H3v-6z",
  channels: "M5 9h14M5 15h14M10 4 8 20M16 4l-2 16",
  search: "M17.5 11a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0zM16 16l4.5 4.5",
  settings: "M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5v5M8 14.5v5",
  back: "M14.5 5.5 8 12l6.5 6.5",
  close: "M6 6l12 12M18 6 6 18",
  clock: "M12 7v5l3 2M20 12a8 8 0 1 1-16 0 8 8 0 0 1 16 0",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  archive: "M4 5h16v4H4zM5.5 9v10h13V9M10 13h4",
  check: "m5 12.5 4.5 4.5L19 7.5",
  pause: "M9 5v14M15 5v14",
  play: "M8 5.5v13L18.5 12z",
  place: "M12 21s7-6.2 7-11a7 7 0 0 0-14 0c0 4.8 7 11 7 11zM14.5 10a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z",
  out: "M14 4h6v6M20 4l-9 9M18 14v5H5V6h5",
  offline: "M3 3l18 18M8.5 6.5A9 9 0 0 1 21 10M5.5 9A13 13 0 0 0 3 10M7 14a6 6 0 0 1 5-2M17 14.5 16 14M12 18.5h.01",
  fresh: "M20 12a8 8 0 1 1-2.3-5.6M20 4v4h-4",
  bell: "M6 10a6 6 0 0 1 12 0c0 4 1.5 5.5 2.5 6.5h-17C4.5 15.5 6 14 6 10zM10 20a2.2 2.2 0 0 0 4 0",
  mute:
    "M6 10a6 6 0 0 1 9-5.2M18 10c0 4 1.5 5.5 2.5 6.5H9M3.5 16.5C4.5 15.5 6 14 6 10M10 20a2.2 2.2 0 0 0 4 0M3 " +
    "3l18 18",
  sound: "M4 10v4h3l5 4V6L7 10H4zM16 9a4 4 0 0 1 0 6M18.5 6.5a7.5 7.5 0 0 1 0 11",
  speech: "M4 5h16v11h-9l-5 4v-4H4zM8.5 9h7M8.5 12h4",
  picture: "M4 5h16v14H4zM4 16l5-5 5 5 2-2 4 4M15.5 9.5h.01",
  globe: "M20 12a8 8 0 1 1-16 0 8 8 0 0 1 16 0M4 12h16M12 4c3.5 4 3.5 12 0 16M12 4c-3.5 4-3.5 12 0 16",
  device: "M8 3h8v18H8zM11 18h2",
  careful: "M12 4 2.5 20h19zM12 10v4M12 17h.01",
  lock: "M5 11h14v9H5zM8 11V8a4 4 0 0 1 8 0v3",
} as const;

export type AppIconName = keyof typeof PATHS;

export const renderSymbolIcon = (name: AppIconName, size: "" | "s" = ""): VNode =>
  html`<svg class=${`i ${size}`} viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;

/** A channel's picture where it may be fetched, else its initials on its two colours. */
export function ChannelAvatar({ card, size = "" }: { card: ChannelCard | null; size?: "" | "m" | "l" }): VNode {
  const id = useId();
  const { settings } = useAppState();
  const [broken, setBroken] = useState<string | null>(null);
  if (!card) return html`<span class=${`face unknown ${size}`} aria-hidden="true"></span>`;
  const { image_url: picture, gradient_from: from, gradient_to: to, initials } = card;
  if (picture && picture !== broken && (settings.elsewhere || isOwnOrigin(picture)))
    return html`<img class=${`face ${size}`} src=${picture} alt="" referrerpolicy="no-referrer"
      onError=${() => setBroken(picture)} />`;
  const wide = [...initials].length > 2;
  return html`<svg class=${`face ${size}`} viewBox="0 0 44 44" aria-hidden="true">
    <linearGradient id=${id} x2="1" y2="1"><stop stop-color=${from} /><stop offset="1" stop-color=${to}
      /></linearGradient>
    <rect width="44" height="44" fill=${`url(#${id})`} />
    <rect width="44" height="44" fill-opacity=${computeAvatarOverlayOpacity(card)} />
    <text x="22" y=${wide ? 27 : 28.5} text-anchor="middle" font-weight="650" font-size=${wide ? 14 : 18}
      fill="#fff">${initials}</text>
  </svg>`;
}

interface SwitchProps {
  label: string;
  heading?: boolean;
  hint?: VNodeContent;
  /** The browser or the device does not permit it, so it is off, and the hint has the reason. */
  blocked?: boolean;
  on: boolean;
  /** The person's choice. It stays where they left it until the action is done, and then follows `on`. */
  onChange(on: boolean): Promise<unknown>;
}

/** A setting: its title, one sentence, and the control at the end of the line. */
export function SettingRow({ id, label, heading = false, hint, children }: SettingProps): VNode {
  const title = html`<label for=${id}>${label}</label>`;
  return html`<div class="switchrow">
    ${heading ? html`<h2>${title}</h2>` : title}
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    <div class="control">${children}</div>
  </div>`;
}

interface SettingProps {
  /** The control's. */
  id: string;
  label: string;
  /** The title of its card. */
  heading?: boolean;
  hint?: VNodeContent;
  children?: VNodeContent;
}

export function SwitchRow({ label, heading = false, hint, blocked = false, on, onChange }: SwitchProps): VNode {
  const id = useId();
  const [wanted, setWanted] = useState<boolean | null>(null);
  const turn = (next: boolean) => {
    setWanted(next);
    onChange(next).finally(() => setWanted(null));
  };
  return html`<${SettingRow} id=${id} label=${label} heading=${heading} hint=${hint}>
    <input id=${id} type="checkbox" role="switch" disabled=${blocked} checked=${!blocked && (wanted ?? on)}
      aria-describedby=${hint ? `${id}-hint` : undefined}
      onChange=${(event: Event) => turn((event.currentTarget as HTMLInputElement).checked)} />
  <//>`;
}

type Tone = "" | "warn" | "good" | "bad" | "accent";

interface NoteProps {
  tone?: Tone;
  /** An icon, or a drawing. */
  sign: AppIconName | VNode;
  /** Adds a button that closes it. */
  onClose?: () => void;
  children?: VNodeContent;
}

export function NoteStrip({ tone = "", sign, onClose, children }: NoteProps): VNode {
  return html`<div class=${`note ${tone} ${onClose ? "closable" : ""}`}
    role=${tone === "bad" ? "alert" : "status"}
    >${typeof sign === "string" ? renderSymbolIcon(sign) : sign}<div>${children}</div>${
      onClose &&
      html`<button class="link iconbtn" aria-label=${t("do.close")}
        onClick=${onClose}>${renderSymbolIcon("close")}</button>`
    }</div>`;
}

/** Runs an action that may be refused, and shows the refusal on the page. Returns whether it was done. */
export async function tryAction(work: () => Promise<unknown>): Promise<boolean> {
  updateAppState({ said: null });
  try {
    await work();
    return true;
  } catch (error) {
    updateAppState({ said: { text: describeActionError(error), bad: true } });
    return false;
  }
}

/** The message about a failure: the service's own sentence, or one about a missing response. */
export function describeActionError(error: unknown): string {
  if (error instanceof LocalStoreUnavailableError) return t("app.no_store");
  if (error instanceof ServiceRefusedError) return error.status === 404 ? t("channel.not_there") : error.message;
  return t("net.trouble");
}

export function StatusMessage(): VNode | null {
  const { said } = useAppState();
  if (!said) return null;
  return html`<${NoteStrip} tone=${said.bad ? "bad" : "good"} sign=${said.bad ? "careful" : "check"}
    onClose=${() => updateAppState({ said: null })}><p dir="auto">${said.text}</p><//>`;
}

/** The loading state: nothing at first, then three still outlines. */
export const LoadingPlaceholder = (): VNode =>
  html`<div class="waiting" role="status"><span class="unseen">${t("app.loading")}</span><i></i><i></i><i></i></div>`;

interface EmptyProps {
  sign: AppIconName;
  title: string;
  /** The title is the pane's: what the address names is missing. */
  missing?: boolean;
  /** A pane next to a list, without a selection. */
  unselected?: boolean;
  text?: string | false;
  children?: VNodeContent;
}

/** A list without rows, or a view that is missing: what it is, one sentence, and where to go. */
export const EmptyState = ({ sign, title, missing = false, unselected = false, text, children }: EmptyProps): VNode =>
  html`<div class=${missing || unselected ? "empty pane" : "empty"}>${renderSymbolIcon(sign)}
    <${missing ? "h1" : "p"} class="lead" tabindex=${missing ? -1 : undefined} dir="auto">${title}<//>
    ${text && html`<p>${text}</p>`}
    ${children}</div>`;

interface HeadProps {
  /** Null where the content below has the title. */
  title: string | null;
  back?: string;
  beside?: boolean;
  /** The way back is also shown on a wide screen, where no list leads there. */
  always?: boolean;
  /** A channel's avatar before its name. */
  face?: VNode | null;
  children?: VNodeContent;
}

/**
 * The header of a pane: its name, the back link on a narrow screen, and actions. `beside`: details are open next to it,
 * whose header is the page's.
 */
export function PaneHeader({ title, back, beside = false, always = false, face, children }: HeadProps): VNode {
  return html`<header class="panehead">
    ${
      back &&
      html`<a class=${`iconbtn back ${always ? "always" : ""}`}
      href=${back} aria-label=${t("do.back")}>${renderSymbolIcon("back")}</a>`
    }
    ${face}${
      title !== null && html`<${beside ? "h2" : "h1"} class="head" tabindex="-1" dir="auto">${title}<//>`
    }${children}
  </header>`;
}

interface ChoiceMenuProps<N extends string> {
  sign: AppIconName;
  /** The text of the button, and the title of the menu. */
  title: string;
  choices: readonly (readonly [name: N, text: string, choose: () => unknown])[];
  hint?: string;
}

/**
 * A button that opens a short list: a sheet at the bottom of a phone, a menu below the button on a wide screen. The
 * browser closes it by Escape or a press elsewhere, and returns the focus to the button. The Tab key stays in it.
 */
export function ChoiceMenu<N extends string>({ sign, title, choices, hint }: ChoiceMenuProps<N>): VNode {
  const id = useId();
  const closes = { popovertarget: id, popovertargetaction: "hide" };
  const keepFocus = (event: KeyboardEvent) => {
    const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll("button")];
    const [from, to] = event.shiftKey ? [buttons[0], buttons.at(-1)] : [buttons.at(-1), buttons[0]];
    // After a press on its text, the menu itself has the focus.
    if (event.key !== "Tab" || (event.target !== from && event.target !== event.currentTarget)) return;
    event.preventDefault();
    to?.focus();
  };
  return html`<button class="plain" popovertarget=${id} aria-haspopup="dialog">${renderSymbolIcon(sign, "s")}${title}
    </button><div class="sheet" id=${id} popover="auto" role="dialog" aria-modal="true" tabindex="-1"
      aria-labelledby=${`${id}-title`} onKeyDown=${keepFocus}>
      <h2 id=${`${id}-title`}>${title}</h2>
      <button class="link iconbtn" ...${closes} aria-label=${t("do.close")}>${renderSymbolIcon("close", "s")}</button>
      ${choices.map(
        ([name, text, choose], index) =>
          html`<button class="quiet" key=${name} ...${closes} autofocus=${index === 0}
            onClick=${choose}>${text}</button>`,
      )}
      ${hint && html`<p class="hint">${hint}</p>`}</div>`;
}

interface FoldProps {
  id?: string;
  title: string;
  children?: VNodeContent;
}

/** A card that is rarely needed: its title opens it. */
export function CollapsibleCard({ id, title, children }: FoldProps): VNode {
  return html`<details class="card fold" id=${id}><summary><h2>${title}</h2></summary>${children}</details>`;
}
