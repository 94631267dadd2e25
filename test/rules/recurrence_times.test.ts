// The occurrences of a recurrence: the zones' clocks on both changes of a year, refusals, and a limited cost.
// rules#recurrence-clocks

import { describe, expect, test } from "vitest";
import { isErrorMessage } from "../../src/model/api_and_ui_error_texts.ts";
import {
  findNextOccurrences,
  findUnstoredOccurrencesWithin,
  planSeriesFill,
} from "../../src/model/domain/occurrences.ts";
import { MAX_RESPONSE_RECURRENCE_STEPS, RecurrenceStepBudget } from "../../src/model/domain/recurrence_step_budget.ts";
import { parseRecurrence } from "../../src/model/fields/recurrence_rule.ts";
import { parseTimestamp } from "../../src/model/fields/value_schemas.ts";

const timesOf = (rule: string, zone: string, start: string, most: number) => {
  const sendAt = Date.parse(parseTimestamp(`${start} ${zone}`)!);
  const times = findNextOccurrences(`${rule} ${zone}`, { sendAt, now: sendAt - 1, most });
  return times.map((ms) => new Date(ms).toISOString().slice(0, 16));
};

describe("clocks that change", () => {
  test.each([
    // The time of day stays.
    ["Europe/Lisbon", "FREQ=DAILY", "2027-03-27T09:00", ["2027-03-27T09:00", "2027-03-28T08:00", "2027-03-29T08:00"]],
    ["Europe/Lisbon", "FREQ=DAILY", "2027-10-30T09:00", ["2027-10-30T08:00", "2027-10-31T09:00", "2027-11-01T09:00"]],
    ["America/New_York", "FREQ=WEEKLY;BYDAY=SU", "2027-03-07T09:00", ["2027-03-07T14:00", "2027-03-14T13:00"]],
    ["America/New_York", "FREQ=WEEKLY;BYDAY=SU", "2027-10-31T09:00", ["2027-10-31T13:00", "2027-11-07T14:00"]],
    ["Australia/Lord_Howe", "FREQ=DAILY", "2027-10-02T09:00", ["2027-10-01T22:30", "2027-10-02T22:00"]],
    ["Australia/Lord_Howe", "FREQ=DAILY", "2027-04-03T09:00", ["2027-04-02T22:00", "2027-04-03T22:30"]],
    // A time that is skipped comes once, as much later as the clocks go forward.
    ["Europe/Lisbon", "FREQ=DAILY", "2027-03-27T01:30", ["2027-03-27T01:30", "2027-03-28T01:30", "2027-03-29T00:30"]],
    [
      "America/New_York",
      "FREQ=DAILY",
      "2027-03-13T02:30",
      ["2027-03-13T07:30", "2027-03-14T07:30", "2027-03-15T06:30"],
    ],
    [
      "Australia/Lord_Howe",
      "FREQ=DAILY",
      "2027-10-02T02:15",
      ["2027-10-01T15:45", "2027-10-02T15:45", "2027-10-03T15:15"],
    ],
    // One that is shown twice comes once, the first time.
    ["Europe/Lisbon", "FREQ=DAILY", "2027-10-30T01:30", ["2027-10-30T00:30", "2027-10-31T00:30", "2027-11-01T01:30"]],
    [
      "America/New_York",
      "FREQ=DAILY",
      "2027-11-06T01:30",
      ["2027-11-06T05:30", "2027-11-07T05:30", "2027-11-08T06:30"],
    ],
    [
      "Australia/Lord_Howe",
      "FREQ=DAILY",
      "2027-04-03T01:45",
      ["2027-04-02T14:45", "2027-04-03T14:45", "2027-04-04T15:15"],
    ],
    // Two times of a day that the clocks bring together are one.
    [
      "Europe/Lisbon",
      "FREQ=DAILY;BYHOUR=1,2;BYMINUTE=30",
      "2027-03-27T23:00",
      ["2027-03-28T01:30", "2027-03-29T00:30", "2027-03-29T01:30"],
    ],
    // Hours and minutes are those that pass.
    ["Europe/Lisbon", "FREQ=HOURLY", "2027-03-28T00:30", ["2027-03-28T00:30", "2027-03-28T01:30", "2027-03-28T02:30"]],
    ["Europe/Lisbon", "FREQ=HOURLY", "2027-10-31T00:30", ["2027-10-30T23:30", "2027-10-31T00:30", "2027-10-31T01:30"]],
    ["UTC", "FREQ=MINUTELY;INTERVAL=5", "2027-01-01T00:00", ["2027-01-01T00:00", "2027-01-01T00:05"]],
    // Days that a month does not have are left out, and a start outside of its rule is the first occurrence.
    ["UTC", "FREQ=MONTHLY", "2027-01-31T08:00", ["2027-01-31T08:00", "2027-03-31T08:00", "2027-05-31T08:00"]],
    ["UTC", "FREQ=WEEKLY;BYDAY=MO", "2027-01-01T08:00", ["2027-01-04T08:00", "2027-01-11T08:00"]],
    [
      "UTC",
      "FREQ=DAILY;UNTIL=20270103",
      "2027-01-01T23:00",
      ["2027-01-01T23:00", "2027-01-02T23:00", "2027-01-03T23:00"],
    ],
  ])("%s: %s from %s", (zone, rule, start, wanted) => {
    expect(timesOf(rule, zone, start, wanted.length)).toEqual(wanted);
  });

  test("an end is the last that comes", () => {
    expect(timesOf("FREQ=DAILY;COUNT=2", "UTC", "2027-01-01T08:00", 9)).toHaveLength(2);
    expect(timesOf("FREQ=DAILY;UNTIL=20270102T080000Z", "UTC", "2027-01-01T08:00", 9)).toHaveLength(2);
    expect(timesOf("FREQ=DAILY;UNTIL=20270102T075959Z", "UTC", "2027-01-01T08:00", 9)).toHaveLength(1);
  });
});

