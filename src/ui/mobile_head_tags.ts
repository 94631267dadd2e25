// The head elements of every page for phones: the viewport, and the palette's background colours, which browsers paint
// around it.

import { html } from "./html.ts";

/** The grounds of styles/palette.css. */
export const PAGE_BACKGROUND_COLORS = { light: "#f6f6f3", dark: "#121419" };

export const MOBILE_HEAD = html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${PAGE_BACKGROUND_COLORS.light}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${PAGE_BACKGROUND_COLORS.dark}">`;
