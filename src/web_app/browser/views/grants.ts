// What a channel asks for, as switches, each with what is true of this device. A grant that needs the browser's own leave asks for it
// then and there.

import type { VNode } from "preact";
import { html } from "../markup.ts";
import { CAPABILITIES, type Capability } from "../rules/types.ts";
import { useApp } from "../state.ts";
import { t } from "../texts/texts.ts";
import type { Card } from "../wire.ts";
import { SwitchRow } from "./parts.ts";
import { askFor, truthOf } from "./truths.ts";

interface Props {
  card: Card;
  granted: string[];
  onChange(granted: string[]): Promise<unknown>;
}

export function Grants({ card, granted, onChange }: Props): VNode {
  useApp();
  const asked = CAPABILITIES.filter((one) => card.requested_perms.includes(one));
  const turn = async (what: Capability, on: boolean) => {
    if (on) await askFor(what);
    const next = new Set(granted);
    if (on) next.add(what);
    else next.delete(what);
    await onChange([...next]);
  };
  return html`<div class="grants">${asked.map(
    (what) =>
      html`<${SwitchRow} key=${what} label=${t(`perm.${what}`)} hint=${truthOf(what)} on=${granted.includes(what)} onChange=${(on: boolean) => turn(what, on)} />`,
  )}</div>`;
}
