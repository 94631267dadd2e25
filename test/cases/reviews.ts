// The result of waiting for a review of an alert in each state, and its refusals.

import { expect } from "vitest";
import type { TestCase } from "../support/case_runner.ts";
import {
  type AlertState,
  alertArguments,
  createAlertInState,
  getSharedDraft,
  getSharedPusher,
  NO_ALERT,
} from "./fixtures.ts";

const WAIT = "review-wait";

const DECISIONS: [AlertState, decision: string, note: RegExp][] = [
  ["draft", "waiting", /awaiting a decision/],
  ["scheduled", "scheduled", /becomes visible at send_at/],
  ["repeating", "scheduled", /becomes visible at send_at/],
  ["passed", "sent", /has been sent/],
  ["sent", "sent", /has been sent/],
  ["cancelled", "cancelled", /duplicate_alert/],
];

export const reviewCases: TestCase[] = [
  ...DECISIONS.map(
    ([state, decision, note]): TestCase => ({
      rule: WAIT,
      tool: "wait_for_review",
      name: `of one that is ${state}`,
      given: (world) => createAlertInState(world, state),
      input: (alert) => alertArguments(alert, { seconds: 0 }),
      want: { body: { decision } },
      after: (_world, { id, updated_at }, { body }) => {
        expect(body).toMatchObject({ id, updated_at });
        expect(body.note).toMatch(note);
        expect(body.review_url === null).toBe(["sent", "cancelled"].includes(decision));
      },
    }),
  ),
  {
    rule: WAIT,
    tool: "wait_for_review",
    name: "another version was seen than there is: at once",
    given: getSharedDraft,
    input: (alert) => alertArguments(alert, { seen_updated_at: "2026-01-01T00:00:00Z" }),
    want: { body: { decision: "waiting" } },
  },
  ...[-1, 51].map(
    (seconds): TestCase => ({
      rule: WAIT,
      tool: "wait_for_review",
      name: `${seconds} seconds`,
      given: getSharedDraft,
      input: (alert) => alertArguments(alert, { seconds }),
      want: { error: "invalid_request", param: "seconds", says: /whole number from 0 to 50/ },
    }),
  ),
  {
    rule: WAIT,
    tool: "wait_for_review",
    name: "no such alert",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, alert_id: NO_ALERT }),
    want: { error: "not_found" },
  },
];
