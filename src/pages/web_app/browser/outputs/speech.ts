// Reading aloud by the voices that are installed on the device. Without one for the language nothing is read: a text in
// the wrong voice is not understood, so it is shown instead.

export type SpeechResult = "spoken" | "stopped" | "no_voice" | "failed" | "missing";

/** Some browsers load their voices on the first request, and emit an event when they are available. */
const VOICES_WITHIN_MS = 1500;
/** A text of a thousand characters takes about a minute and a half. */
const SPOKEN_WITHIN_MS = 180_000;

const voicesNow = (): SpeechSynthesisVoice[] => globalThis.speechSynthesis?.getVoices() ?? [];

/** Every voice of the device, or none after a moment. */
async function voices(): Promise<SpeechSynthesisVoice[]> {
  if (voicesNow().length > 0 || !("speechSynthesis" in globalThis)) return voicesNow();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, VOICES_WITHIN_MS);
  speechSynthesis.addEventListener("voiceschanged", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
  return voicesNow();
}

/** Android writes de_DE. */
const tagOf = (lang: string) => lang.replaceAll("_", "-").toLowerCase();

/**
 * The voice for a language: of its region, else of the language; one of the device itself before one of the network.
 */
function chooseVoice<V extends Pick<SpeechSynthesisVoice, "lang" | "localService" | "default">>(
  among: readonly V[],
  lang: string,
): V | null {
  const wanted = tagOf(lang);
  const rank = (voice: V): number => {
    const tag = tagOf(voice.lang);
    if (tag.split("-")[0] !== wanted.split("-")[0]) return 0;
    return 1 + (tag === wanted ? 4 : 0) + (voice.localService ? 2 : 0) + (voice.default ? 1 : 0);
  };
  const [best] = among.toSorted((a, b) => rank(b) - rank(a));
  return best && rank(best) > 0 ? best : null;
}

/** The state of reading aloud in a language on this device. */
export async function getSpeechSupport(lang: string): Promise<"ready" | "no_voice" | "missing"> {
  if (!("speechSynthesis" in globalThis)) return "missing";
  return chooseVoice(await voices(), lang) ? "ready" : "no_voice";
}

/** Reads a text aloud; resolves when it has been read, or with the reason why it was not. */
export async function speakText({ text, lang }: { text: string; lang: string }, volume: number): Promise<SpeechResult> {
  if (!("speechSynthesis" in globalThis)) return "missing";
  const voice = chooseVoice(await voices(), lang);
  if (voice === null) return "no_voice";
  const { promise, resolve } = Promise.withResolvers<SpeechResult>();
  const utterance = new SpeechSynthesisUtterance(text);
  utterance.voice = voice;
  utterance.lang = lang;
  utterance.volume = Math.min(1, Math.max(0, volume));
  utterance.addEventListener("end", () => resolve("spoken"));
  utterance.addEventListener("error", ({ error }) =>
    resolve(error === "canceled" || error === "interrupted" ? "stopped" : "failed"),
  );
  const timer = setTimeout(() => resolve("failed"), SPOKEN_WITHIN_MS);
  speechSynthesis.speak(utterance);
  const how = await promise;
  clearTimeout(timer);
  return how;
}

export function stopSpeaking(): void {
  globalThis.speechSynthesis?.cancel();
}
