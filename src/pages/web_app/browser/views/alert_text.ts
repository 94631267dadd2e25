// The text of an alert: its addresses and numbers as links, folded where it is long. Buttons copy the text, or the
// one-time code in it. Elements are made from parts of the text, so nothing of it becomes markup.

import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useAppState } from "../app_state.ts";
import { fetchAndStoreFullText } from "../apply_inbox_responses.ts";
import { html, type VNodeContent } from "../html_template.ts";
import type { StoredAlert } from "../local_store.ts";
import { findOneTimeCode } from "../rules/one_time_code.ts";
import { splitLinks } from "../rules/text_links.ts";
import { truncateLongText } from "../rules/truncate_long_text.ts";
import { formatNumber } from "../texts/formats.ts";
import { t } from "../texts/translate.ts";
import { renderSymbolIcon, tryAction } from "./components.ts";

/** A text with its addresses, e-mail addresses and phone numbers as links. Sites open in a new tab. */
export function LinkedText({ text }: { text: string }): VNode {
  const parts = useMemo(() => splitLinks(text), [text]);
  // An address reads from left to right in every language.
  return html`${parts.map(({ text: part, href }): VNodeContent => {
    if (href === null) return part;
    return href.startsWith("http")
      ? html`<a href=${href} dir="ltr" target="_blank" rel="noopener noreferrer">${part}</a>`
      : html`<a href=${href} dir="ltr">${part}</a>`;
  })}`;
}

/** Milliseconds for which a button reports that it copied. */
const REPORTED_MS = 2_500;

/** A button that copies `text`; nothing where the browser cannot, as on a page without https. */
function CopyButton({ text, label, small }: { text: string; label: string; small?: boolean }): VNode | null {
  const [done, setDone] = useState(false);
  if (!("clipboard" in navigator)) return null;
  const copy = () =>
    tryAction(async () => {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), REPORTED_MS);
    });
  return html`<button class=${small ? "link small" : "plain"} onClick=${() => void copy()}>${renderSymbolIcon(
    done ? "check" : "copy",
    "s",
  )}${label}</button>
    <span class="unseen" role="status">${done && t("text.copied")}</span>`;
}

/** The button for the one-time code in an alert's title or text; null where it has none (rules#app-copies-codes). */
export function useOneTimeCodeButton({ title, body }: StoredAlert): VNode | null {
  const code = useMemo(() => findOneTimeCode(body === null ? title : `${title}\n${body}`), [title, body]);
  return code === null ? null : html`<${CopyButton} text=${code} label=${t("text.copy_code", { code })} />`;
}

/** The text of an opened alert, folded where it is long, or its beginning with a way to the whole (rules#card-text). */
export function AlertText({ alert, body }: { alert: StoredAlert; body: string }): VNode {
  const { connection } = useAppState();
  const [open, setOpen] = useState(false);
  const [state, setState] = useState<"asking" | "here" | "away" | "gone" | null>(null);
  const { body_length } = alert;
  const beginning = useMemo(() => truncateLongText(body), [body]);
  const cut = body_length !== undefined;
  const shown = open || beginning === null ? body : beginning;
  const show = async () => {
    setOpen(true);
    if (!cut) return;
    setState("asking");
    setState(await fetchAndStoreFullText(alert));
  };
  const why = state === "gone" ? "alert.rest_gone" : (state === "away" || connection === "away") && "alert.rest_away";
  const counts = { shown: formatNumber([...shown].length), all: formatNumber(body_length ?? 0) };
  const opens = cut || (beginning !== null && !open);
  return html`<p class="text" id="text" dir="auto"><${LinkedText} text=${shown} />${(cut || shown !== body) && "…"}</p>
    <p class="line acts">${
      opens &&
      html`<button class="plain" aria-controls="text" disabled=${state === "asking"}
        onClick=${() => void show()}>${t("alert.show_all")}</button>`
    }${
      beginning !== null &&
      open &&
      !cut &&
      html`<button class="plain" aria-controls="text" onClick=${() => setOpen(false)}>${t("text.less")}</button>`
    }${!cut && html`<${CopyButton} text=${body} label=${t("text.copy")} small />`}
    ${cut && html`<span class="small muted" role="status">${why ? t(why) : t("alert.cut", counts)}</span>`}</p>`;
}
