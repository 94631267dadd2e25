// What a channel looks like when its owner says nothing: initials from the name, gradient colours from the handle.

import { createHash } from "node:crypto";
import { LIMITS } from "../limits.ts";

const COLOUR = /^#[0-9a-f]{6}$/i;

/** The first letters of the first two words, upper case. */
export function deriveInitials(name: string): string {
  const letters = name
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word].slice(0, 1).join("").toUpperCase())
    .join("");
  return [...(letters || [...name.trim()][0] || "?")].slice(0, LIMITS.channel_initials).join("");
}

/** What is no colour keeps the current one (docs/rules.md#channel-colours). */
export function pickColour(wanted: string | undefined, current: string): string {
  return wanted !== undefined && COLOUR.test(wanted) ? wanted.toLowerCase() : current;
}

function hex(hue: number, saturation: number, lightness: number): string {
  const chroma = saturation * Math.min(lightness, 1 - lightness);
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    const value = lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(255 * value)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

/** Two colours that go together, always the same for one handle, dark enough for white initials. */
export function defaultGradient(handle: string): { from: string; to: string } {
  const hue = createHash("sha256").update(handle).digest().readUInt16BE(0) % 360;
  return { from: hex(hue, 0.62, 0.45), to: hex((hue + 40) % 360, 0.66, 0.36) };
}
