// Calls that their clients cancel by a message of its own, as those of 2025 do over HTTP: it names the call by the id that the client
// gave it, so a session tells apart the clients of a credential. One of 2026 closes its request, which needs nothing here. What is
// cancelled in another process than the one that holds it ends by its own time. Holds no business word.

import type { Caller } from "../../store/context.ts";
import type { Patience } from "../../store/patience.ts";

interface Message {
  id?: unknown;
  method?: unknown;
  params?: { requestId?: unknown };
}

/** What names a call among all that are held; null for a client without a session. */
function named({ headers }: Request, { credential }: Caller, id: unknown): string | null {
  const session = headers.get("mcp-session-id");
  return session && id !== undefined ? JSON.stringify([credential.id, session, id]) : null;
}

export function createCancels() {
  const held = new Map<string, AbortController>();
  return {
    /** Ends the call that a message cancels, if it is held here. */
    hear(request: Request, message: unknown, caller: Caller): void {
      const { method, params } = (message ?? {}) as Message;
      if (method !== "notifications/cancelled") return;
      held.get(named(request, caller, params?.requestId) ?? "")?.abort();
    },
    /** Runs the call of `message` with a patience that ends when its client cancels it. */
    async during<T>(
      request: Request,
      message: unknown,
      caller: Caller,
      patience: Patience | undefined,
      run: (patience: Patience | undefined) => Promise<T>,
    ): Promise<T> {
      const name = named(request, caller, (message as Message).id);
      if (!patience || !name || held.has(name)) return run(patience);
      const cancelled = new AbortController();
      held.set(name, cancelled);
      const signal = AbortSignal.any([patience.signal, cancelled.signal]);
      try {
        return await run({ signal, rest: (waiting) => patience.rest(waiting) });
      } finally {
        held.delete(name);
      }
    },
  };
}
