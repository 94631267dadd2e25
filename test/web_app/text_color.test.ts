// The colour of letters on a channel's two colours: one rule for the server's pages and for the app.

import { expect, test } from "vitest";
import { readableTextColor } from "../../src/ui/text_color.ts";

test.each([
  ["#000000", "#000000", "#ffffff"],
  ["#ffffff", "#ffffff", "#1b1c22"],
  ["#c026a0", "#991b1b", "#ffffff"],
  ["#fff8d0", "#ffffff", "#1b1c22"],
  // The worse of the two decides: white is lost on the yellow, ink can be read on both.
  ["#ffe14d", "#8a8a8a", "#1b1c22"],
])("on %s and %s they are %s", (from, to, ink) =>
  expect(readableTextColor({ gradient_from: from, gradient_to: to })).toBe(ink),
);