/** rules#recurrence-rules */
describe("hostile rules", () => {
  test.each([
    "FREQ=SECONDLY UTC",
    "FREQ=DAILY;BYSECOND=1,2 UTC",
    "FREQ=DAILY;COUNT=1000000000 UTC",
    "FREQ=DAILY;COUNT=1001 UTC",
    "FREQ=DAILY;COUNT=0 UTC",
    "FREQ=DAILY;INTERVAL=99999999999999 UTC",
    "FREQ=DAILY;COUNT=3;UNTIL=20270101 UTC",
    "FREQ=DAILY;UNTIL=20270231 UTC",
    "FREQ=DAILY;FREQ=WEEKLY UTC",
    "FREQ=DAILY;FOO=1 UTC",
    "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30 UTC",
    "FREQ=DAILY Nowhere/Land",
    "FREQ=DAILY",
    "COUNT=3 UTC",
    "FREQ=MONTHLY;BYWEEKNO=3 UTC",
    "FREQ=DAILY UTC\nDTSTART:20270101T000000Z",
    "",
  ])("%s is not a recurrence", (value) => {
    expect(isErrorMessage(parseRecurrence(value))).toBe(true);
  });

  test.each([
    ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", /no future occurrence/],
    ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", /no future occurrence/],
    ["FREQ=YEARLY;BYDAY=5MO;BYMONTH=2;BYSETPOS=300", /no future occurrence/],
    ["FREQ=DAILY;UNTIL=20200101", /no future occurrence/],
    ["FREQ=MINUTELY", /5 minutes/],
    ["FREQ=MINUTELY;INTERVAL=4", /5 minutes/],
    ["FREQ=HOURLY;BYMINUTE=0,3", /5 minutes/],
    [`FREQ=YEARLY;BYYEARDAY=366;BYHOUR=0,1;BYMINUTE=${[...Array(50).keys()]}`, /5 minutes/],
  ])("%s is refused on its field", (rule, says) => {
    const next = () =>
      findNextOccurrences(`${rule} UTC`, { sendAt: Date.UTC(2027, 0), now: Date.UTC(2027, 0), most: 5 });
    expect(next).toThrow(
      expect.objectContaining({ type: "invalid_request", param: "recurrence", message: expect.stringMatching(says) }),
    );
  });
});

