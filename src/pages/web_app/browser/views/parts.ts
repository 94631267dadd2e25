// Small things that several views are made of: a channel's face, a row with a switch, a strip that says something, and what happens
// when an act is refused.

import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { inkOn } from "#ui/ink";
import { Refused } from "../api.ts";
import { NoStore } from "../device.ts";
import { type Content, html } from "../markup.ts";
import { isHere } from "../rings.ts";
import { change, useApp } from "../state.ts";
import { t } from "../texts/texts.ts";
import type { Card } from "../wire.ts";
import { type IconName, icon } from "./icons.ts";

/** A channel's picture where it may be fetched, else its initials on its two colours. */
export function Face({ card, size = "" }: { card: Card | null; size?: "" | "m" | "l" }): VNode {
  const id = useId();
  const { settings } = useApp();
  const [broken, setBroken] = useState<string | null>(null);
  if (!card) return html`<span class=${`face unknown ${size}`} aria-hidden="true"></span>`;
  const { image_url: picture, gradient_from: from, gradient_to: to, initials } = card;
  if (picture && picture !== broken && (settings.elsewhere || isHere(picture)))
    return html`<img class=${`face ${size}`} src=${picture} alt="" referrerpolicy="no-referrer" onError=${() => setBroken(picture)} />`;
  const wide = [...initials].length > 2;
  return html`<svg class=${`face ${size}`} viewBox="0 0 44 44" aria-hidden="true">
    <linearGradient id=${id} x2="1" y2="1"><stop stop-color=${from} /><stop offset="1" stop-color=${to} /></linearGradient>
    <rect width="44" height="44" fill=${`url(#${id})`} />
    <text x="22" y=${wide ? 27 : 28.5} text-anchor="middle" font-weight="650" font-size=${wide ? 14 : 18} fill=${inkOn(card)}>${initials}</text>
  </svg>`;
}

interface SwitchProps {
  label: string;
  hint?: Content;
  on: boolean;
  /** What the person wants; it stands where they left it until this is settled, and then as `on` says. */
  onChange(on: boolean): Promise<unknown>;
}

export function SwitchRow({ label, hint, on, onChange }: SwitchProps): VNode {
  const id = useId();
  const [wanted, setWanted] = useState<boolean | null>(null);
  const turn = (next: boolean) => {
    setWanted(next);
    onChange(next).finally(() => setWanted(null));
  };
  return html`<div class="switchrow">
    <label for=${id}>${label}</label>
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    <input id=${id} type="checkbox" role="switch" checked=${wanted ?? on}
      aria-describedby=${hint ? `${id}-hint` : undefined}
      onChange=${(event: Event) => turn((event.currentTarget as HTMLInputElement).checked)} />
  </div>`;
}

type Tone = "" | "warn" | "good" | "bad" | "accent";

export function Note({
  tone = "",
  sign,
  children,
}: {
  tone?: Tone;
  sign: IconName;
  children?: Content;
}): VNode {
  return html`<div class=${`note ${tone}`} role=${tone === "bad" ? "alert" : "status"}>${icon(sign)}<div>${children}</div></div>`;
}

/** Does what may be refused, and says so on the page when it is. Answers whether it was done. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  change({ said: null });
  try {
    await work();
    return true;
  } catch (error) {
    change({ said: { text: wordsFor(error), bad: true } });
    return false;
  }
}

/** What the person is told of a failure: the service's own sentence, or that nobody answered. */
export function wordsFor(error: unknown): string {
  if (error instanceof NoStore) return t("app.no_store");
  if (error instanceof Refused) return error.status === 404 ? t("channel.not_there") : error.message;
  return t("net.trouble");
}

export function Said(): VNode | null {
  const { said } = useApp();
  if (!said) return null;
  return html`<${Note} tone=${said.bad ? "bad" : "good"} sign=${said.bad ? "careful" : "check"}>
    <p>${said.text}</p>
    <button class="link" onClick=${() => change({ said: null })}>${t("do.close")}</button>
  <//>`;
}

/** What is shown while something is fetched: nothing at first, then three still outlines. */
export const Waiting = (): VNode =>
  html`<div class="waiting" role="status"><span class="unseen">${t("app.loading")}</span><i></i><i></i><i></i></div>`;

/**
 * Head of a pane: its name, the way back on a narrow screen, and what stands beside. `beside`: something was chosen of it, whose head is
 * the page's.
 */
export function PaneHead({
  title,
  back,
  beside = false,
  children,
}: {
  title: string;
  back?: string;
  beside?: boolean;
  children?: Content;
}): VNode {
  return html`<header class="panehead">
    ${back && html`<a class="iconbtn back" href=${back} aria-label=${t("do.back")}>${icon("back")}</a>`}
    <${beside ? "h2" : "h1"} class="head" tabindex="-1">${title}<//>${children}
  </header>`;
}
