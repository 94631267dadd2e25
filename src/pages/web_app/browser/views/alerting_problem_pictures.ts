// Small drawings for the reasons why a device is silent. The sentence next to each has the same content.

import type { VNode } from "preact";
import type { PushState } from "../app_state.ts";
import { html } from "../html_template.ts";

export type AlertingProblem = Exclude<PushState, "on"> | "not_allowed";

const CLOUD = "M7 17a4 4 0 0 1-.5-8 5.5 5.5 0 0 1 10.6-1 4.5 4.5 0 0 1 .4 9";

/** On a grid of 24, as the icons. */
const DRAWINGS = {
  // The share symbol of the phone.
  home: "M8 9.5H5.5v11h13v-11H16M12 15V3.5M8.5 7 12 3.5 15.5 7",
  blocked:
    "M6 10a6 6 0 0 1 9-5.2M18 10c0 4 1.5 5.5 2.5 6.5H9M3.5 16.5C4.5 15.5 6 14 6 10M10 20a2.2 2.2 0 0 0 4 " +
    "0M3 3l18 18",
  // A cloud that does not reach the device.
  unreachable: `${CLOUD}zM3.5 3.5l17 17`,
  waiting: `${CLOUD}M12 12v8M9 17l3 3 3-3`,
  bell: "M6 10a6 6 0 0 1 12 0c0 4 1.5 5.5 2.5 6.5h-17C4.5 15.5 6 14 6 10zM10 20a2.2 2.2 0 0 0 4 0",
} as const;

const DRAWING_OF: Record<AlertingProblem, keyof typeof DRAWINGS> = {
  not_allowed: "bell",
  off: "bell",
  asking: "bell",
  pending: "waiting",
  failed: "unreachable",
  insecure: "unreachable",
  ios: "home",
  browser: "unreachable",
  server: "unreachable",
  denied: "blocked",
};

export const AlertingProblemPicture = ({ reason }: { reason: AlertingProblem }): VNode =>
  html`<svg class="i drawing" viewBox="0 0 24 24" aria-hidden="true"><path d=${DRAWINGS[DRAWING_OF[reason]]} /></svg>`;
