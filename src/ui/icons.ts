// Our own line icons on a grid of 24. They are next to a label, so they need no text alternative.

import { type Html, html } from "./html.ts";

const PATHS = {
  place: html`<path d="M12 21s7-6.2 7-11a7 7 0 0 0-14 0c0 4.8 7 11 7 11z"/><circle cx="12" cy="10" r="2.5"/>`,
  clock: html`<path d="M12 7v5l3 2M20 12a8 8 0 1 1-16 0 8 8 0 0 1 16 0"/>`,
  bell: html`<path d="M6 10a6 6 0 0 1 12 0c0 4 1.5 5.5 2.5 6.5h-17C4.5 15.5 6 14 6 10zM10 20a2.2 2.2 0 0 0 4 0"/>`,
  out: html`<path d="M14 4h6v6M20 4l-9 9M18 14v5H5V6h5"/>`,
  search: html`<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>`,
  filter: html`<path d="M4 7h16M7.5 12h9M10.5 17h3"/>`,
  globe: html`<circle cx="12" cy="12" r="8.5"/><path d="M3.5 12h17M12 3.5c5 5 5 12 0 17-5-5-5-12 0-17z"/>`,
  lock: html`<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>`,
  pause: html`<path d="M9 5v14M15 5v14"/>`,
  check: html`<path d="m5 12.5 4.5 4.5L19 7.5"/>`,
  sound: html`<path d="M4 10v4h3l5 4V6L7 10H4zM16 9a4 4 0 0 1 0 6M18.5 6.5a7.5 7.5 0 0 1 0 11"/>`,
  shake: html`<rect x="8" y="4" width="8" height="16" rx="2"/><path d="M4.5 9v6M19.5 9v6"/>`,
  speech: html`<path d="M4 5h16v11H11l-4 4v-4H4z"/><path d="M8.5 9h7M8.5 12h4"/>`,
  full: html`<path d="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5"/>`,
  code: html`<path d="m8 7-5 5 5 5M16 7l5 5-5 5"/>`,
  moon: html`<path d="M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z"/>`,
  person: html`<circle cx="12" cy="8" r="3.5"/><path d="M5 20.5a7 7 0 0 1 14 0"/>`,
  feed: html`<path d="M5 11a8 8 0 0 1 8 8M5 5a14 14 0 0 1 14 14"/><circle cx="6" cy="18" r="1.2"/>`,
} as const;

export type IconName = keyof typeof PATHS;

export const icon = (name: IconName, size: "" | "s" = ""): Html =>
  html`<svg class="i ${size}" viewBox="0 0 24 24" aria-hidden="true">${PATHS[name]}</svg>`;
