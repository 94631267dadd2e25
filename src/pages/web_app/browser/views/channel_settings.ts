// The settings of a followed channel, behind its gear: what it may do on this device, and leaving it.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ChannelCard, SubscriptionState } from "../api_types.ts";
import { updateAppState, useAppState } from "../app_state.ts";
import { leaveChannel, setLocalChannelChoices, updateSubscription } from "../channel_actions.ts";
import { html } from "../html_template.ts";
import { replaceRoute, routeHashes } from "../router.ts";
import { t } from "../texts/translate.ts";
import { ChannelAlertingState } from "./alerting_state.ts";
import { PrioritySoundChoices } from "./channel_sound_choices.ts";
import { ChannelAvatar, NoteStrip, PaneHeader, SwitchRow, tryAction } from "./components.ts";
import { PermissionSwitches } from "./permission_switches.ts";

interface Props {
  card: ChannelCard;
  subscription: SubscriptionState;
}

export function ChannelSettings({ card, subscription }: Props): VNode {
  const { muted, permissions } = subscription;
  const { channels } = useAppState();
  const rings = ["notify", "sound"].some((perm) => card.requested_perms.includes(perm));
  const setPermissions = (next: string[]) => tryAction(() => updateSubscription(card, { permissions: next }));
  const name = html`<div class="from"><${ChannelAvatar} card=${card} /><div><h1 class="head" tabindex="-1">${t(
    "channel.settings",
  )}</h1><bdi class="muted small">${card.name}</bdi></div></div>`;
  return html`<${PaneHeader} title=${null} face=${name} back=${routeHashes.channel(card.handle)} always />
    ${muted && html`<${NoteStrip} sign="mute"><p>${t("channel.muted_hint")}</p><//>`}
    <${ChannelAlertingState} card=${card} />
    <section class="card"><h2>${t("channel.allows")}</h2>
      ${card.requested_perms.length === 0 && html`<p class="hint">${t("channel.asks_nothing")}</p>`}
      <${PermissionSwitches} card=${card} granted=${permissions} onChange=${setPermissions} />
      ${
        rings &&
        html`<${SwitchRow} label=${t("channel.repeats")} hint=${t("channel.repeats_hint")}
          on=${!channels.get(card.handle)?.once}
          onChange=${(on: boolean) => setLocalChannelChoices(card, { once: !on })} />`
      }
    </section>
    <${PrioritySoundChoices} card=${card} />
    <${Leaving} card=${card} />`;
}

function Leaving({ card }: { card: ChannelCard }): VNode {
  const [sure, setSure] = useState(false);
  const leave = async () => {
    if (!(await tryAction(() => leaveChannel(card.handle)))) return;
    replaceRoute(routeHashes.channels);
    updateAppState({ said: { text: t("channel.left", { name: card.name }), bad: false } });
  };
  return html`<section class="card"><h2>${t("channel.leave")}</h2>
    <div class="actrow"><p class="hint">${t("channel.leave_hint")}</p>${
      sure
        ? html`<button class="plain" onClick=${() => setSure(false)}>${t("do.cancel")}</button>
          <button class="danger"
            onClick=${() => void leave()}>${t("channel.leave_sure", { name: card.name })}</button>`
        : html`<button class="danger" onClick=${() => setSure(true)}>${t("channel.leave")}</button>`
    }</div></section>`;
}
