// An alert's markup in a frame of no origin: its styles are kept, its scripts do not run, its links open elsewhere. The frame's page
// is the same for all alerts; what it shows it is told by a message.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../markup.ts";
import { useApp } from "../state.ts";
import { t } from "../texts/texts.ts";
import { icon } from "./icons.ts";

/** Beside the modules of this version. */
const FRAME = new URL("../frame.html", import.meta.url).pathname;
const FRAME_WITH_PICTURES = new URL("../frame_pictures.html", import.meta.url).pathname;
/** A page that grows with its own height would have no end. */
const HIGHEST = 6000;

/** `whole`: a page of its own, which says itself how it looks. */
export function MarkupFrame({
  markup,
  title,
  whole,
}: {
  markup: string;
  title: string;
  whole: boolean;
}): VNode {
  const { settings } = useApp();
  const frame = useRef<HTMLIFrameElement>(null);
  const [asked, setAsked] = useState(false);
  const pictures = asked || settings.elsewhere;
  useEffect(() => {
    const hear = ({ source, data }: MessageEvent<{ ready?: boolean; height?: number }>) => {
      const inner = frame.current;
      if (!inner || source !== inner.contentWindow) return;
      if (data?.ready === true) inner.contentWindow?.postMessage({ markup, whole }, "*");
      if (typeof data?.height === "number")
        inner.style.height = `${Math.min(HIGHEST, Math.max(40, data.height))}px`;
    };
    addEventListener("message", hear);
    return () => removeEventListener("message", hear);
  }, [markup]);
  return html`<div class="paper">
    ${
      !pictures &&
      /<(img|picture|source)\b|url\(/i.test(markup) &&
      html`<div class="fetch"><button class="plain" onClick=${() => setAsked(true)}>${icon("picture", "s")}${t("alert.show_pictures")}</button>
      <p class="xs muted">${t("alert.show_pictures_hint")}</p></div>`
    }
    <iframe key=${`${pictures} ${markup.length}`} ref=${frame} title=${t("alert.page_of", { title })}
      sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer"
      src=${pictures ? FRAME_WITH_PICTURES : FRAME}></iframe>
  </div>`;
}
