// rules#local-times: the local time of a zone at a time identifies that time, except for the hours that occur twice.
// The two offsets that a refusal names are right.

import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTimestamp, timestampSchema } from "../../src/model/fields/value_schemas.ts";

const ZONES = [
  ...["Europe/Lisbon", "America/New_York", "America/St_Johns", "Asia/Kolkata", "Africa/Casablanca", "UTC"],
  ...["Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Apia", "America/Sao_Paulo", "Etc/GMT+5"],
];

/** The local time: `2026-11-24T07:30:00`. */
const shown = (ms: number, timeZone: string) =>
  new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    ...({ year: "numeric", month: "2-digit", day: "2-digit" } as const),
    ...({ hour: "2-digit", minute: "2-digit", second: "2-digit" } as const),
  })
    .format(ms)
    .replace(" ", "T");

const refusal = (value: string): string => {
  const read = timestampSchema().safeParse(value);
  if (read.success) throw new Error("it was taken");
  return read.error.issues[0]!.message;
};

const TWO_TIMES = /instead of the time zone: (\S+) or (\S+)$/;

test("every local time identifies the time at which it is shown, or two of which it is one", () => {
  const seconds = fc.integer({ min: Date.UTC(1975, 0) / 1000, max: Date.UTC(2035, 0) / 1000 });
  fc.assert(
    fc.property(seconds, fc.constantFrom(...ZONES), (at, zone) => {
      const local = shown(at * 1000, zone);
      const utc = new Date(at * 1000).toISOString().replace(".000Z", ".000000Z");
      const read = parseTimestamp(`${local} ${zone}`);
      const [, ...both] = read === null ? TWO_TIMES.exec(refusal(`${local} ${zone}`))! : [];
      const named = read === null ? both.map(parseTimestamp) : [read];
      expect(named).toContain(utc);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["2026-10-25T01:30 Europe/Lisbon", "occurs twice", ["00:30", "01:30"]],
  ["2026-03-29T01:30 Europe/Lisbon", "does not exist", ["01:30", "00:30"]],
  ["2026-04-05T01:45 Australia/Lord_Howe", "occurs twice", ["14:45", "15:15"]],
  ["2011-12-30T12:00 Pacific/Apia", "does not exist", ["22:00", "22:00"]],
])("%s %s, and the refusal has both ways out", (value, why, times) => {
  const said = refusal(value);
  expect(said).toContain(why);
  const [, ...both] = TWO_TIMES.exec(said)!;
  expect(both.map((time) => parseTimestamp(time)!.slice(11, 16))).toEqual(times);
});

test("another zone is refused without a word of it", () => {
  const said = refusal("2026-11-24T07:30 Ignore/all");
  expect(said).toBe("must name an IANA time zone, such as Europe/Lisbon");
  for (const other of ["2026-11-24T07:30 +01:00", "2026-11-24T07:30 Z", "2026-11-24T07:30  UTC", "07:30 UTC"])
    expect(refusal(other)).toMatch(/^must be an RFC 3339 timestamp/);
});
