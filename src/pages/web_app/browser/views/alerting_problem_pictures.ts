// Small drawings for the reasons why a device is silent. The sentence next to each has the same content.

import type { VNode } from "preact";
import type { PushState } from "../app_state.ts";
import { html } from "../html_template.ts";

export type AlertingProblem = Exclude<PushState, "on"> | "not_allowed";

/** A bell, drawn around the middle of a field of 24. */
const BELL = "M33 27a7 7 0 0 1 14 0c0 5 2 7 3 8H30c1-1 3-3 3-8zM38 39a2.2 2.2 0 0 0 4 0";
const PHONE = "M26 3h28a4 4 0 0 1 4 4v46a4 4 0 0 1-4 4H26a4 4 0 0 1-4-4V7a4 4 0 0 1 4-4z";
const WINDOW = "M8 8h64a4 4 0 0 1 4 4v36a4 4 0 0 1-4 4H8a4 4 0 0 1-4-4V12a4 4 0 0 1 4-4zM4 20h72";
const CLOUD = "M25 40a9 9 0 0 1 1-18 13 13 0 0 1 25-2 10 10 0 0 1 4 20z";

const DRAWINGS = {
  // The share symbol of the phone, then the square with a plus.
  home: `${PHONE}M40 31V16M35 20l5-5 5 5M35 24h-2v11h14V24h-2M30 45h20`,
  // The lock in the address bar, and below it the bell that is off.
  blocked: `${WINDOW}M11 14h4v3h-4zM11.800 14v-1a1.200 1.200 0 0 1 2.400 0v1M22 15h34${BELL}M28 24l24 19`,
  // A cloud that does not reach the device.
  unreachable: `${CLOUD}M30 50l-3 5M40 48v7M50 50l3 5M22 14l36 32`,
  waiting: `${CLOUD}M40 44v12M36 52l4 4 4-4`,
  bell: `${PHONE}M32 29a8 8 0 0 1 16 0c0 5 2 7 3 8H29c1-1 3-3 3-8zM38 41a2.200 2.200 0 0 0 4 0`,
} as const;

const DRAWING_OF: Record<AlertingProblem, keyof typeof DRAWINGS> = {
  not_allowed: "bell",
  off: "bell",
  asking: "blocked",
  pending: "waiting",
  failed: "unreachable",
  insecure: "unreachable",
  ios: "home",
  browser: "unreachable",
  server: "unreachable",
  denied: "blocked",
};

export const AlertingProblemPicture = ({ reason }: { reason: AlertingProblem }): VNode =>
  html`<svg class="drawing" viewBox="0 0 80 60" aria-hidden="true"><path d=${DRAWINGS[DRAWING_OF[reason]]} /></svg>`;
