// Whoever decides hears that a draft begins to wait, where a call was refused for want of a person or waits for one. What becomes of the
// notice is nothing to the call. docs/rules.md#reviews-channel

import { ApiError } from "../model/errors.ts";
import type { Caller, Log } from "../store/context.ts";
import type { Runnable } from "./attempt.ts";
import { addressOf } from "./audit.ts";
import type { Perform } from "./perform.ts";

/** `review` is ToReview. Whether the draft waits, and was not told of before, its row says. No line of the audit log is about it: nobody has called it. */
export async function tellOfReview(
  notice: Runnable,
  perform: Perform,
  caller: Caller,
  review: unknown,
  log: Log,
): Promise<void> {
  if (caller.credential.type === "session") return;
  const address = addressOf(caller);
  await perform(notice, { caller, input: review, log, actor: null, address, visible: null }).catch(
    (error) => {
      if (!(error instanceof ApiError)) log.warn({ err: error }, "nobody is told of a draft that waits");
    },
  );
}
