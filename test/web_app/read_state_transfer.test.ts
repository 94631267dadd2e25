// The read and confirmed state, packed into the link that moves a device, and applied where it is opened.

import { describe, expect, test } from "vitest";
import {
  getTransferredAlertState,
  limitReadStateToTime,
  packReadState,
  toValidPackedReadState,
} from "../../src/pages/web_app/browser/rules/read_state_transfer.ts";

const row = (n: number, more: object = {}) => ({
  id: `alr_01h455vb4pex5vsknk084sn${String(n).padStart(3, "0")}`,
  sent_at: new Date(Date.UTC(2026, 10, 22, 8, n)).toISOString().replace("Z", "000Z"),
  read_at: "read" as string | null,
  acked_at: null as string | null,
  ...more,
});
const UNREAD = { read_at: null, acked_at: null };

// rules#app-move-keeps-states
describe("the read and confirmed state", () => {
  test("is the same where the link is opened; what comes later is new", () => {
    const rows = [row(1), row(2, { read_at: null }), row(3, { acked_at: "then" }), row(4)];
    const seen = packReadState(rows);
    expect(toValidPackedReadState(seen)).toBe(seen);
    const states = rows.map((one) => {
      const { read_at, acked_at } = getTransferredAlertState(one, seen);
      return [read_at !== null, acked_at !== null];
    });
    expect(states).toEqual(rows.map(({ read_at, acked_at }) => [read_at !== null, acked_at !== null]));
    expect(getTransferredAlertState(row(5), seen)).toEqual(UNREAD);
    expect(getTransferredAlertState(row(1), null)).toEqual(UNREAD);
    expect(getTransferredAlertState(row(1), packReadState([]))).toEqual(UNREAD);
  });

  test("of many unread ones the newest go along, so that a camera can read the code", () => {
    const seen = packReadState(Array.from({ length: 200 }, (_, n) => row(n, { read_at: null, acked_at: "then" })));
    expect(seen.length).toBeLessThan(650);
    expect(getTransferredAlertState(row(199), seen).read_at).toBeNull();
  });

  test("no link marks future alerts as read, and invalid parts are left out", () => {
    const seen = packReadState([row(9)]);
    const bounded = limitReadStateToTime(seen, Date.parse(row(5).sent_at));
    expect(getTransferredAlertState(row(6), bounded)).toEqual(UNREAD);
    expect(getTransferredAlertState(row(5), bounded).read_at).not.toBeNull();
    for (const text of [null, "", "x", "a_bcd_", `${seen}!`, "zzzzzzzzzzzzzz__"])
      expect(toValidPackedReadState(text)).toBeNull();
  });
});
