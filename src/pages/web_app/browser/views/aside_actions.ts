// Actions that put an opened alert aside on this device: a reminder, dismissing and the archive. Each can be undone.

import type { VNode } from "preact";
import { useAppState } from "../app_state.ts";
import type { StoredAlert } from "../local_store.ts";
import { html } from "../markup.ts";
import { markAlertWithUndo } from "../reports.ts";
import { routeHashes } from "../router.ts";
import { listSnoozes } from "../rules/snooze.ts";
import { isSnoozed } from "../rules/spotlight.ts";
import { formatDayAndTime, formatTime } from "../texts/formats.ts";
import { t } from "../texts/translate.ts";
import { renderAppIcon, tryAction } from "./components.ts";

type Marks = Parameters<typeof markAlertWithUndo>[1];

/** `over`: it left the spotlight, so a reminder would have no use. */
export function SnoozeAndArchiveActions({ alert, over }: { alert: StoredAlert; over: boolean }): VNode {
  const { at: now } = useAppState();
  const snoozed = isSnoozed(alert, now);
  const set = (marks: Marks, text: string) =>
    tryAction(async () => {
      await markAlertWithUndo(alert, marks, text);
      location.hash = routeHashes.inbox;
    });
  const snooze = (until: number) => set({ snoozed_until: until, reminded: false, dismissed: false }, t("undo.snoozed"));
  const dismiss = () => set({ dismissed: true, snoozed_until: null }, t("undo.dismissed"));
  const archive = () => set({ archived: true, snoozed_until: null }, t("undo.archived"));
  const cancel = () => set({ snoozed_until: null }, t("undo.unsnoozed"));
  return html`${
    snoozed &&
    html`<p class="line"><span>${t("snooze.until", { time: formatDayAndTime(alert.snoozed_until ?? now, now) })}</span>
      <button class="link" onClick=${() => void cancel()}>${t("snooze.cancel")}</button></p>`
  }
  <div class="line asides">
    ${
      (!over || snoozed) &&
      html`<details class="pauses"><summary class="button plain">${t("snooze.title")}</summary>
      <div class="tones">${listSnoozes(alert, now).map(
        ([name, until]) =>
          html`<button class="plain" key=${name} onClick=${() => void snooze(until)}>
            ${t(`snooze.${name}`, { time: formatTime(until) })}</button>`,
      )}</div><p class="hint">${t("snooze.hint")}</p></details>`
    }
    ${
      !over &&
      html`<button class="plain" onClick=${() => void dismiss()}>
        ${renderAppIcon("close", "s")}${t("alert.dismiss")}</button>`
    }
    ${
      alert.archived
        ? html`<button class="plain" onClick=${() => void set({ archived: false }, t("undo.unarchived"))}>
            ${renderAppIcon("inbox", "s")}${t("alert.unarchive")}</button>`
        : html`<button class="plain" onClick=${() => void archive()}>
            ${renderAppIcon("archive", "s")}${t("alert.archive")}</button>`
    }</div>`;
}
