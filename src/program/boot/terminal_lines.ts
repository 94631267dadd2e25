// The log as a person reads it in a terminal: time, how grave, what happened, and its facts. Elsewhere lines stay JSON.

/** Pino's numbers of the levels that are named; those below are told by their words alone. */
const GRAVE: Record<number, string> = { 40: "warning: ", 50: "error: ", 60: "fatal: " };

const said = (value: unknown): string =>
  typeof value === "string" && /^\S+$/.test(value) ? value : JSON.stringify(value);

/** What a fact may hold would otherwise reach the terminal as it is: its escape sequences, too. */
const visible = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}]/gu, (sign) => (sign === "\n" ? sign : "\ufffd"));

/** One line of the log, which is JSON; what is none stays as it is. */
function lineFor(line: string): string {
  let told: Record<string, unknown>;
  try {
    told = JSON.parse(line);
  } catch {
    return visible(line);
  }
  const { level, time, msg, err, request_id: _, ...facts } = told;
  const stack = (err as { stack?: string } | undefined)?.stack;
  const words = Object.entries(facts).map(([name, value]) => `${name}=${said(value)}`);
  const head = `${String(time).slice(11, 19)}  ${GRAVE[level as number] ?? ""}${msg}`;
  return visible([[head, ...words].join("  "), ...(stack ? [stack] : [])].join("\n"));
}

/** A piece of the log that has whole lines. */
export const forTerminal = (piece: string): string => piece.replace(/[^\n]+/g, (line) => lineFor(line));
