// The offer to undo the last action, for some seconds. It stays while it has the focus or the pointer.

import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { updateAppState, useAppState } from "../app_state.ts";
import { html } from "../html_template.ts";
import { t } from "../texts/translate.ts";
import { tryAction } from "./components.ts";

const SHOWN_MS = 6_000;

export function UndoToast(): VNode {
  const { undo: offer } = useAppState();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!offer) return;
    const close = () => {
      if (box.current?.matches(":hover, :focus-within")) timer = setTimeout(close, SHOWN_MS);
      else updateAppState({ undo: null });
    };
    let timer = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [offer]);
  const undo = () => {
    updateAppState({ undo: null });
    if (offer) void tryAction(offer.undo);
  };
  return html`<div class="toast" role="status" ref=${box}>
    ${offer && html`<span>${offer.text}</span><button class="link" onClick=${undo}>${t("undo.do")}</button>`}
  </div>`;
}
