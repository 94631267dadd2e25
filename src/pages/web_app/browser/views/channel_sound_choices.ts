// The user's tone and vibration for each priority of a channel. A choice is played at once, as loud as such an alert.

import type { VNode } from "preact";
import type { ChannelCard } from "../api_types.ts";
import { useAppState } from "../app_state.ts";
import { setLocalChannelChoices } from "../channel_actions.ts";
import { html } from "../html_template.ts";
import { playTestTone } from "../outputs/alert_player.ts";
import { vibrate } from "../outputs/vibration.ts";
import { getPriorityVolumeFactor, TONE_NAMES, VIBRATION_PATTERNS_BY_NAME } from "../rules/alert_decision.ts";
import { PRIORITIES, type Priority, type UserToneAndVibration } from "../rules/rule_types.ts";
import type { TextKey } from "../texts/text_types.ts";
import { t } from "../texts/translate.ts";
import { CollapsibleCard, tryAction } from "./components.ts";

export function PrioritySoundChoices({ card }: { card: ChannelCard }): VNode | null {
  const { channels, settings } = useAppState();
  const sounds = channels.get(card.handle)?.sounds ?? {};
  const [rings, shakes] = ["sound", "vibrate"].map((one) => card.requested_perms.includes(one));
  if (!rings && !shakes) return null;
  const set = (priority: Priority, choice: UserToneAndVibration) =>
    tryAction(() => setLocalChannelChoices(card, { sounds: { ...sounds, [priority]: choice } }));
  const setTone = (priority: Priority, tone: string) => {
    const { tone: _, ...others } = sounds[priority] ?? {};
    void set(priority, tone === "" ? others : { ...others, tone });
    if (tone !== "") void playTestTone(tone, settings.volume * getPriorityVolumeFactor(priority));
  };
  const setPattern = (priority: Priority, pattern: string) => {
    const { vibrate: _, ...others } = sounds[priority] ?? {};
    void set(priority, pattern === "" ? others : { ...others, vibrate: pattern });
    vibrate(VIBRATION_PATTERNS_BY_NAME[pattern] ?? []);
  };
  return html`<${CollapsibleCard} title=${t("sounds.title")}><p class="hint">${t("sounds.hint")}</p>
    ${PRIORITIES.map((priority) => {
      const { tone = "", vibrate: pattern = "" } = sounds[priority] ?? {};
      return html`<fieldset class="choices" key=${priority}><legend>${t(`alert.${priority}`)}</legend>
        ${
          rings &&
          html`<${Choice} id=${`tone-${priority}`} label=${t("sounds.tone")} group="tone" value=${tone}
            names=${TONE_NAMES} onChange=${(name: string) => setTone(priority, name)} />`
        }
        ${
          shakes &&
          html`<${Choice} id=${`pattern-${priority}`} label=${t("sounds.vibration")} group="pattern" value=${pattern}
            names=${Object.keys(VIBRATION_PATTERNS_BY_NAME)}
            onChange=${(name: string) => setPattern(priority, name)} />`
        }</fieldset>`;
    })}<//>`;
}

interface ChoiceProps {
  id: string;
  label: string;
  group: "tone" | "pattern";
  value: string;
  names: readonly string[];
  onChange(name: string): void;
}

function Choice({ id, label, group, value, names, onChange }: ChoiceProps): VNode {
  return html`<div><label for=${id}>${label}</label>
    <select id=${id} value=${value}
      onChange=${(event: Event) => onChange((event.currentTarget as HTMLSelectElement).value)}>
      <option value="">${t("sounds.of_alert")}</option>
      ${names.map((name) => html`<option value=${name}>${t(`${group}.${name}` as TextKey)}</option>`)}
    </select></div>`;
}
