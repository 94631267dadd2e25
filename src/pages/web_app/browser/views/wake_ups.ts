// The switch for being woken while the app is closed; where that cannot be, nothing is shown.

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { html } from "../markup.ts";
import { useApp } from "../state.ts";
import { t } from "../texts/texts.ts";
import { type WakeUps, wakeMe, wakeMeNoMore, wakeUpsOf } from "../wake_ups.ts";
import { attempt, SwitchRow } from "./parts.ts";

export function WakeUpSwitch(): VNode | null {
  const token = useApp().device?.token;
  const [state, setState] = useState<WakeUps>("unable");
  useEffect(() => {
    // Not to know it is no fault that a person could mend.
    if (token) void wakeUpsOf(token).then(setState, () => {});
  }, [token]);
  if (!token || state === "unable") return null;
  const turn = (on: boolean) =>
    attempt(async () => setState(await (on ? wakeMe(token) : wakeMeNoMore(token))));
  return html`<section class="card"><h2>${t("push.title")}</h2>
    <${SwitchRow} label=${t("push.on")} hint=${t("push.hint")} on=${state === "on"} onChange=${turn} />
    ${state === "denied" && html`<p class="wrong" role="alert">${t("push.denied")}</p>`}
  </section>`;
}
