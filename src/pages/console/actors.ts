// Who did something, as lists offer it for choice: by lines of the audit log.

import type { Option } from "./parts.ts";
import type { RowOf } from "./visit.ts";

type Line = RowOf<"list_audit_events">;

export const ACTOR_WORDS: Record<string, string> = {
  key: "key",
  oauth: "assistant",
  session: "person",
  operator: "operator",
};

export const actorName = ({ type, name, id }: Line["actor"]): string =>
  name ?? (type === "operator" ? "The operator" : (id ?? "Somebody"));

/** `all`, which is no choice, and each of the entries: what is sent, and what is read. */
export const offered = (all: string, entries: Iterable<[string, string]>): Option[] => [
  { value: "", label: all },
  ...[...entries].map(([value, label]) => ({ value, label })),
];

/** Everybody, and each actor of these lines once. The chosen one stands there in any case. */
export function actorOptions(lines: readonly Line[], chosen: string | undefined): Option[] {
  const actors = new Map<string, string>();
  for (const { actor } of lines)
    if (actor.id !== null && !actors.has(actor.id))
      actors.set(actor.id, `${actorName(actor)} (${ACTOR_WORDS[actor.type]})`);
  if (chosen && !actors.has(chosen)) actors.set(chosen, chosen);
  return offered("Everybody", actors);
}
