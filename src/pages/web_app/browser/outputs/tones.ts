// The eight tones, made of oscillators: each is a short score of notes, own designs. One graph serves the loudspeaker
// and the OfflineAudioContext in which tests listen. No tone has a peak above 0.7 at full volume; 1 is where a
// loudspeaker clips.

import type { TONE_NAMES } from "../rules/alert_decision.ts";

type ToneName = (typeof TONE_NAMES)[number];

/** A tone of one pitch, or one that slides: it swells to `gain` and dies away. Times in seconds, pitches in hertz. */
interface Note {
  at: number;
  /** From its start until it is inaudible. */
  lasts: number;
  pitch: number;
  to?: number;
  gain: number;
  wave?: OscillatorType;
  /** Until it is at its loudest. */
  swell?: number;
  /** Keeps its loudness until shortly before its end, instead of dying away from the begin. */
  held?: boolean;
}

interface Score {
  seconds: number;
  notes: readonly Note[];
  /** Takes away what is above this pitch: the sharpness of square and sawtooth waves. */
  below?: number;
}

/** The same notes again and again, each time `every` seconds later. */
const repeated = (times: number, every: number, notes: readonly Note[]): Note[] =>
  Array.from({ length: times }, (_, i) => notes.map((note) => ({ ...note, at: note.at + i * every }))).flat();

/** One struck bell: inharmonic partials, the higher the shorter. */
const struck = (pitch: number, at: number, lasts: number, gain: number): Note[] =>
  [
    [0.5, 0.5, 1],
    [1, 1, 0.8],
    [1.19, 0.55, 0.65],
    [1.56, 0.35, 0.5],
    [2.01, 0.45, 0.4],
    [2.74, 0.2, 0.25],
  ].map(([ratio = 1, loud = 1, long = 1]) => ({
    at,
    lasts: lasts * long,
    pitch: pitch * ratio,
    gain: (gain * loud) / 3.05,
    swell: 0.004,
  }));

export const TONE_SCORES: Readonly<Record<ToneName, Score>> = {
  // Two soft steps upwards.
  default: {
    seconds: 0.9,
    notes: [
      { at: 0, lasts: 0.35, pitch: 587.33, gain: 0.34, wave: "triangle" },
      { at: 0.16, lasts: 0.7, pitch: 880, gain: 0.34, wave: "triangle" },
    ],
  },
  // Three little bells, falling, each ringing into the next.
  chime: {
    seconds: 2.2,
    notes: [...struck(1567.98, 0, 1.2, 0.25), ...struck(1318.51, 0.28, 1.3, 0.25), ...struck(1046.5, 0.56, 1.6, 0.28)],
  },
  // One drop of water: high, short, and a touch higher at its end.
  ping: { seconds: 0.35, notes: [{ at: 0, lasts: 0.33, pitch: 1860, to: 2030, gain: 0.5, swell: 0.006 }] },
  // One large bell, and time to die away.
  bell: { seconds: 3.2, notes: struck(440, 0, 3.1, 0.66) },
  // Three knuckles on wood.
  knock: {
    seconds: 0.8,
    below: 1400,
    notes: repeated(3, 0.22, [
      { at: 0, lasts: 0.13, pitch: 210, to: 85, gain: 0.42, swell: 0.002 },
      { at: 0, lasts: 0.035, pitch: 720, to: 300, gain: 0.14, wave: "square", swell: 0.001 },
    ]),
  },
  // Four quick beeps and a breath, three times.
  alarm: {
    seconds: 3.4,
    below: 3200,
    notes: repeated(
      3,
      1.15,
      repeated(4, 0.19, [
        { at: 0, lasts: 0.11, pitch: 988, gain: 0.3, wave: "square", held: true },
        { at: 0, lasts: 0.11, pitch: 1480, gain: 0.1, wave: "square", held: true },
      ]),
    ),
  },
  // Up and down, three times, without a pause.
  siren: {
    seconds: 4.6,
    below: 2600,
    notes: repeated(3, 1.5, [
      { at: 0, lasts: 0.82, pitch: 480, to: 1160, gain: 0.36, wave: "sawtooth", swell: 0.05, held: true },
      { at: 0.76, lasts: 0.82, pitch: 1160, to: 480, gain: 0.36, wave: "sawtooth", swell: 0.05, held: true },
    ]),
  },
  silent: { seconds: 0, notes: [] },
};

export interface PlayingTone {
  seconds: number;
  /** Ends it within 50 ms, without a click; again does nothing. */
  stop(): void;
}

const isTone = (name: string): name is ToneName => Object.hasOwn(TONE_SCORES, name);

/**
 * Plays a tone from the context's present on. An unknown name plays the plainest tone.
 * @param volume 0 to 1
 * @param done called once when it has ended or was stopped
 */
export function playTone(
  context: BaseAudioContext,
  name: string,
  volume: number,
  done: () => void = () => {},
): PlayingTone {
  const { seconds, notes, below } = TONE_SCORES[isTone(name) ? name : "default"];
  const start = context.currentTime;
  const master = context.createGain();
  master.gain.setValueAtTime(Math.min(1, Math.max(0, volume)), start);
  master.connect(context.destination);
  let into: AudioNode = master;
  if (below !== undefined) {
    const filter = context.createBiquadFilter();
    filter.type = "lowpass";
    filter.frequency.setValueAtTime(below, start);
    // Without a bump at the edge, so that nothing gets louder than its notes.
    filter.Q.setValueAtTime(-3, start);
    filter.connect(master);
    into = filter;
  }
  const oscillators = notes.map((note) => sound(context, into, note, start));
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    master.disconnect();
    done();
  };
  const last = lastOf(notes, oscillators);
  if (last) last.onended = end;
  else queueMicrotask(end);
  return {
    seconds,
    stop() {
      const now = context.currentTime;
      master.gain.setTargetAtTime(0, now, 0.01);
      for (const oscillator of oscillators) oscillator.stop(now + 0.05);
    },
  };
}

/** The oscillator that sounds last. */
function lastOf(notes: readonly Note[], oscillators: readonly OscillatorNode[]): OscillatorNode | null {
  const ends = notes.map(({ at, lasts }) => at + lasts);
  return oscillators[ends.indexOf(Math.max(...ends))] ?? null;
}

/** The level at which a fading note is ended: an exponential never reaches zero. */
const FADED = 1 / 300;

function sound(context: BaseAudioContext, into: AudioNode, note: Note, start: number): OscillatorNode {
  const { at, lasts, pitch, to = pitch, gain, wave = "sine", swell = 0.012, held = false } = note;
  const [begin, end] = [start + at, start + at + lasts];
  const oscillator = context.createOscillator();
  oscillator.type = wave;
  oscillator.frequency.setValueAtTime(pitch, begin);
  oscillator.frequency.exponentialRampToValueAtTime(to, end);
  const envelope = context.createGain();
  envelope.gain.setValueAtTime(0, begin);
  envelope.gain.linearRampToValueAtTime(gain, begin + swell);
  if (held) envelope.gain.setValueAtTime(gain, Math.max(begin + swell, end - 0.06));
  envelope.gain.exponentialRampToValueAtTime(gain * FADED, end - 0.005);
  envelope.gain.linearRampToValueAtTime(0, end);
  oscillator.connect(envelope).connect(into);
  oscillator.start(begin);
  oscillator.stop(end);
  return oscillator;
}
