// A page with only the app's modules, on a socket of its own, with recordings to play. It also records sounds before
// the loudspeaker, patterns of vibration, and texts that are read aloud.

import { globSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { ROOT } from "./processes.ts";
import { waitFor } from "./wait.ts";

/** A recording of 440 Hz: 8,000 samples of a byte in each second. */
function createRecording(seconds: number): Buffer {
  const rate = 8000;
  const samples = Buffer.alloc(seconds * rate);
  for (let i = 0; i < samples.length; i++) samples[i] = 128 + Math.round(60 * Math.sin((2 * Math.PI * 440 * i) / rate));
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

const BROWSER = join(ROOT, "src/pages/web_app/browser");

/** Tests load modules by `use`: an import in a test's own text is changed before it gets to the browser. */
const PAGE = `<!doctype html><title>Outputs</title><script>use = (name) => import("/m/" + name)</script><p>Touch me`;

/** Address → text of the modules in `outputs/`, each in a file of its own so that a test may use one. */
async function modules(): Promise<Map<string, string>> {
  // Most tests in a browser never need it.
  const { build } = await import("rolldown");
  const input = globSync("outputs/*.ts", { cwd: BROWSER }).map((name) => [name, join(BROWSER, name)]);
  const { output } = await build({
    input: Object.fromEntries(input),
    platform: "browser",
    write: false,
    output: { entryFileNames: "[name]" },
  });
  return new Map(output.flatMap((file) => (file.type === "chunk" ? [[`/m/${file.fileName}`, file.code]] : [])));
}

/**
 * `/` is an empty page, `/m/outputs/…` the app's modules, `/60.wav` a minute of sound, `/silent` never answers,
 * `/sw.js` is a worker that does nothing. */
export class AppModuleServer {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async open(): Promise<AppModuleServer> {
    const scripts = await modules();
    const server = createServer((request, response) => {
      const path = request.url ?? "/";
      const module = scripts.get(path);
      const seconds = /^\/(\d+)\.wav$/.exec(path)?.[1];
      if (path === "/") response.setHeader("content-type", "text/html").end(PAGE);
      else if (module !== undefined) response.setHeader("content-type", "text/javascript").end(module);
      else if (seconds) response.setHeader("content-type", "audio/wav").end(createRecording(Number(seconds)));
      else if (path === "/sw.js")
        response.setHeader("content-type", "text/javascript").end("onactivate = () => clients.claim()");
      else if (path !== "/silent") response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new AppModuleServer(server);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/**
 * Records of output devices, and of the sound before the loudspeaker: `heard.peak()` is the present level.
 * `heard.ever()` is the loudest level so far, and `heard.strips` are the alerts that the app showed as ringing, both
 * since the last `heard.forget()` in silence. `heard.notified` are the titles of the notifications that the browser has
 * taken. Reading the browser's list earlier may lose the notification: Chromium forgets what it has kept and not yet
 * shown.
 */
export async function observeOutputs(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const here = globalThis as any;
    here.heard = { vibrations: [], spoken: [], media: null, voices: [], strips: [], notified: [] };
    const { heard } = here;
    const { showNotification } = here.ServiceWorkerRegistration.prototype;
    here.ServiceWorkerRegistration.prototype.showNotification = async function (title: string, more: unknown) {
      await showNotification.call(this, title, more);
      heard.notified.push(title);
    };
    here.Navigator.prototype.vibrate = (pattern: unknown) => {
      heard.vibrations.push(pattern);
      return true;
    };
    const connect = here.AudioNode.prototype.connect;
    let tap: any = null;
    let memory: any = null;
    here.AudioNode.prototype.connect = function (this: any, to: any, ...rest: unknown[]) {
      if (to === this.context.destination && this.context instanceof here.AudioContext) {
        if (tap?.context !== this.context) {
          tap = this.context.createAnalyser();
          // An echo that never fades, and repeats within the analyser's buffer.
          const echo = this.context.createDelay(1);
          echo.delayTime.value = 0.5;
          memory = new here.AnalyserNode(this.context, { fftSize: 32768 });
          connect.call(connect.call(tap, echo), echo);
          connect.call(echo, memory);
        }
        connect.call(this, tap);
      }
      return connect.call(this, to, ...rest);
    };
    const { play } = here.HTMLMediaElement.prototype;
    here.HTMLMediaElement.prototype.play = function (this: any) {
      heard.media = this;
      return play.call(this);
    };
    const loudest = (analyser: any) => {
      if (!analyser) return 0;
      const samples = new Float32Array(analyser.fftSize);
      analyser.getFloatTimeDomainData(samples);
      return samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    };
    heard.peak = () => loudest(tap);
    heard.ever = () => loudest(memory);
    heard.forget = () => {
      heard.strips = [];
      tap = memory = null;
    };
    new here.MutationObserver(() => {
      const strip = here.document.querySelector(".ringing strong")?.textContent;
      if (strip && !heard.strips.includes(strip)) heard.strips.push(strip);
    }).observe(here.document, { subtree: true, childList: true, characterData: true });
    const synthesis = new here.EventTarget();
    let speaking: any = null;
    synthesis.getVoices = () => heard.voices;
    synthesis.speak = (said: any) => {
      speaking = said;
      heard.spoken.push({ text: said.text, lang: said.lang, voice: said.voice?.name, volume: said.volume });
      if (heard.speech === "held") return;
      const event = heard.speech === "fails" ? "error" : "end";
      here.setTimeout(() => said.dispatchEvent(new here.Event(event)), 0);
    };
    synthesis.cancel = () => {
      speaking?.dispatchEvent(Object.assign(new here.Event("error"), { error: "canceled" }));
      speaking = null;
    };
    Object.defineProperty(here, "speechSynthesis", { value: synthesis, configurable: true });
    here.SpeechSynthesisUtterance = class extends here.EventTarget {
      text: string;
      constructor(text: string) {
        super();
        this.text = text;
      }
    };
  });
}

/** Waits until the app showed that this alert rings, and a sound came, at any time. */
export async function waitForRing(page: Page, title: string): Promise<void> {
  const rung = () =>
    page.evaluate(() => ({ strips: (globalThis as any).heard.strips, ever: (globalThis as any).heard.ever() }));
  await waitFor(async () => {
    const { strips, ever } = await rung();
    expect(strips).toContain(`Ringing: ${title}`);
    expect(ever).toBeGreaterThan(0.02);
  });
}
