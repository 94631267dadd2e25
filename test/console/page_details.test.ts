// Details of the console's pages: addresses of sessions, notes about months, the order of categories, and names.

import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { SESSION_OPERATIONS } from "../../src/identity/session/index.ts";
import { CHANNEL_CATEGORIES } from "../../src/model/fields/channel.ts";
import { AUDIT_PHRASES, formatPhraseAboutAlert, renderAuditPhrase } from "../../src/pages/console/audit_phrases.ts";
import { describeIpAddress } from "../../src/pages/console/pages/account.ts";
import { describeSkippedMonths } from "../../src/pages/console/recurrence_form.ts";
import { describeAccess } from "../../src/pages/console/scope_groups.ts";
import { CATEGORY_LABELS } from "../../src/ui/category_and_permission_labels.ts";
import { html } from "../../src/ui/html.ts";

test.each([
  ["0000:0000:0000:0000:0000:0000:0000:0000", "this computer (localhost)"],
  ["0000:0000:0000:0000:0000:0000:0000:0001", "this computer (localhost)"],
  ["::1", "this computer (localhost)"],
  ["127.0.0.1", "this computer (localhost)"],
  ["2001:0db8:0000:0001:0000:0000:0000:0000", "2001:db8:0:1::/64"],
  ["192.0.2.7", "192.0.2.7"],
  [null, "unknown"],
  ["a proxy", "unknown"],
])("a session from %s is shown as %s", (address, shown) => {
  expect(describeIpAddress(address)).toBe(shown);
});

describe("a monthly alert", () => {
  test.each([
    ["FREQ=MONTHLY Europe/Lisbon", "2027-01-30T08:00:00Z", "This rule skips February."],
    ["FREQ=MONTHLY UTC", "2027-01-29T08:00:00Z", "This rule skips February, except in leap years."],
    ["FREQ=MONTHLY UTC", "2027-01-31T08:00:00Z", "This rule skips months with fewer than 31 days."],
    ["FREQ=MONTHLY;UNTIL=20280101 UTC", "2027-01-31T08:00:00Z", "This rule skips months with fewer than 31 days."],
    // The day of its own zone counts.
    ["FREQ=MONTHLY Pacific/Auckland", "2027-01-29T20:00:00Z", "This rule skips February."],
    ["FREQ=MONTHLY;BYMONTHDAY=1,30 UTC", "2027-01-01T08:00:00Z", "This rule skips February."],
  ])("%s from %s names the months that it skips", (recurrence, sendAt, note) => {
    expect(describeSkippedMonths(recurrence, sendAt)).toMatch(new RegExp(`^${note.replace(".", "\\.")}`));
  });

  test.each([
    ["FREQ=MONTHLY UTC", "2027-01-28T08:00:00Z"],
    ["FREQ=MONTHLY;BYMONTHDAY=-1 UTC", "2027-01-31T08:00:00Z"],
    ["FREQ=MONTHLY;BYDAY=-1FR UTC", "2027-01-29T08:00:00Z"],
    ["FREQ=WEEKLY UTC", "2027-01-30T08:00:00Z"],
  ])("%s from %s skips none", (recurrence, sendAt) => {
    expect(describeSkippedMonths(recurrence, sendAt)).toBeNull();
  });
});

test("categories are offered in the order of their labels, and all of them", () => {
  const labels = Object.values(CATEGORY_LABELS);
  expect(labels).toEqual(labels.toSorted((a, b) => a.localeCompare(b)));
  expect(Object.keys(CATEGORY_LABELS).sort()).toEqual([...CHANNEL_CATEGORIES].sort());
});

test.each([
  [["account:read", "pushers:read"], "Reads"],
  [["alerts:read", "alerts:write"], "Drafts only"],
  [["alerts:write", "pushers:write"], "Changes, no publishing"],
  [["webhooks:write"], "Changes, no publishing"],
  [["pushers:write", "alerts:send"], "Publishes"],
] as const)("a key with %j: %s", (scopes, access) => {
  expect(describeAccess(scopes)).toBe(access);
});

describe("the audit log", () => {
  test("two-factor authentication has one name", () => {
    expect(AUDIT_PHRASES.sign_in_second_factor).toMatchObject({ "": "signed in with two-factor authentication" });
    expect(JSON.stringify(Object.values(AUDIT_PHRASES))).not.toMatch(/second factor|two steps/i);
  });

  test("has a phrase for every operation that it records", () => {
    const recorded = [
      ...OPERATIONS.filter(({ readOnly }) => !readOnly),
      ...SESSION_OPERATIONS.filter(({ writes }) => writes !== "nothing"),
    ].map(({ name }) => name);
    expect(recorded.filter((name) => !Object.hasOwn(AUDIT_PHRASES, name))).toEqual([]);
    const operator = ["create_workspace", "add_member", "end_second_factor", "suspend_channel", "rotate_secret"];
    expect(Object.keys(AUDIT_PHRASES)).toEqual(expect.arrayContaining(operator));
  });

  const line = { operation: "send_alert", status: "sent", changed: null, subject_id: "alr_1" };
  test.each([
    [line, "sent <bdi>Low</bdi>", "sent it"],
    [{ ...line, operation: "create_alert", status: "draft" }, "saved <bdi>Low</bdi> as a draft", "saved it as a draft"],
    [{ ...line, operation: "old_name" }, "ran old name", "ran old name"],
    [
      { operation: "update_pusher", status: "paused", changed: ["status"], subject_id: "psh_1" },
      "paused the channel <bdi>Low</bdi>",
      "paused it",
    ],
    [
      { operation: "update_pusher", status: "paused", changed: ["name"], subject_id: "psh_1" },
      "changed the channel <bdi>Low</bdi>",
      "changed it",
    ],
  ])("a phrase has its subject: %o", (one, named, aboutIt) => {
    expect(String(renderAuditPhrase(one, html`<bdi>Low</bdi>`))).toBe(named);
    expect(formatPhraseAboutAlert(one)).toBe(aboutIt);
  });

  test("a subject without a name has a noun, and its id as a hint", () => {
    expect(String(renderAuditPhrase(line, null))).toBe('sent <span title="alr_1">an alert</span>');
  });
});
