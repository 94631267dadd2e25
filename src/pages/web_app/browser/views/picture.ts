// An alert's picture. One of this service is shown; one of another site only after the person asked for it, since that site learns of
// the device by it.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { html } from "../markup.ts";
import { isHere } from "../rings.ts";
import { useApp } from "../state.ts";
import type { Settings } from "../store.ts";
import { t } from "../texts/texts.ts";
import type { Alert } from "../wire.ts";
import { icon } from "./icons.ts";

/** The address of the picture, the uploaded one first. */
export const pictureOf = (alert: Alert): string | null => alert.image_asset_url ?? alert.image_url;

/** Whether it is fetched without asking. */
export const mayFetch = (address: string, { elsewhere }: Settings): boolean => elsewhere || isHere(address);

export function Picture({ alert, inList = false }: { alert: Alert; inList?: boolean }): VNode | null {
  const { settings } = useApp();
  const [asked, setAsked] = useState(false);
  const [broken, setBroken] = useState(false);
  const address = pictureOf(alert);
  if (address === null) return null;
  if (broken) return html`<p class="xs muted">${t("alert.picture_missing")}</p>`;
  if (asked || mayFetch(address, settings))
    return html`<img class=${inList ? "picture" : "picture whole"} src=${address} alt=${t("alert.picture_of", { title: alert.title })}
      loading="lazy" decoding="async" referrerpolicy="no-referrer" onError=${() => setBroken(true)} />`;
  const hint = t("alert.show_picture_hint", { host: hostOf(address) });
  return html`<div class="fetch">
    <button class="plain" title=${inList ? hint : undefined} onClick=${() => setAsked(true)}>${icon("picture", "s")}${t("alert.show_picture")}</button>
    ${!inList && html`<p class="xs muted">${hint}</p>`}
  </div>`;
}

export function hostOf(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return "";
  }
}
