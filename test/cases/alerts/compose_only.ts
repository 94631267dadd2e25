// The effects that a credential with compose but without publish may have on a scheduled alert.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { timeInSeconds } from "../../support/world.ts";
import { alertArguments, createAlertInState, oncePerWorld, readAlert } from "../fixtures.ts";

const NULLS = "patch-null";
const COMPOSER = "composing-is-not-publishing";

const composer = oncePerWorld((world) => world.key({ scopes: "alerts:write" }));

const BOTH_WAYS = /credential that has it.*set send_at to null/;

/** The effects of a credential that may write but not send on a scheduled alert. */
export const composeOnlyCases: TestCase[] = [
  ...(
    [
      ["a title", { title: "Changed" }],
      ["an earlier send_at", { send_at: timeInSeconds(4) }],
      ["a past send_at", { send_at: timeInSeconds(-4) }],
      ["expires_at null", { expires_at: null }],
    ] as const
  ).flatMap(([name, fields]) =>
    (["REST", "MCP"] as const).map(
      (over): TestCase => ({
        rule: COMPOSER,
        tool: "update_alert",
        name: `${name} by a key that may only write`,
        over,
        given: async (world) => {
          const alert = await createAlertInState(world, "scheduled");
          return { alert, before: await readAlert(world, alert), events: world.acts.length };
        },
        as: composer,
        input: ({ alert }) => alertArguments(alert, fields),
        want: { error: "insufficient_scope", param: null, says: BOTH_WAYS },
        after: async (world, { alert, before, events }, { status, headers }) => {
          expect(status).toBe(403);
          expect(headers.get("www-authenticate")).toBe(
            over === "REST" ? 'Bearer error="insufficient_scope", scope="alerts:send"' : null,
          );
          expect(await readAlert(world, alert)).toEqual(before);
          expect(world.acts.length).toBe(events);
        },
      }),
    ),
  ),
  {
    rule: COMPOSER,
    tool: "update_alert",
    name: "send_at null returns it to draft, with the other fields",
    given: (world) => createAlertInState(world, "scheduled"),
    as: composer,
    input: (alert) => alertArguments(alert, { send_at: null, title: "Changed" }),
    want: { body: { status: "draft", send_at: null, title: "Changed" } },
    after: (world, alert) =>
      expect(world.events.at(-1)).toMatchObject({
        event: "alert.cancelled",
        data: { alert_id: alert.id, status: "draft" },
      }),
  },
  {
    rule: COMPOSER,
    also: [NULLS],
    tool: "update_alert",
    name: "nothing sent by a key that may only write, nothing changed",
    given: (world) => createAlertInState(world, "scheduled"),
    as: composer,
    input: (alert) => alertArguments(alert),
    want: { body: { status: "scheduled" } },
  },
  {
    rule: COMPOSER,
    tool: "update_alert",
    name: "a draft with a send_at stays open to a key that may only write",
    given: (world) => createAlertInState(world, "draft"),
    as: composer,
    input: (alert) => alertArguments(alert, { title: "Changed" }),
    want: { body: { status: "draft", title: "Changed" } },
  },
  {
    rule: COMPOSER,
    tool: "update_alert",
    name: "a foreign scheduled alert does not exist",
    given: oncePerWorld((world) => createAlertInState(world, "scheduled")),
    as: (world) => world.foreignKey(),
    input: (alert) => alertArguments(alert, { title: "Changed" }),
    want: { error: "not_found", param: null },
  },
  {
    rule: COMPOSER,
    tool: "update_alert",
    name: "one that has become visible is frozen, with any key",
    given: (world) => createAlertInState(world, "passed"),
    as: composer,
    input: (alert) => alertArguments(alert, { title: "Changed" }),
    want: { error: "conflict", param: null },
  },
  {
    rule: COMPOSER,
    tool: "update_alert",
    name: "with alerts:send it is edited",
    given: (world) => createAlertInState(world, "scheduled"),
    as: oncePerWorld((world) => world.key({ scopes: "alerts:write,alerts:send" })),
    input: (alert) => alertArguments(alert, { title: "Changed" }),
    want: { body: { status: "scheduled", title: "Changed" } },
  },
];
