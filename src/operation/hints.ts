// What a call of an operation can do to others, read from its record: what clients are told before they call, and whether a call with
// these arguments makes something public (docs/rules.md#asks-first).

import { PUBLISH } from "../model/scopes.ts";
import { bodyOf, onlyReads, scopesFor, type Tool } from "./tool.ts";

/** What a client is told before it calls, so that a person may be asked first. */
export interface Hints {
  readOnly: boolean;
  destructive: boolean;
  idempotent: boolean;
  openWorld: boolean;
}

const opensChannels = ({ input }: Tool): boolean => Object.hasOwn(input.shape, "is_public");

/**
 * The hints, from what the record says it does. Whatever can make something public is destructive: nobody takes back what
 * others have read.
 */
export function hintsOf(tool: Tool): Hints {
  const readOnly = onlyReads(tool);
  const scopes = [tool.scope, ...Object.keys({ ...tool.alsoRequires, ...tool.mayRequire })];
  const publishes = scopes.includes(PUBLISH) || opensChannels(tool);
  return {
    readOnly,
    destructive: !readOnly && (publishes || tool.http.method === "DELETE" || tool.destroys === true),
    idempotent: !tool.creates,
    openWorld: tool.reachesOut === true,
  };
}

/** Whether a call makes something public, as far as its raw arguments say it: an alert, or a channel with what it holds. */
export function publishes(tool: Tool, raw: unknown): boolean {
  const body = bodyOf(raw);
  if (opensChannels(tool)) return tool.creates ? body.is_public !== false : body.is_public === true;
  return scopesFor(tool, raw).includes(PUBLISH) && !tool.publishesNothing?.(body);
}
