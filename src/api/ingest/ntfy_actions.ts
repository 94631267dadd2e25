// The buttons of a message of ntfy, as JSON or in its short form: `view, Open portal, https://…; http, Close,
// https://…`. Only those that open an address have a counterpart.

import { ApiError, invalidRequest } from "../../model/api_error.ts";
import { LIMITS, spellLimit } from "../../model/limits.ts";
import type { AlertInput } from "./adapter.ts";
import { parseHttpsUrl, toVisibleLineOrEmpty, truncateTextAtWord } from "./message_text.ts";
import { isNtfyTrue } from "./ntfy_params.ts";

type Action = Record<string, string>;

const bad = () =>
  invalidRequest(
    "invalid_format",
    "The actions could not be parsed. For their format, see https://docs.ntfy.sh/publish/#action-buttons.",
    "actions",
  );

/** Longer text than a button's fields need is not a list of buttons. */
const MOST = 8_192;

/** Buttons that cannot be read are left out with a note. */
export function parseNtfyActions(said: string, notes: string[]): NonNullable<AlertInput["actions"]> {
  try {
    return readActions(said, notes);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    notes.push(`${error.message} The actions were ignored.`);
    return [];
  }
}

/** @throws 422 */
function readActions(said: string, notes: string[]): NonNullable<AlertInput["actions"]> {
  if (said === "") return [];
  if (said.length > MOST) throw bad();
  const all = said.startsWith("[") ? fromJson(said) : fromShort(said);
  const taken: NonNullable<AlertInput["actions"]> = [];
  for (const { action = "", label = "", url = "", clear = "" } of all) {
    if (!["view", "http", "broadcast", "copy"].includes(action.toLowerCase()) || label === "") throw bad();
    const address = action.toLowerCase() === "view" ? parseHttpsUrl(url) : null;
    if (address === null) notes.push("Buttons can only open https links; a button without an https link was ignored.");
    else if (taken.length === LIMITS.alert_actions)
      notes.push(`An alert can have at most ${spellLimit("alert_actions")} buttons; one button was ignored.`);
    else {
      const short = truncateTextAtWord(toVisibleLineOrEmpty(label) || "Open", LIMITS.alert_action_label);
      if (short.isCut) notes.push("A button label was shortened.");
      if (isNtfyTrue(clear)) notes.push("clear is ignored: a button does not remove the alert.");
      taken.push({ type: "open_url", label: short.text, url: address });
    }
  }
  return taken;
}

function fromJson(said: string): Action[] {
  let value: unknown;
  try {
    value = JSON.parse(said);
  } catch {
    throw bad();
  }
  if (!Array.isArray(value)) throw bad();
  return value.map((item: unknown) => {
    if (typeof item !== "object" || item === null) throw bad();
    const texts = Object.entries(item).filter((field): field is [string, string] => typeof field[1] === "string");
    const { clear } = item as { clear?: unknown };
    return { ...Object.fromEntries(texts), ...(clear === true && { clear: "true" }) };
  });
}

const PLACES = ["action", "label", "url"];

/** Fields are separated by commas, buttons by semicolons. Either kind of quotes encloses a separator. */
const PART = /\s*(?:([-.\w]+)\s*=\s*)?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^,;]*)\s*([,;]|$)/gy;

function fromShort(said: string): Action[] {
  const all: Action[] = [];
  let action: Action = {};
  let place = 0;
  for (const [whole, name, value = "", end] of said.matchAll(PART)) {
    if (whole === "") break;
    const key = name?.toLowerCase() ?? PLACES[place];
    if (key === undefined) throw bad();
    action[key] = /^["']/.test(value) ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value.trim();
    place++;
    if (end !== ",") {
      all.push(action);
      action = {};
      place = 0;
    }
  }
  return all;
}
