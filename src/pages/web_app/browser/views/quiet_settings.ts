// Quiet hours in the settings: two times, and the weekdays on which they begin.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useAppState } from "../app_state.ts";
import { setSettings } from "../device.ts";
import { html } from "../html_template.ts";
import { areValidQuietHours } from "../rules/quiet_hours.ts";
import type { QuietHours } from "../rules/rule_types.ts";
import { listWeekdays } from "../texts/formats.ts";
import { t } from "../texts/translate.ts";
import { SwitchRow, tryAction } from "./components.ts";
import { getSectionId } from "./settings_section_links.ts";

const USUAL_HOURS: QuietHours = { from: "22:00", to: "07:00" };
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

const typed = (event: Event) => (event.currentTarget as HTMLInputElement).value;

export function QuietHoursSettings(): VNode {
  const { settings } = useAppState();
  const hours = settings.quiet_hours;
  const [draft, setDraft] = useState<QuietHours>(hours ?? USUAL_HOURS);
  const set = (part: Partial<QuietHours>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    if (areValidQuietHours(next)) void tryAction(() => setSettings({ quiet_hours: next }));
  };
  const turn = (on: boolean) => tryAction(() => setSettings({ quiet_hours: on ? draft : null }));
  const days = draft.days ?? EVERY_DAY;
  const setDay = (day: number) =>
    set({ days: EVERY_DAY.filter((one) => (one === day ? !days.includes(one) : days.includes(one))) });
  return html`<section class="card" id=${getSectionId("quiet")}>
    <${SwitchRow} heading label=${t("quiet.title")} hint=${t("quiet.breaks")}
      on=${hours !== null} onChange=${turn} />
    ${
      hours &&
      html`<div class="times"><div><label for="quiet-from">${t("quiet.from")}</label>
        <input id="quiet-from" type="time" required value=${draft.from}
          onChange=${(event: Event) => set({ from: typed(event) })} /></div>
      <div><label for="quiet-to">${t("quiet.to")}</label>
        <input id="quiet-to" type="time" required value=${draft.to}
          onChange=${(event: Event) => set({ to: typed(event) })} /></div></div>
      <fieldset class="choices days"><legend>${t("quiet.days")}</legend>${listWeekdays().map(
        ({ day, short, long }) =>
          html`<button type="button" class="chip" key=${day} aria-pressed=${days.includes(day)} title=${long}
            onClick=${() => setDay(day)}>${short}</button>`,
      )}</fieldset>
      <p class="hint">${t("quiet.zone")}</p>`
    }
    ${
      hours &&
      !areValidQuietHours(draft) &&
      html`<p class="wrong" role="alert">${t(days.length === 0 ? "quiet.no_day" : "quiet.different")}</p>`
    }
  </section>`;
}
