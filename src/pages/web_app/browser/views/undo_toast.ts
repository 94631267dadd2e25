// The offer to undo the last action, for some seconds. It stays while it has the focus or the pointer.

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { updateState, useAppState } from "../app_state.ts";
import { html } from "../markup.ts";
import { t } from "../texts/translate.ts";
import { tryAction } from "./components.ts";

const SHOWN_MS = 6_000;

export function UndoToast(): VNode {
  const { undo: offer } = useAppState();
  const [used, setUsed] = useState(false);
  useEffect(() => {
    if (!offer || used) return;
    const timer = setTimeout(() => updateState({ undo: null }), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [offer, used]);
  const undo = () => {
    updateState({ undo: null });
    if (offer) void tryAction(offer.undo);
  };
  const use = (on: boolean) => () => setUsed(on);
  return html`<div class="toast" role="status" onFocusIn=${use(true)} onFocusOut=${use(false)}
    onMouseEnter=${use(true)} onMouseLeave=${use(false)}>
    ${offer && html`<span>${offer.text}</span><button class="link" onClick=${undo}>${t("undo.do")}</button>`}
  </div>`;
}
