// Triggers that refuse values which no operation writes: a second line of defence behind the rules of fields. They
// check written values, never existing rows, which a check constraint would do
// (docs/decisions/0054-values-are-validated-on-write.md).

import { HANDLE_PATTERN } from "../fields/channel.ts";
import { LIMITS } from "../limits.ts";

/** SQL for the rule of a column in `row`. Null, as any column that may be empty, breaks none. */
type Rule = (row: string) => string;

/** SQL for one line of at most `max` characters, without control characters. */
const line =
  (column: string, max: number): Rule =>
  (row) =>
    `char_length(${row}.${column}) between 1 and ${max} and ${row}.${column} !~ '[\\u0001-\\u001f\\u007f-\\u009f]'`;

const matches =
  (column: string, pattern: string): Rule =>
  (row) =>
    `${row}.${column} ~ '${pattern}'`;

/** The plain comparison comes first: it takes an eighth of the time of the pattern. */
const https =
  (column: string): Rule =>
  (row) =>
    `(${row}.${column} like 'https://%' or ${row}.${column} ~* '^https://')`;

const colour = (column: string) => matches(column, "^#[0-9a-f]{6}$");

/** The rules by table and column. Each accepts all values that the field's own rule or an older version accepts. */
export const VALUE_RULES: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  pusher: {
    handle: matches("handle", HANDLE_PATTERN.source),
    site: https("site"),
    // The address of an uploaded picture is one of this server, which may have http alone.
    image_url: (row) => `(${row}.image_asset_id is not null or ${https("image_url")(row)})`,
    gradient_from: colour("gradient_from"),
    gradient_to: colour("gradient_to"),
  },
  alert: {
    title: line("title", LIMITS.alert_title),
    source_url: https("source_url"),
    image_url: https("image_url"),
    audio_url: https("audio_url"),
    // A notice about a draft leads to this server's console, which may have http alone; a reply has no address.
    actions: (row) =>
      `not jsonb_path_exists(${row}.actions, '$[*].url ? (!(@ starts with "https://") && !(@ like_regex ` +
      `"^(https?://|$)" flag "i"))')`,
  },
  // Owners and their assistants read these three, so none of them is free text.
  device: {
    app_version: matches("app_version", `^[0-9A-Za-z.+_-]{1,${LIMITS.app_version}}$`),
    locale: matches("locale", `^[0-9A-Za-z-]{1,${LIMITS.language_tag}}$`),
    timezone: matches("timezone", "^[0-9A-Za-z_+/-]{2,64}$"),
  },
  webhook_endpoint: { url: (row) => `${row}.url ~* '^https?://'` },
};

/** Each statement would parse a condition (`when`) again, which costs more than the call of a function. */
function triggerOf(table: string, rules: Readonly<Record<string, Rule>>): string[] {
  const all = Object.values(rules).map((rule) => `(${rule("new")})`);
  const broken = Object.entries(rules).map(
    ([column, rule]) =>
      `when not (${rule("new")}) and (tg_op = 'INSERT' or new.${column} is distinct from old.${column}) then ` +
      `'${column}'`,
  );
  return [
    `create function check_${table}_values() returns trigger language plpgsql as $$
  declare
    broken text;
  begin
    if not (${all.join("\n      and ")}) then
      broken := case ${broken.join("\n        ")} end;
      if broken is not null then
        raise exception '% of % is not valid', broken, tg_table_name
          using errcode = 'check_violation', table = tg_table_name, column = broken, constraint = tg_name;
      end if;
    end if;
    return new;
  end $$`,
    `create trigger ${table}_values before insert or update of ${Object.keys(rules).join(", ")} on ${table} for each row
  execute function check_${table}_values()`,
  ];
}

export const VALUE_TRIGGERS = Object.entries(VALUE_RULES).flatMap(([table, rules]) => triggerOf(table, rules));
