// The buttons of a message of ntfy, as JSON or in its short form: `view, Open portal, https://…; http, Close,
// https://…`. Only those that open an address have a counterpart.

import { ApiError, invalidRequest } from "../../model/api_error.ts";
import { LIMITS, spellLimit } from "../../model/limits.ts";
import type { AlertInput } from "./adapter.ts";
import { parseHttpsUrl, toVisibleLineOrEmpty, truncateTextAtWord } from "./message_text.ts";
import { isNtfyTrue } from "./ntfy_params.ts";

type Action = Record<string, string>;

const createFormatError = () =>
  invalidRequest(
    "invalid_format",
    "The actions could not be parsed. For their format, see https://docs.ntfy.sh/publish/#action-buttons.",
    "actions",
  );

/** Longer text than a button's fields need is not a list of buttons. */
const MAX_ACTIONS_LENGTH = 8_192;

/** Buttons that cannot be read are left out with a note. */
export function parseNtfyActions(actions: string, notes: string[]): NonNullable<AlertInput["actions"]> {
  try {
    return parseActionList(actions, notes);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    notes.push(`${error.message} The actions were ignored.`);
    return [];
  }
}

/** @throws 422 */
function parseActionList(actions: string, notes: string[]): NonNullable<AlertInput["actions"]> {
  if (actions === "") return [];
  if (actions.length > MAX_ACTIONS_LENGTH) throw createFormatError();
  const all = actions.startsWith("[") ? parseJsonFormat(actions) : parseShortFormat(actions);
  const buttons: NonNullable<AlertInput["actions"]> = [];
  for (const { action = "", label = "", url = "", clear = "" } of all) {
    if (!["view", "http", "broadcast", "copy"].includes(action.toLowerCase()) || label === "")
      throw createFormatError();
    const address = action.toLowerCase() === "view" ? parseHttpsUrl(url) : null;
    if (address === null) notes.push("Buttons can only open https links; a button without an https link was ignored.");
    else if (buttons.length === LIMITS.alert_actions)
      notes.push(`An alert can have at most ${spellLimit("alert_actions")} buttons; one button was ignored.`);
    else {
      const short = truncateTextAtWord(toVisibleLineOrEmpty(label) || "Open", LIMITS.alert_action_label);
      if (short.isCut) notes.push("A button label was shortened.");
      if (isNtfyTrue(clear)) notes.push("The field clear is ignored: a button does not remove the alert.");
      buttons.push({ type: "open_url", label: short.text, url: address });
    }
  }
  return buttons;
}

function parseJsonFormat(actions: string): Action[] {
  let value: unknown;
  try {
    value = JSON.parse(actions);
  } catch {
    throw createFormatError();
  }
  if (!Array.isArray(value)) throw createFormatError();
  return value.map((item: unknown) => {
    if (typeof item !== "object" || item === null) throw createFormatError();
    const texts = Object.entries(item).filter((field): field is [string, string] => typeof field[1] === "string");
    const { clear } = item as { clear?: unknown };
    return { ...Object.fromEntries(texts), ...(clear === true && { clear: "true" }) };
  });
}

const POSITIONAL_NAMES = ["action", "label", "url"];

/** Fields are separated by commas, buttons by semicolons. Either kind of quotes encloses a separator. */
const PART = /\s*(?:([-.\w]+)\s*=\s*)?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^,;]*)\s*([,;]|$)/gy;

function parseShortFormat(actions: string): Action[] {
  const all: Action[] = [];
  let action: Action = {};
  let position = 0;
  for (const [whole, name, value = "", end] of actions.matchAll(PART)) {
    if (whole === "") break;
    const key = name?.toLowerCase() ?? POSITIONAL_NAMES[position];
    if (key === undefined) throw createFormatError();
    action[key] = /^["']/.test(value) ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value.trim();
    position++;
    if (end !== ",") {
      all.push(action);
      action = {};
      position = 0;
    }
  }
  return all;
}
