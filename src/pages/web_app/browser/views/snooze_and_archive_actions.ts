// Actions that put an opened alert aside on this device: a reminder, dismissing and the archive. Each can be undone.

import type { VNode } from "preact";
import { useAppState } from "../app_state.ts";
import { html } from "../html_template.ts";
import type { StoredAlert } from "../local_store.ts";
import { markAlertWithUndo } from "../reports.ts";
import { routeHashes } from "../router.ts";
import { isSnoozed } from "../rules/current_alerts_and_history.ts";
import { listSnoozeOptions } from "../rules/snooze.ts";
import { formatDayAndTime, formatTime } from "../texts/formats.ts";
import { t } from "../texts/translate.ts";
import { ChoiceMenu, renderSymbolIcon, tryAction } from "./components.ts";

/** Marks the alert, offers to undo it, and returns to the inbox. */
const putAside = (alert: StoredAlert, marks: Parameters<typeof markAlertWithUndo>[1], text: string) =>
  tryAction(async () => {
    await markAlertWithUndo(alert, marks, text);
    location.hash = routeHashes.inbox;
  });

/** In the header of an opened alert. */
export function AlertArchiveButton({ alert }: { alert: StoredAlert }): VNode {
  const label = t(alert.archived ? "alert.unarchive" : "alert.archive");
  const put = () =>
    alert.archived
      ? putAside(alert, { archived: false }, t("undo.unarchived"))
      : putAside(alert, { archived: true, snoozed_until: null }, t("undo.archived"));
  return html`<button class="link iconbtn gear" aria-label=${label} title=${label} onClick=${() => void put()}>
    ${renderSymbolIcon(alert.archived ? "inbox" : "archive")}</button>`;
}

interface AsideProps {
  alert: StoredAlert;
  /** It left the spotlight, so a reminder would have no use. */
  over: boolean;
}

export function SnoozeAndDismissActions({ alert, over }: AsideProps): VNode {
  const { at: now } = useAppState();
  const snoozed = isSnoozed(alert, now);
  const set = (...to: [Parameters<typeof putAside>[1], string]) => putAside(alert, ...to);
  const snooze = (until: number) => set({ snoozed_until: until, reminded: false, dismissed: false }, t("undo.snoozed"));
  const dismiss = () => set({ dismissed: true, snoozed_until: null }, t("undo.dismissed"));
  const cancel = () => set({ snoozed_until: null }, t("undo.unsnoozed"));
  return html`${
    snoozed &&
    html`<p class="line"><span>${t("snooze.until", { time: formatDayAndTime(alert.snoozed_until ?? now, now) })}</span>
      <button class="link" onClick=${() => void cancel()}>${t("snooze.cancel")}</button></p>`
  }
    ${
      !over &&
      html`<button class="plain" onClick=${() => void dismiss()}>
        ${renderSymbolIcon("close", "s")}${t("alert.dismiss")}</button>`
    }
    ${
      (!over || snoozed) &&
      html`<${ChoiceMenu} sign="clock" title=${t("snooze.title")} hint=${t("snooze.hint")}
        choices=${listSnoozeOptions(alert, now).map(([name, until]) => [
          name,
          t(`snooze.${name}`, { time: formatTime(until) }),
          () => void snooze(until),
        ])} />`
    }`;
}
