// The shade under a channel's initials, which are always white. Browsers also run it, so it imports nothing of ours.

interface GradientColors {
  /** `#rrggbb` */
  gradient_from: string;
  gradient_to: string;
}

/** WCAG's relative luminance of `#rrggbb` under a black layer of this opacity, 0 to 1. */
function luminance(colour: string, shade: number): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => (Number.parseInt(colour.slice(at, at + 2), 16) / 255) * (1 - shade))
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The least opacity of a black layer, in steps of 0.01, on which white has WCAG's contrast of 4.5 on both colours. */
export function computeAvatarOverlayOpacity({ gradient_from, gradient_to }: GradientColors): number {
  let percent = 0;
  while ([gradient_from, gradient_to].some((colour) => 1.05 / (luminance(colour, percent / 100) + 0.05) < 4.5))
    percent++;
  return percent / 100;
}
