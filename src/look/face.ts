// A channel's face: its initials on its two colours. Colours stand in SVG attributes, so that a policy without inline styles
// allows any of them.

import { type Html, html } from "./html.ts";

export interface FaceFacts {
  initials: string;
  /** `#rrggbb` */
  gradient_from: string;
  gradient_to: string;
}

const INK = "#1b1c22";
const PAPER = "#ffffff";

/** WCAG's relative luminance of `#rrggbb`, 0 to 1. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

const contrast = (one: number, other: number) =>
  (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);

/** Of white and ink, whichever reads better on the worse of the two colours. */
export function inkOn({
  gradient_from,
  gradient_to,
}: Pick<FaceFacts, "gradient_from" | "gradient_to">): string {
  const grounds = [gradient_from, gradient_to].map(luminance);
  const worst = (colour: string) => Math.min(...grounds.map((ground) => contrast(ground, luminance(colour))));
  return worst(PAPER) >= worst(INK) ? PAPER : INK;
}

/** `id` names the gradient and is used once a page; `size` is a class of alert_card.css: m, l or none. */
export function face(facts: FaceFacts, id: string, size: "m" | "l" | "" = ""): Html {
  const wide = [...facts.initials].length > 2;
  return html`<svg class="face ${size}" viewBox="0 0 44 44" aria-hidden="true"><linearGradient id="${id}" x2="1" y2="1"><stop stop-color="${facts.gradient_from}"/><stop offset="1" stop-color="${facts.gradient_to}"/></linearGradient><rect width="44" height="44" fill="url(#${id})"/><text x="22" y="${wide ? 27 : 28.5}" text-anchor="middle" font-weight="650" font-size="${wide ? 14 : 18}" fill="${inkOn(facts)}">${facts.initials}</text></svg>`;
}
