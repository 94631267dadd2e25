// The shade under a channel's white initials: one rule for the server's pages and for the app.

import { expect, test } from "vitest";
import { computeAvatarOverlayOpacity } from "../../src/ui/avatar_contrast_overlay.ts";

test.each([
  ["#000000", "#000000", 0],
  ["#c026a0", "#991b1b", 0],
  ["#ffffff", "#ffffff", 0.54],
  ["#fff8d0", "#ffffff", 0.54],
  // The lighter of the two decides.
  ["#ffe14d", "#8a8a8a", 0.48],
])("on %s and %s it is %d", (from, to, shade) =>
  expect(computeAvatarOverlayOpacity({ gradient_from: from, gradient_to: to })).toBe(shade),
);
