// The examples of RFC 5545, section 3.8.5.3, in its zone and from its start, and parts that it defines without an
// example.

import { expect, test } from "vitest";
import { findNextOccurrences } from "../../src/model/domain/occurrences.ts";
import { parseTimestamp } from "../../src/model/fields/value_schemas.ts";
import { utcToLocal } from "../../src/model/fields/zoned_time_conversion.ts";

const ZONE = "America/New_York";

/** The days of the next times, or `day hour:minute` where they are not at nine. */
function daysOf(rule: string, start: string, most: number): string[] {
  const sendAt = Date.parse(parseTimestamp(`${start}T09:00 ${ZONE}`)!);
  const times = findNextOccurrences(`${rule} ${ZONE}`, { sendAt, now: sendAt - 1, most });
  return times.map((ms) => {
    const local = new Date(utcToLocal(ZONE, ms)).toISOString();
    return local.slice(11, 16) === "09:00" ? local.slice(0, 10) : local.slice(0, 16).replace("T", " ");
  });
}

const SEPTEMBER = "1997-09-02";

test.each<[string, string, string]>([
  ["FREQ=DAILY;COUNT=3", SEPTEMBER, "1997-09-02 1997-09-03 1997-09-04"],
  ["FREQ=DAILY;INTERVAL=10;COUNT=5", SEPTEMBER, "1997-09-02 1997-09-12 1997-09-22 1997-10-02 1997-10-12"],
  ["FREQ=WEEKLY;INTERVAL=2;WKST=SU", SEPTEMBER, "1997-09-02 1997-09-16 1997-09-30 1997-10-14 1997-10-28 1997-11-11"],
  ["FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH", SEPTEMBER, "1997-09-02 1997-09-04 1997-09-09 1997-09-11 1997-09-16"],
  [
    "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
    SEPTEMBER,
    "1997-09-02 1997-09-04 1997-09-16 1997-09-18 1997-09-30 1997-10-02 1997-10-14 1997-10-16",
  ],
  ["FREQ=MONTHLY;COUNT=10;BYDAY=1FR", "1997-09-05", "1997-09-05 1997-10-03 1997-11-07 1997-12-05 1998-01-02"],
  [
    "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
    "1997-09-07",
    "1997-09-07 1997-09-28 1997-11-02 1997-11-30 1998-01-04 1998-01-25 1998-03-01 1998-03-29 1998-05-03 1998-05-31",
  ],
  [
    "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO",
    "1997-09-22",
    "1997-09-22 1997-10-20 1997-11-17 1997-12-22 1998-01-19 1998-02-16",
  ],
  ["FREQ=MONTHLY;BYMONTHDAY=-3", "1997-09-28", "1997-09-28 1997-10-29 1997-11-28 1997-12-29 1998-01-29 1998-02-26"],
  ["FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1", "1997-09-30", "1997-09-30 1997-10-01 1997-10-31 1997-11-01 1997-11-30"],
  [
    "FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15",
    "1997-09-10",
    "1997-09-10 1997-09-11 1997-09-12 1997-09-13 1997-09-14 1997-09-15 1999-03-10",
  ],
  ["FREQ=MONTHLY;INTERVAL=2;BYDAY=TU", SEPTEMBER, "1997-09-02 1997-09-09 1997-09-16 1997-09-23 1997-09-30 1997-11-04"],
  ["FREQ=YEARLY;COUNT=10;BYMONTH=6,7", "1997-06-10", "1997-06-10 1997-07-10 1998-06-10 1998-07-10"],
  ["FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3", "1997-03-10", "1997-03-10 1999-01-10"],
  ["FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200", "1997-01-01", "1997-01-01 1997-04-10 1997-07-19 2000-01-01"],
  ["FREQ=YEARLY;BYDAY=20MO", "1997-05-19", "1997-05-19 1998-05-18"],
  ["FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", "1997-05-12", "1997-05-12 1998-05-11"],
  ["FREQ=YEARLY;BYMONTH=3;BYDAY=TH", "1997-03-13", "1997-03-13 1997-03-20 1997-03-27 1998-03-05 1998-03-12"],
  ["FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", SEPTEMBER, "1998-02-13 1998-03-13 1998-11-13"],
  [
    "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
    "1997-09-13",
    "1997-09-13 1997-10-11 1997-11-08 1997-12-13 1998-01-10",
  ],
  ["FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "1996-11-05", "1996-11-05 2000-11-07"],
  ["FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-04", "1997-09-04 1997-10-07 1997-11-06"],
  ["FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", "1997-09-29", "1997-09-29 1997-10-30 1997-11-27 1997-12-30"],
  ["FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "1997-08-05", "1997-08-05 1997-08-10 1997-08-19 1997-08-24"],
  ["FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "1997-08-05", "1997-08-05 1997-08-17 1997-08-19 1997-08-31"],
  ["FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5", "2007-01-15", "2007-01-15 2007-01-30 2007-02-15 2007-03-15 2007-03-30"],
  // The day of the week, where a week is named alone, is that of the start.
  ["FREQ=YEARLY;BYWEEKNO=15", "2025-09-13", "2026-04-11 2027-04-17"],
  // Days with and without a number in one list.
  ["FREQ=YEARLY;BYDAY=MO,6SU;BYMONTH=1", "2027-01-01", "2027-01-04 2027-01-11 2027-01-18 2027-01-25"],
  ["FREQ=YEARLY;BYYEARDAY=-1;BYDAY=SU", "2027-01-01", "2028-12-31"],
])("%s from %s", (rule, start, wanted) => {
  const days = wanted.match(/\d{4}-\d\d-\d\d( \d\d:\d\d)?/g)!;
  expect(daysOf(rule, start, days.length)).toEqual(days);
});

const HOURS = "9,10,11,12,13,14,15,16";

test.each<[string, string[]]>([
  ["FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000", ["09:00", "12:00", "15:00"]],
  ["FREQ=MINUTELY;INTERVAL=15;COUNT=6", ["09:00", "09:15", "09:30", "09:45", "10:00", "10:15"]],
  ["FREQ=MINUTELY;INTERVAL=90;COUNT=4", ["09:00", "10:30", "12:00", "13:30"]],
  [`FREQ=DAILY;BYHOUR=${HOURS};BYMINUTE=0,20,40`, ["09:00", "09:20", "09:40", "10:00"]],
  [`FREQ=MINUTELY;INTERVAL=20;BYHOUR=${HOURS}`, ["09:00", "09:20", "09:40", "10:00"]],
  ["FREQ=HOURLY;BYMINUTE=0,30;BYHOUR=9,11", ["09:00", "09:30", "11:00", "11:30", "09:00"]],
  ["FREQ=MINUTELY;BYMINUTE=5,20;BYHOUR=10", ["10:05", "10:20", "10:05"]],
])("%s within days", (rule, wanted) => {
  const times = daysOf(rule, SEPTEMBER, 12).map((day) => (day.length === 10 ? "09:00" : day.slice(11)));
  expect(times.slice(0, wanted.length)).toEqual(wanted);
});

// rules#recurrence-clocks
test("minutes of an hour are those of the zone's clock", () => {
  const sendAt = Date.UTC(2027, 0, 1, 3, 50);
  const [first] = findNextOccurrences("FREQ=HOURLY;BYMINUTE=0 Asia/Kolkata", { sendAt, now: sendAt, most: 1 });
  expect(new Date(first!).toISOString()).toBe("2027-01-01T04:30:00.000Z");
});
