// The colour of letters on a channel's two colours. Browsers also run it, so it imports nothing of ours.

export interface GradientColors {
  /** `#rrggbb` */
  gradient_from: string;
  gradient_to: string;
}

const INK = "#1b1c22";
const PAPER = "#ffffff";

/** WCAG's relative luminance of `#rrggbb`, 0 to 1. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const contrast = (one: number, other: number) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);

/** White or black, the one that is easier to read on the worse of the two colours. */
export function readableTextColor({ gradient_from, gradient_to }: GradientColors): string {
  const grounds = [gradient_from, gradient_to].map(luminance);
  const worst = (colour: string) => Math.min(...grounds.map((ground) => contrast(ground, luminance(colour))));
  return worst(PAPER) >= worst(INK) ? PAPER : INK;
}
