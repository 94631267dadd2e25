// An alert's markup in a frame without an origin: its styles are kept, its scripts do not run, its links open
// elsewhere. The frame's page is the same for all alerts. It receives the markup by a message.

import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useAppState } from "../app_state.ts";
import { html } from "../html_template.ts";
import { t } from "../texts/translate.ts";
import { NoteStrip, renderSymbolIcon } from "./components.ts";

/** They are next to the one script that all modules are served as. */
const FRAME = new URL("./frame.html", import.meta.url).pathname;
const FRAME_WITH_PICTURES = new URL("./frame_pictures.html", import.meta.url).pathname;
/** A page that grows with its own height would have no end. */
const HIGHEST = 6000;
const LOWEST = 40;
/**
 * The time limit for the frame's page to report that it is ready, on a slow device. After it the person gets a message.
 */
const PATIENCE_MS = 3_000;
const SANDBOX = "allow-scripts allow-popups allow-popups-to-escape-sandbox";

interface FrameProps {
  markup: string;
  title: string;
  whole: boolean;
}

/** `whole`: a page with its own styles. */
export function MarkupFrame({ markup, title, whole }: FrameProps): VNode {
  const { settings, connection } = useAppState();
  const frame = useRef<HTMLIFrameElement>(null);
  const [asked, setAsked] = useState(false);
  const [missing, setMissing] = useState(false);
  const [tries, setTries] = useState(0);
  const again = () => {
    setMissing(false);
    setTries((before) => before + 1);
  };
  const pictures = asked || settings.elsewhere;
  // Before the frame can send a message: its page comes at once where the browser has cached it.
  useLayoutEffect(() => {
    const timer = setTimeout(() => setMissing(true), PATIENCE_MS);
    const hear = ({ source, data }: MessageEvent<{ ready?: boolean; height?: number }>) => {
      const inner = frame.current;
      if (!inner || source !== inner.contentWindow) return;
      if (data?.ready === true) {
        clearTimeout(timer);
        setMissing(false);
        inner.contentWindow?.postMessage({ markup, whole }, "*");
      }
      if (typeof data?.height === "number") {
        inner.style.height = `${Math.min(HIGHEST, Math.max(LOWEST, data.height))}px`;
        inner.style.visibility = "visible";
      }
    };
    addEventListener("message", hear);
    return () => {
      clearTimeout(timer);
      removeEventListener("message", hear);
    };
  }, [markup, pictures, tries]);
  useEffect(() => {
    if (missing && connection === "live") again();
  }, [connection]);
  return html`<div class="paper">
    ${
      !pictures &&
      /<(img|picture|source)\b|url\(/i.test(markup) &&
      html`<div class="fetch"><button class="plain"
        onClick=${() => setAsked(true)}>${renderSymbolIcon("picture", "s")}${t("alert.show_pictures")}</button>
      <p class="xs muted">${t("alert.show_pictures_hint")}</p></div>`
    }
    ${
      missing &&
      html`<${NoteStrip} tone="warn" sign="offline"><p>${t("alert.page_missing")}</p><button class="link"
      onClick=${again}>${t("do.again")}</button><//>`
    }
    <iframe key=${`${pictures} ${markup.length} ${tries}`} ref=${frame} title=${t("alert.page_of", { title })}
      hidden=${missing}
      sandbox=${SANDBOX} referrerpolicy="no-referrer" src=${pictures ? FRAME_WITH_PICTURES : FRAME}></iframe>
  </div>`;
}

/**
 * Has the browser cache the frame's page, once. An alert whose markup is on the device is then also shown without a
 * network. A worker cannot do it, since it does not control frames without an origin.
 */
export function MarkupFramePreloader(): VNode | null {
  const { device, settings, connection } = useAppState();
  const [kept, setKept] = useState<string | null>(null);
  const page = settings.elsewhere ? FRAME_WITH_PICTURES : FRAME;
  if (!device || kept === page || connection !== "live") return null;
  return html`<iframe key=${page} hidden aria-hidden="true" tabindex="-1" title="" sandbox=${SANDBOX} src=${page}
    onLoad=${() => setKept(page)}></iframe>`;
}
