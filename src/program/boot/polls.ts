// Polls of the inbox between the router and what holds them: which may be held, what they count for meanwhile, and when a client comes
// again that was not held to the end.

import type { H3Event } from "h3";
import { applied, heldFor, isUnchanged, putOff, showFound } from "../../api/transports/prefer.ts";
import { requestOf } from "../../api/transports/request.ts";
import { tagsOf } from "../../api/transports/rest.ts";
import type { Hold } from "../../handset/held/hold.ts";
import { firstPage } from "../../handset/inbox_page.ts";
import { bearerToken } from "../../identity/auth/tokens.ts";
import type { HandsetOperation } from "../../operation/tool.ts";
import type { Admission, Pass } from "./admission.ts";
import type { RequestLog } from "./log.ts";
import { openStream } from "./streams.ts";

interface PollsOptions {
  hold: Hold;
  admission: Admission;
  logOf(event: H3Event): RequestLog;
  /** What limits per address count; null is exempt. */
  countedOf(event: H3Event): string | null;
  stateOf(event: H3Event): { pass: Pass | null; heldMs: number };
}

/** Stands around the answers of handset operations. */
export function createPolls({ hold, admission, logOf, countedOf, stateOf }: PollsOptions) {
  return async (
    operation: HandsetOperation,
    event: H3Event,
    ask: () => Promise<Response>,
  ): Promise<Response> => {
    if (operation.streams) return openStream(hold, event, countedOf(event), ask);
    if (!operation.validated) return ask();
    const request = requestOf(event);
    const state = stateOf(event);
    const address = countedOf(event);
    const seconds = heldFor(request);
    if (seconds === null) {
      // After a start all of them come at once. They wait for their turn, and none is turned away because others wait.
      const turn = hold.once(address, ask);
      if (turn) state.pass?.leave();
      return turn ?? ask();
    }
    logOf(event).note({ operation: operation.name });
    // What is held is not in flight, and has a bound of its own; thousands may be answered in one moment.
    state.pass?.leave();
    const first = firstPage(event.url.search);
    const { answer, granted, again, restedMs } = await hold.poll({
      token: bearerToken(request.headers) ?? "",
      address,
      ms: seconds * 1000,
      signal: request.signal,
      page: first && { ...first, tags: tagsOf(request.headers.get("if-none-match")) },
      ask: () => admission.during(ask),
      unchanged: isUnchanged,
      show: showFound,
    });
    state.heldMs = restedMs;
    if (granted) return applied(answer, seconds);
    return again === null ? answer : putOff(answer, again);
  };
}
