// Alerts while the app is closed: the switch of push notifications, and the browser's offer to install the app.

import type { VNode } from "preact";
import { useAppState } from "../app_state.ts";
import { html } from "../html_template.ts";
import { disablePush, enablePush } from "../push_notifications.ts";
import { t } from "../texts/translate.ts";
import { AlertingProblemNote, SWITCHABLE_PUSH_STATES, usePushState } from "./alerting_state.ts";
import { SwitchRow, tryAction } from "./components.ts";
import { getSectionId } from "./settings_section_links.ts";

export function PushSwitch(): VNode | null {
  const wakes = usePushState();
  const { settings, install } = useAppState();
  if (wakes === null && !install) return null;
  const set = (on: boolean) => tryAction(on ? () => enablePush() : disablePush);
  return html`<section class="card" id=${getSectionId("push")}>${
    wakes !== null && SWITCHABLE_PUSH_STATES.includes(wakes)
      ? html`<${SwitchRow} heading label=${t("push.title")} hint=${t(wakes === "on" ? "works.depends" : "push.hint")}
        on=${wakes === "on"} onChange=${set} />`
      : html`<h2>${t("push.title")}</h2>`
  }
    ${
      wakes !== null &&
      wakes !== "on" &&
      wakes !== "off" &&
      html`<${AlertingProblemNote} reason=${wakes} sounds=${settings.volume > 0}
        onSolve=${enablePush} />`
    }
    <${InstallButton} />
  </section>`;
}

/** Installs the app, where the browser offers it. */
export function InstallButton(): VNode | null {
  const { install } = useAppState();
  if (!install) return null;
  return html`<div class="actrow"><p class="hint">${t("install.hint")}</p>
    <button class="plain" onClick=${() => void install()}>${t("install.button")}</button></div>`;
}