/** rules#recurrence-cost */
describe("the work of an answer is bounded in steps", () => {
  const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i).join();
  const WEEKDAYS = "BYDAY=MO,TU,WE,TH,FR";
  const EVERY_TEN = "BYMINUTE=0,10,20,30,40,50";
  const now = Date.UTC(2027, 0);
  const DAY = 86_400_000;

  test.each([
    `FREQ=YEARLY;BYWEEKNO=${from(1, 27)};${WEEKDAYS};BYHOUR=${from(0, 6)};BYMINUTE=1,7;BYSETPOS=999`,
    `FREQ=YEARLY;COUNT=1000;BYWEEKNO=${from(1, 27)};${WEEKDAYS};BYHOUR=${from(0, 6)};BYMINUTE=1,7;BYSETPOS=999`,
    `FREQ=YEARLY;BYWEEKNO=${from(1, 50)};${WEEKDAYS};BYSETPOS=999`,
    `FREQ=YEARLY;BYYEARDAY=${from(1, 49)};BYMONTH=12`,
    `FREQ=YEARLY;${WEEKDAYS};BYSETPOS=300`,
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=MINUTELY;INTERVAL=14;BYDAY=SU;BYHOUR=3;BYMINUTE=1",
    "FREQ=MINUTELY;COUNT=1000;BYDAY=MO;BYHOUR=3;BYMINUTE=1",
    "FREQ=HOURLY;INTERVAL=997;BYDAY=MO;BYHOUR=3;BYMINUTE=5",
  ])("%s", (rule) => {
    // A schedule looks four times: the next, whether they are crowded, those to be written, and the last that is
    // missed.
    const budget = new RecurrenceStepBudget(MAX_RESPONSE_RECURRENCE_STEPS / 2);
    const recurrence = `${rule} America/New_York`;
    try {
      expect(findNextOccurrences(recurrence, { sendAt: now, now, most: 12, budget }).length).toBeGreaterThan(0);
    } catch (error) {
      expect(error).toMatchObject({ type: "invalid_request", message: expect.stringMatching(/no future occurrence/) });
    }
    expect(budget.isSpent).toBe(false);
  });

  const month = (recurrence: string, budget: RecurrenceStepBudget) =>
    findUnstoredOccurrencesWithin(recurrence, {
      ...{ sendAt: now, now, from: now + 31 * DAY, to: now + 59 * DAY, beyond: null, most: 62, budget },
      nextDay: (at) => (Math.floor(at / DAY) + 1) * DAY,
    });

  test("a month of eight dense series, each of 144 times a day", () => {
    const budget = new RecurrenceStepBudget(MAX_RESPONSE_RECURRENCE_STEPS);
    for (let i = 0; i < 8; i++)
      expect(month(`FREQ=DAILY;BYHOUR=${from(0, 23)};${EVERY_TEN} Europe/Lisbon`, budget).length).toBeGreaterThan(80);
    expect(budget.isSpent).toBe(false);
  });

  test("all series of an answer share one budget, and none is looked up once it is spent", () => {
    const budget = new RecurrenceStepBudget(1_000);
    const never = "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30 UTC";
    expect(month("FREQ=DAILY UTC", new RecurrenceStepBudget(MAX_RESPONSE_RECURRENCE_STEPS)).length).toBe(28);
    expect(month(never, budget)).toEqual([]);
    expect(budget.isSpent).toBe(true);
    expect(month("FREQ=DAILY UTC", budget)).toEqual([]);
  });

  // A row of an earlier version or of a changed export.
  test("a stored rule that cannot be read writes nothing and is looked at again later", () => {
    const row = { series_id: "s", send_at: "2027-01-01T08:00:00Z", filled_until: null };
    expect(planSeriesFill({ ...row, recurrence: "FREQ=MONTHLY;BYWEEKNO=3 UTC" }, now)).toMatchObject({
      occurrences: [],
      next_fill_at: "2027-01-02T00:00:00.000Z",
    });
  });
});

/** rules#recurrence-ahead */
describe("what is written", () => {
  const series = (recurrence: string, filled_until: string | null) => ({
    series_id: "s",
    recurrence,
    send_at: "2027-01-01T08:00:00Z",
    filled_until,
  });
  const fill = (recurrence: string, filled_until: string | null, now: string) => {
    const { occurrences, ...rest } = planSeriesFill(series(recurrence, filled_until), Date.parse(now));
    return { ...rest, occurs: occurrences.map(({ occurs_at }) => occurs_at.slice(0, 16)) };
  };

  test("a few ahead; more when half of them are over, or when the next comes near", () => {
    const begun = fill("FREQ=DAILY UTC", null, "2027-01-01T00:00:00Z");
    expect(begun.occurs).toHaveLength(12);
    expect(begun).toMatchObject({ filled_until: "2027-01-12T08:00:00.000Z", next_fill_at: "2027-01-07T08:00:00.000Z" });
    const later = fill("FREQ=DAILY UTC", begun.filled_until, begun.next_fill_at!);
    expect(later.occurs.at(0)).toBe("2027-01-13T08:00");
    const years = fill("FREQ=YEARLY UTC", null, "2027-01-01T00:00:00Z");
    expect(years.occurs).toEqual(["2027-01-01T08:00", "2028-01-01T08:00"]);
    expect(years.next_fill_at).toBe("2028-01-01T08:00:00.000Z");
  });

  // rules#recurrence-late
  test("after a gap the newest occurrence alone", () => {
    const { occurs } = fill("FREQ=MINUTELY;INTERVAL=5 UTC", "2027-01-01T09:00:00Z", "2027-01-08T09:02:00Z");
    expect(occurs).toHaveLength(13);
    expect(occurs.slice(0, 2)).toEqual(["2027-01-08T09:00", "2027-01-08T09:05"]);
  });

  // rules#series-end
  test("nothing more when it is over", () => {
    const last = fill("FREQ=DAILY;COUNT=3 UTC", null, "2027-01-01T00:00:00Z");
    expect(last).toMatchObject({ next_fill_at: "2027-01-03T08:00:00.000Z" });
    const over = fill("FREQ=DAILY;COUNT=3 UTC", last.filled_until, last.next_fill_at!);
    expect(over).toMatchObject({ occurs: [], next_fill_at: null });
  });
});
