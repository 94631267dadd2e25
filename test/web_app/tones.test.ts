// The eight tones, rendered by Chromium's own audio engine without a loudspeaker. Each sounds and ends in its time,
// none clips or is too loud, and no two are equal.

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { TONE_NAMES } from "../../src/pages/web_app/browser/rules/alert_decision.ts";
import { observeOutputs } from "../support/app_modules.ts";
import { describeInBrowser, openModulesAndBrowser } from "../support/in_browser.ts";

const RATE = 22_050;
const AUDIBLE = 0.002;
/** The highest amplitude of any tone; 1 is where a loudspeaker clips. */
const LOUDEST = 0.7;

interface Rendered {
  seconds: number;
  /** Half a second longer than the tone's declared length. */
  samples: Float32Array;
}

/** In the page: renders a tone at a volume; stopped at a time when one is given. */
async function render(input: { name: string; volume: number; stopAt: number | null; rate: number }) {
  const here = globalThis as any;
  const { playTone, TONE_SCORES } = await here.use("outputs/tones.ts");
  const { seconds } = Object.hasOwn(TONE_SCORES, input.name) ? TONE_SCORES[input.name] : TONE_SCORES.default;
  const context = new here.OfflineAudioContext(1, Math.ceil((seconds + 0.5) * input.rate), input.rate);
  const playing = playTone(context, input.name, input.volume);
  if (input.stopAt !== null)
    context.suspend(input.stopAt).then(() => {
      playing.stop();
      playing.stop();
      context.resume();
    });
  const buffer = await context.startRendering();
  // A line of text: a number by itself each takes the browser and the test seconds.
  const bytes = new Uint8Array(buffer.getChannelData(0).buffer);
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte));
  return { seconds, samples: here.btoa(letters.join("")) as string };
}

const peakOf = (samples: Float32Array) => samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
const rootMeanSquare = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
const between = ({ samples }: Rendered, from: number, to: number) =>
  samples.slice(Math.floor(from * RATE), Math.floor(to * RATE));

/** The level of each pitch, in each fifth of a second: the basis of the comparison. */
function picture({ samples }: Rendered): number[] {
  const pitches = Array.from({ length: 40 }, (_, i) => 80 * 2 ** (i / 8));
  const step = RATE / 5;
  return Array.from({ length: 26 }, (_, slice) => {
    const part = samples.slice(slice * step, (slice + 1) * step);
    return pitches.map((pitch) => strength(part, pitch));
  }).flat();
}

/** Goertzel's: how strong one pitch is. */
function strength(samples: Float32Array, pitch: number): number {
  const k = 2 * Math.cos((2 * Math.PI * pitch) / RATE);
  let [one, two] = [0, 0];
  for (const sample of samples) [one, two] = [sample + k * one - two, one];
  return Math.sqrt(Math.max(0, one * one + two * two - k * one * two));
}

function likeness(a: number[], b: number[]): number {
  const dot = (x: number[], y: number[]) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

// rules#alert-sound
describeInBrowser("the tones", () => {
  const its = openModulesAndBrowser();
  let page: Page;
  const rendered = new Map<string, Rendered>();
  const play = async (name: string, volume = 1, stopAt: number | null = null): Promise<Rendered> => {
    const { seconds, samples } = await page.evaluate(render, { name, volume, stopAt, rate: RATE });
    return { seconds, samples: new Float32Array(Uint8Array.from(Buffer.from(samples, "base64")).buffer) };
  };

  beforeAll(async () => {
    page = await its.browser.newPage();
    await observeOutputs(page);
    await page.goto(its.site.url);
    for (const name of TONE_NAMES) rendered.set(name, await play(name));
  });

  const sounding = TONE_NAMES.filter((name) => name !== "silent");

  test.each(sounding)("%s sounds at once, and ends after its declared length", (name) => {
    const tone = rendered.get(name)!;
    expect(tone.seconds).toBeGreaterThan(0.2);
    expect(tone.seconds).toBeLessThan(6);
    expect(peakOf(between(tone, 0, 0.1))).toBeGreaterThan(0.05);
    expect(peakOf(between(tone, tone.seconds, tone.seconds + 0.5))).toBeLessThan(AUDIBLE);
    // Nor is its declared length much longer.
    expect(peakOf(between(tone, tone.seconds * 0.6, tone.seconds))).toBeGreaterThan(AUDIBLE);
  });

  test.each(sounding)("%s is loud enough, never clips, and does not begin with a crack", (name) => {
    const tone = rendered.get(name)!;
    const peak = peakOf(tone.samples);
    expect(peak).toBeGreaterThan(0.2);
    expect(peak).toBeLessThanOrEqual(LOUDEST);
    for (let from = 0; from < tone.seconds; from += 0.1)
      expect(rootMeanSquare(between(tone, from, from + 0.1))).toBeLessThan(0.35);
    expect(Math.abs(tone.samples[0]!)).toBeLessThan(0.01);
  });

  test("silent is silent, and lasts no time", () => {
    const { seconds, samples } = rendered.get("silent")!;
    expect([seconds, peakOf(samples)]).toEqual([0, 0]);
  });

  test("no two are alike", () => {
    const pictures = sounding.map((name) => [name, picture(rendered.get(name)!)] as const);
    const alike = pictures.flatMap(([a, one], i) =>
      pictures.slice(i + 1).map(([b, other]) => [a, b, likeness(one, other)] as const),
    );
    expect(alike.length).toBe(21);
    expect(alike.filter(([, , how]) => how > 0.8)).toEqual([]);
    // The measure knows a tone again when it is half as loud.
    expect(
      likeness(
        pictures[0]![1],
        pictures[0]![1].map((value) => value / 2),
      ),
    ).toBeCloseTo(1);
  });

  test("half the volume is half as high, and a volume beyond 1 is 1", async () => {
    const whole = peakOf(rendered.get("bell")!.samples);
    expect(peakOf((await play("bell", 0.5)).samples)).toBeCloseTo(whole / 2, 2);
    expect(peakOf((await play("bell", 7)).samples)).toBeCloseTo(whole, 4);
    expect(peakOf((await play("bell", -1)).samples)).toBe(0);
  });

  test("an unknown name plays the plainest tone", async () => {
    const { samples } = await play("constructor");
    expect(likeness(picture({ ...rendered.get("default")!, samples }), picture(rendered.get("default")!))).toBeCloseTo(
      1,
    );
  });

  test("a stopped tone is over within a tenth of a second", async () => {
    const tone = await play("siren", 1, 1);
    expect(peakOf(between(tone, 0.8, 1))).toBeGreaterThan(0.1);
    expect(peakOf(between(tone, 1.1, tone.seconds))).toBe(0);
  });
});
