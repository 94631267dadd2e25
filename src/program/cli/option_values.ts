// The values of command-line options, and the names of options in refusals.

import { InvalidArgumentError } from "commander";
import type { ApiError } from "../../model/api_error.ts";

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
/** A hundred years; a longer lifetime needs no expiry. */
const LONGEST = 36_500 * 86_400;

/** Parses a duration such as `90d` to seconds. @throws InvalidArgumentError */
export function parseDurationSeconds(text: string): number {
  const parts = /^(\d{1,12})([smhd])$/.exec(text);
  const seconds = parts ? Number(parts[1]) * (SECONDS[parts[2] ?? ""] ?? 0) : 0;
  if (seconds < 1 || seconds > LONGEST)
    throw new InvalidArgumentError("It must be a number followed by s, m, h or d, such as 90d, up to 36500d.");
  return seconds;
}

/** Parses a whole number of 1 or more. @throws InvalidArgumentError */
export function readWholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number, 1 or greater.");
  return Number(text);
}

/** A day: timers overflow after 24 days. */
export const MAX_WAIT_SECONDS = 86_400;

/** Seconds until a retry, as a refusal names them, up to a day; 0 if it names none. */
export const readRetryAfter = ({ headers }: ApiError): number =>
  Math.min(Math.max(Number(headers["retry-after"]) || 0, 0), MAX_WAIT_SECONDS);

/** create_alert → create-alert */
export const toKebabCase = (name: string): string => name.replaceAll("_", "-");

/** The option of an argument: pusher_id → --pusher-id */
export const toFlag = (name: string): string => `--${toKebabCase(name)}`;

/**
 * Replaces the names of arguments with the options of a command in all messages of a refusal. `param` stays. A name
 * that is also an English word is replaced only at the start of a message, and in the list of accepted names
 * (rules#cli-names-flags).
 *
 * @param flags name of an argument → its option, such as `--pusher-id`
 */
export function replaceArgumentNamesWithFlags<E extends ApiError>(refused: E, flags: ReadonlyMap<string, string>): E {
  refused.message = inMessage(refused.message, refused.param, flags);
  for (const field of refused.fields) field.message = inMessage(field.message, field.param, flags);
  return refused;
}

function inMessage(message: string, param: string | null, flags: ReadonlyMap<string, string>): string {
  const [first = "", ...path] = param?.split(".") ?? [];
  const flag = flags.get(first);
  const nested = path.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join("");
  // A sentence about the effect may come first.
  const begun = flag
    ? message.replace(/^(Nothing was \w+\. )?([\w.-]+)(?= )/, (start, effect = "", name) =>
        name === param ? `${effect}${flag}${nested}` : start,
      )
    : message;
  const listed = begun.replace(/\bAccepted: [^.]+\./, (list) =>
    list.replace(/\w+(?=[,.])/g, (name) => flags.get(name) ?? name),
  );
  // An underscore identifies a name, such as `idempotency_key`.
  return listed.replace(/(?<![\w.-])[a-z]+(?:_[a-z]+)+(?![\w-])/g, (name) => flags.get(name) ?? name);
}
