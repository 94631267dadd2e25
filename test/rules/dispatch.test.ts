// Dispatch's guarantees around a handler when the transaction is rolled back: events once, limits refunded, and nothing
// stored.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { conflict } from "../../src/model/api_error.ts";
import type { DomainEvent } from "../../src/model/domain/domain_events.ts";
import { formatId, newUuid } from "../../src/model/domain/type_ids.ts";
import { defineOperation } from "../../src/operation/define_operation.ts";
import { createDispatcher } from "../../src/operation/dispatcher.ts";
import { createWriteBatcher } from "../../src/store/db/batch_concurrent_calls.ts";
import { getKysely } from "../../src/store/db/statement.ts";
import type { Caller, HandlerContext } from "../../src/store/handler_context.ts";
import { createRateLimits } from "../../src/store/rate_limits/rate_limits.ts";
import { createEncryption } from "../../src/store/secret/encryption.ts";
import { openWorld } from "../support/open_world.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };

const world = await openWorld();

describe("on a service", () => {
  const caller: Caller = {
    workspace: { id: "00000000-0000-7000-8000-000000000001", name: "W", listening: true },
    member: { id: "00000000-0000-7000-8000-000000000002", role: "owner", pusherIds: null },
    credential: {
      type: "key",
      id: "key_1",
      name: "k",
      scopes: ["alerts:send"],
      pusherId: null,
      expiresAt: null,
      asksFirst: false,
    },
    pusherIds: null,
  };

  type Act = (context: HandlerContext, tries: number) => Promise<unknown>;

  /** A dispatcher of its own and one operation: `act` gets the number of the try, and may answer itself. */
  function made(act: Act, record: { validated?: true } = {}) {
    const events: DomainEvent[] = [];
    let tries = 0;
    const dispatcher = createDispatcher({
      orm: world.service.orm,
      together: createWriteBatcher(getKysely(world.service.orm)),
      limits: createRateLimits(),
      idempotencySeal: createEncryption("a secret of the tests that is long enough", "idempotency"),
      reviewChallengeSeal: createEncryption("a secret of the tests that is long enough", "idempotency"),
      reviewNotice: {} as never,
      metrics: { operation: () => {} },
      services: {} as never,
      changed: () => {},
      publish: (event) => events.push(event),
      now: () => new Date(),
    });
    const tool = defineOperation({
      name: "try_it",
      title: "Try",
      description: "For this test.",
      scope: "alerts:send",
      role: "editor",
      http: { method: "POST", path: "/api/v1/try", status: 200 },
      creates: true,
      limit: { name: "tries", per: "pusher", max: 1, seconds: 60 } as never,
      errors: ["rate_limited", "conflict"],
      input: z.strictObject({}),
      output: z.object({ tries: z.int() }),
      async handler(_input, context) {
        tries += 1;
        return ((await act(context as never, tries)) ?? { tries }) as { tries: number };
      },
      ...record,
    });
    const call = (clientEtags: string[] = []) => dispatcher.run(tool, caller, { args: {}, log, clientEtags });
    return { call, events };
  }

  const emit = (context: HandlerContext) =>
    context.emit({ event: "alert.sent", data: { pusher_id: formatId("psh", newUuid()) } });
  const undone = (code: string) => Object.assign(new Error("undone"), { code });

  test.each(["40P01", "40001"])("a rolled back call (%s) is retried, and its events are sent once", async (code) => {
    const { call, events } = made(async (context, tries) => {
      emit(context);
      await context.countAgainstLimit("subject");
      if (tries < 3) throw undone(code);
    });
    expect((await call()).body).toEqual({ tries: 3 });
    expect(events).toHaveLength(1);
  });

  test("a call that fails after it was counted is refunded, and none of its events are sent", async () => {
    const { call, events } = made(async (context, tries) => {
      await context.countAgainstLimit("subject");
      emit(context);
      if (tries === 1) throw conflict("wrong_state", "Not now.");
    });
    await expect(call()).rejects.toMatchObject({ type: "conflict" });
    expect(events).toEqual([]);
    expect((await call()).body).toEqual({ tries: 2 });
    await expect(call()).rejects.toMatchObject({ type: "rate_limited" });
    expect(events).toHaveLength(1);
  });

  test("a validator is what a handler returns with its body, and only where the record declares it", async () => {
    const act: Act = async (context, tries) => ({
      validator: '"v1"',
      body: context.conditions.clientHolds('"v1"') ? { tries: 0 } : { tries },
    });
    const { call } = made(act, { validated: true });
    expect(await call()).toEqual({ body: { tries: 1 }, headers: { etag: '"v1"' } });
    expect((await call(['"v1"'])).body).toEqual({ tries: 0 });
    await expect(made(act).call()).rejects.toMatchObject({ type: "server_error" });
    await expect(made(async () => {}, { validated: true }).call()).rejects.toMatchObject({ type: "server_error" });
  });

  test("a call that stays rolled back is a server_error after four tries", async () => {
    let last = 0;
    const { call, events } = made(async (context, tries) => {
      emit(context);
      last = tries;
      throw undone("40P01");
    });
    await expect(call()).rejects.toMatchObject({ type: "server_error" });
    expect([last, events]).toEqual([4, []]);
  });
});
