// Playing decisions, in a Chromium that keeps pages silent until they are touched. It checks the output to the
// loudspeaker, the motor and the voice, and messages for parts that could not be played.

import type { BrowserContext, Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VIBRATION_PATTERNS_BY_NAME } from "../../src/pages/web_app/browser/rules/alert_decision.ts";
import { observeOutputs } from "../support/app_modules.ts";
import { describeInBrowser, openModulesAndBrowser } from "../support/in_browser.ts";

/** The page's clock runs by itself until it is stopped; from then on only the test moves it, on any slow machine. */
const BEFORE = new Date("2026-11-22T08:00:00Z");
const STOPPED = new Date("2026-11-22T12:00:00Z");

const NOTHING = {
  notify: false,
  sound: null as string | null,
  audio: null as string | null,
  volume: 1,
  vibrate: null as number[] | null,
  speak: null as { text: string; lang: string } | null,
  full: false,
  because: [],
};
type Decided = Partial<typeof NOTHING>;

const VOICES = [
  { name: "Anna", lang: "de_DE", localService: true, default: true },
  { name: "Far Hans", lang: "de-AT", localService: false, default: false },
  { name: "Daniel", lang: "en-GB", localService: true, default: false },
];

describeInBrowser("a ring", () => {
  const its = openModulesAndBrowser();
  let context: BrowserContext;
  let page: Page;

  beforeEach(async () => {
    context = await its.browser.newContext();
    page = await context.newPage();
    await observeOutputs(page);
  });
  afterEach(() => context.close());

  /** Opens the page; records everything that it shows while ringing. The page was not touched yet. */
  const open = async () => {
    await page.goto(its.site.url);
    await inPage(async () => {
      const here = globalThis as any;
      here.outputs = await here.use("outputs/alert_player.ts");
      here.shown = [];
      here.outputs.watchRingState((ringing: unknown) => here.shown.push(ringing));
      here.stopListening = here.outputs.unlockSoundOnTouch(here.document);
    });
  };
  /** Without the gesture that every call of the driver's counts as. */
  const inPage = async <T>(work: () => Promise<T> | T): Promise<T> => {
    const session = await context.newCDPSession(page);
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
      expression: `(${work})()`,
      userGesture: false,
      awaitPromise: true,
      returnByValue: true,
    });
    await session.detach();
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description);
    return result.value as T;
  };
  const touch = async () => {
    await page.getByText("Touch me").click();
    await expect.poll(() => page.evaluate(() => (globalThis as any).outputs.getSoundState())).toBe("ready");
  };
  /** Begins the ring of an alert; `over` waits until it has ended. */
  const begin = (decided: Decided, id = "alr_1") =>
    page.evaluate(
      ([decision, alert]) => {
        const here = globalThis as any;
        here.rung = { ...here.rung, [alert.id]: false };
        here.outputs.playAlert(decision, alert).then(() => {
          here.rung[alert.id] = true;
        });
      },
      [{ ...NOTHING, ...decided }, { id }] as const,
    );
  const over = (id = "alr_1") => page.waitForFunction((which) => (globalThis as any).rung[which], id);
  const ring = async (decided: Decided) => {
    await begin(decided);
    await over();
  };
  const peak = () => page.evaluate(() => (globalThis as any).heard.peak() as number);
  const last = () => page.evaluate(() => (globalThis as any).shown.at(-1));
  const heard = (what: string) => page.evaluate((name) => (globalThis as any).heard[name], what);
  const give = (voices: unknown[], speech = "ends") =>
    page.evaluate(([list, how]) => Object.assign((globalThis as any).heard, { voices: list, speech: how }), [
      voices,
      speech,
    ] as const);

  test("before the page was touched nothing is played, and the page shows that", async () => {
    await open();
    const { state, shown } = await inPage(async () => {
      const here = globalThis as any;
      const decision = { sound: "bell", audio: null, volume: 1, vibrate: null, speak: null };
      await here.outputs.playAlert(decision, { id: "alr_1" });
      return { state: here.outputs.getSoundState(), shown: here.shown.at(-1) };
    });
    expect(state).toBe("locked");
    expect(shown).toEqual({ alert_id: "alr_1", sounding: false, speech: null, trouble: ["ring.locked"] });
  });

  test("the first touch unlocks it: from then on a tone is played, and ends", async () => {
    await open();
    await touch();
    expect(await peak()).toBe(0);
    await begin({ sound: "bell" });
    await expect.poll(peak).toBeGreaterThan(0.05);
    expect(await last()).toMatchObject({ alert_id: "alr_1", sounding: true, trouble: [] });
    await over();
    expect(await last()).toBe(null);
    await expect.poll(peak).toBe(0);
  });

  test("without a gesture unlocking does not help, and does not hang", async () => {
    await open();
    expect(await inPage(() => (globalThis as any).outputs.unlockSound())).toBe(false);
  });

  test("silence ends it at once, and takes away what was shown", async () => {
    await open();
    await touch();
    await begin({ sound: "siren" });
    await expect.poll(peak).toBeGreaterThan(0.05);
    await page.evaluate(() => (globalThis as any).outputs.stopRinging());
    expect(await last()).toBe(null);
    await expect.poll(peak).toBe(0);
    await over();
    expect(await last()).toBe(null);
    expect(await heard("vibrations")).toEqual([0, 0]);
  });

  test("a newer ring ends an older one, whose end changes nothing", async () => {
    await open();
    await touch();
    await begin({ sound: "siren" }, "alr_1");
    await expect.poll(last).toMatchObject({ alert_id: "alr_1", sounding: true });
    await begin({ sound: "bell" }, "alr_2");
    await over("alr_1");
    expect(await last()).toMatchObject({ alert_id: "alr_2", sounding: true });
    await over("alr_2");
    expect(await last()).toBe(null);
  });

  test("an empty decision shows nothing", async () => {
    await open();
    await ring({});
    expect(await last()).toBe(null);
    expect(await heard("spoken")).toEqual([]);
  });

  // rules#alert-vibrate
  test.each(Object.entries(VIBRATION_PATTERNS_BY_NAME).filter(([, pattern]) => pattern !== null))(
    "vibrates: %s",
    async (_name, pattern) => {
      await open();
      await ring({ vibrate: pattern });
      expect(await heard("vibrations")).toEqual([0, pattern]);
      expect(await last()).toBe(null);
    },
  );

  test("a browser that does not vibrate is reported", async () => {
    await page.addInitScript(() => {
      (globalThis as any).Navigator.prototype.vibrate = () => false;
    });
    await open();
    await ring({ vibrate: [80] });
    expect(await last()).toMatchObject({ trouble: ["ring.no_vibration"] });
  });

  describe("a recording", () => {
    // rules#alert-audio
    test("is cut after twenty seconds by the clock, and not before", async () => {
      await page.clock.install({ time: BEFORE });
      await open();
      await page.getByText("Touch me").click();
      await page.clock.pauseAt(STOPPED);
      await begin({ sound: "bell", audio: `${its.site.url}/60.wav`, volume: 0.5 });
      await expect.poll(last).toMatchObject({ sounding: true, trouble: [] });
      const playing = () =>
        page.evaluate(() => {
          const { paused, volume, src } = (globalThis as any).heard.media;
          return { paused, volume, src: src as string };
        });
      expect(await playing()).toEqual({ paused: false, volume: 0.5, src: `${its.site.url}/60.wav` });
      await page.clock.runFor(15_000);
      expect((await playing()).paused).toBe(false);
      await page.clock.runFor(5_000);
      await over();
      expect(await playing()).toMatchObject({ paused: true, src: "" });
      expect(await last()).toMatchObject({ sounding: false, trouble: ["ring.recording_cut"] });
    });

    test("that is short ends by itself", async () => {
      await open();
      await touch();
      await ring({ sound: "bell", audio: `${its.site.url}/1.wav` });
      expect(await last()).toBe(null);
      expect(await peak()).toBe(0);
    });

    test("a missing one is replaced by the tone, and the page shows that", async () => {
      await open();
      await touch();
      await begin({ sound: "bell", audio: `${its.site.url}/missing.wav` });
      await expect.poll(peak).toBeGreaterThan(0.05);
      await over();
      expect(await last()).toMatchObject({ trouble: ["ring.recording_failed"] });
    });

    test("of which nothing comes is given up after five seconds", async () => {
      await page.clock.install({ time: BEFORE });
      await open();
      await page.getByText("Touch me").click();
      await page.clock.pauseAt(STOPPED);
      await begin({ sound: "ping", audio: `${its.site.url}/silent` });
      await page.clock.runFor(4_900);
      expect(await last()).toMatchObject({ trouble: [] });
      await page.clock.runFor(200);
      await over();
      expect(await last()).toMatchObject({ trouble: ["ring.recording_failed"] });
    });

    test("with the tone silent, nothing is played when it fails", async () => {
      await open();
      await touch();
      await ring({ sound: "silent", audio: `${its.site.url}/missing.wav` });
      expect(await last()).toMatchObject({ sounding: false, trouble: ["ring.recording_failed"] });
    });
  });

  // rules#alert-tts rules#alert-lang
  describe("reading aloud", () => {
    const speak = { text: "Leave now", lang: "en-US" };

    test("takes a voice of the language, after the sound, as loud as decided", async () => {
      await open();
      await touch();
      await give(VOICES);
      await begin({ sound: "bell", volume: 0.75, speak });
      await expect.poll(peak).toBeGreaterThan(0.05);
      expect(await heard("spoken")).toEqual([]);
      await over();
      expect(await heard("spoken")).toEqual([{ text: "Leave now", lang: "en-US", voice: "Daniel", volume: 0.75 }]);
      expect(await last()).toBe(null);
    });

    test.each([
      ["de-AT", "Far Hans"],
      ["de", "Anna"],
      ["DE-ch", "Anna"],
      ["en-GB", "Daniel"],
    ])("%s is read by %s", async (lang, voice) => {
      await open();
      await give(VOICES);
      await ring({ speak: { text: "x", lang } });
      expect(await heard("spoken")).toMatchObject([{ lang, voice }]);
    });

    test("without a voice of the language nothing is read: the text is shown", async () => {
      await open();
      await give(VOICES);
      await ring({ speak: { text: "Pont fermé", lang: "fr" } });
      expect(await heard("spoken")).toEqual([]);
      expect(await last()).toEqual({
        alert_id: "alr_1",
        sounding: false,
        speech: { text: "Pont fermé", lang: "fr" },
        trouble: ["ring.no_voice"],
      });
    });

    test("also without any voice, after a moment", async () => {
      await open();
      await ring({ speak });
      expect(await last()).toMatchObject({ speech: speak, trouble: ["ring.no_voice"] });
    });

    test("a voice that fails leaves the text", async () => {
      await open();
      await give(VOICES, "fails");
      await ring({ speak });
      expect(await last()).toMatchObject({ speech: speak, trouble: ["ring.not_spoken"] });
    });

    test("is stopped by silence", async () => {
      await open();
      await give(VOICES, "held");
      await begin({ speak });
      await expect.poll(last).toMatchObject({ sounding: true, speech: speak });
      await page.evaluate(() => (globalThis as any).outputs.stopRinging());
      await over();
      expect(await last()).toBe(null);
    });

    test("a browser that cannot read aloud shows the text", async () => {
      await page.addInitScript(() => {
        delete (globalThis as any).speechSynthesis;
        delete (globalThis as any).Window.prototype.speechSynthesis;
      });
      await open();
      await ring({ speak });
      expect(await last()).toMatchObject({ speech: speak, trouble: ["ring.not_spoken"] });
    });
  });

  test("a recording is tried, and silence ends it", async () => {
    await open();
    await touch();
    const [before, after, failed] = await page.evaluate(async (url) => {
      const here = globalThis as any;
      const trying = here.outputs.tryRecording(`${url}/60.wav`, 0.5);
      await new Promise((resolve) => here.heard.media.addEventListener("playing", resolve));
      const before = here.heard.media.paused;
      here.outputs.stopRinging();
      return [before, await trying, await here.outputs.tryRecording(`${url}/missing.wav`, 0.5)];
    }, its.site.url);
    expect([before, after, failed]).toEqual([false, "stopped", "failed"]);
  });

  test("a tone is tried with one press, and another press ends it", async () => {
    await open();
    await page.evaluate(() => {
      const here = globalThis as any;
      const button = here.document.querySelector("p");
      button.addEventListener("click", () => here.outputs.playTestTone("siren", 1));
    });
    await page.getByText("Touch me").click();
    await expect.poll(peak).toBeGreaterThan(0.05);
    await page.evaluate(() => (globalThis as any).outputs.stopRinging());
    await expect.poll(peak).toBe(0);
  });
});
