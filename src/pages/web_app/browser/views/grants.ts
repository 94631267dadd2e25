// What a channel asks for, as switches, each with what is true of this device. A grant that needs the browser's own leave asks for it
// then and there; it counts from the press on, whatever the browser says and however long it takes.

import type { VNode } from "preact";
import { useRef } from "preact/hooks";
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
  // Several presses may be under way at once: each goes on from what the person wants, and they are settled in their order.
  const wanted = useRef(granted);
  const under_way = useRef({ count: 0, last: Promise.resolve<unknown>(null) });
  if (under_way.current.count === 0) wanted.current = granted;
  const turn = async (what: Capability, on: boolean) => {
    const others = wanted.current.filter((one) => one !== what);
    const next = on ? [...others, what] : others;
    wanted.current = next;
    const allowed = on ? askFor(what) : null;
    const { current: all } = under_way;
    all.count++;
    all.last = all.last.then(() => onChange(next));
    await all.last;
    all.count--;
    await allowed;
  };
  return html`<div class="grants">${asked.map(
    (what) =>
      html`<${SwitchRow} key=${what} label=${t(`perm.${what}`)} hint=${truthOf(what)} on=${granted.includes(what)} onChange=${(on: boolean) => turn(what, on)} />`,
  )}</div>`;
}
