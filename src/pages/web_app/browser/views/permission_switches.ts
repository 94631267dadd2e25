// The permissions that a channel requests, as switches, each with its state on this device. Unavailable ones are
// last, and folded before joining.

import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import type { ChannelCard } from "../api_types.ts";
import { useAppState } from "../app_state.ts";
import { html } from "../html_template.ts";
import { enablePush } from "../push_notifications.ts";
import { ALERT_PERMISSIONS, type AlertPermission } from "../rules/rule_types.ts";
import { t } from "../texts/translate.ts";
import { SwitchRow } from "./components.ts";
import { describeCurrentPermissionState, isAlertPermissionUnavailable, requestBrowserPermission } from "./settings.ts";

interface Props {
  card: ChannelCard;
  granted: readonly string[];
  /** False before joining: there the button that joins requests the permission. */
  ask?: boolean;
  onChange(granted: string[]): Promise<unknown>;
}

/**
 * A grant that needs the browser's permission or push notifications requests them at once. It is effective from the
 * press on, before the browser answers and with any answer (rules#app-grants-at-once).
 */
export function PermissionSwitches({ card, granted, ask = true, onChange }: Props): VNode {
  const { wakes } = useAppState();
  const requested = ALERT_PERMISSIONS.filter((one) => card.requested_perms.includes(one));
  // Several changes may be pending at once: each starts from the latest choice, and they are applied in order.
  const wanted = useRef<readonly string[]>(granted);
  const pending = useRef({ count: 0, last: Promise.resolve<unknown>(null) });
  if (pending.current.count === 0) wanted.current = granted;
  const turn = async (what: AlertPermission, on: boolean) => {
    const others = wanted.current.filter((one) => one !== what);
    const next = on ? [...others, what] : others;
    wanted.current = next;
    const allowed = on && ask ? (needsPush(what) ? enablePush() : requestBrowserPermission(what)) : null;
    const { current: all } = pending;
    all.count++;
    all.last = all.last.then(() => onChange(next));
    await all.last;
    all.count--;
    await allowed;
  };
  // The button that joins turns push notifications on, and so does the switch of a followed channel.
  const needsPush = (what: AlertPermission) => ask && what === "notify" && (wakes === "off" || wakes === "failed");
  const row = (what: AlertPermission) =>
    html`<${SwitchRow} key=${what} label=${t(`perm.${what}`)} hint=${describeCurrentPermissionState(what, !ask)}
      blocked=${isAlertPermissionUnavailable(what)} on=${granted.includes(what) && !needsPush(what)}
      onChange=${(on: boolean) => turn(what, on)} />`;
  const missing = requested.filter(isAlertPermissionUnavailable);
  return html`<div class="grants">${requested.filter((what) => !missing.includes(what)).map(row)}${
    ask
      ? missing.map(row)
      : missing.length > 0 &&
        html`<details class="more"><summary>${t("perm.unavailable")}</summary>${missing.map(row)}</details>`
  }</div>`;
}
