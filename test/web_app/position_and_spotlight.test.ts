// Where the device is, what time it is there, and what deserves a look now.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  arrangeInbox,
  getSpotlightEnd,
  SPOTLIGHT_MS,
  UNACKED_SPOTLIGHT_MS,
} from "../../src/pages/web_app/browser/rules/current_alerts_and_history.ts";
import { distanceKm } from "../../src/pages/web_app/browser/rules/distance.ts";
import { findCityOfCircle, isInCircle } from "../../src/pages/web_app/browser/rules/geo_circle.ts";
import { areValidQuietHours, isWithinQuietHours } from "../../src/pages/web_app/browser/rules/quiet_hours.ts";

const places = fc.record({
  lat: fc.double({ min: -90, max: 90, noNaN: true }),
  lon: fc.double({ min: -180, max: 180, noNaN: true }),
});
type Place = { lat: number; lon: number };

/** The same distance another way: the angle between two arrows from the middle of the earth. */
function byArrows(a: Place, b: Place): number {
  const arrow = ({ lat, lon }: Place) => {
    const [p, l] = [(lat * Math.PI) / 180, (lon * Math.PI) / 180];
    return [Math.cos(p) * Math.cos(l), Math.cos(p) * Math.sin(l), Math.sin(p)] as const;
  };
  const [u, v] = [arrow(a), arrow(b)];
  const cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  return 6371.0088 * Math.atan2(Math.hypot(...cross), u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
}

// rules#alert-circle rules#circle-on-device
describe("an alert's circle", () => {
  test("distances agree with another formula on random places, to a metre", () =>
    fc.assert(
      fc.property(places, places, (a, b) => {
        // Near the opposite end of the earth, half a metre is below the precision of a double in this formula.
        fc.pre(byArrows(a, b) < 20_000);
        expect(Math.abs(distanceKm(a, b) - byArrows(a, b))).toBeLessThan(0.001);
      }),
      { numRuns: 5000 },
    ));

  test.each([
    ["Berlin to Hamburg", { lat: 52.52, lon: 13.405 }, { lat: 53.5511, lon: 9.9937 }, 255.3],
    ["over the date line", { lat: 0, lon: 179.9 }, { lat: 0, lon: -179.9 }, 22.2],
    ["over the pole", { lat: 89, lon: 0 }, { lat: 89, lon: 180 }, 222.4],
    ["half around", { lat: 0, lon: 0 }, { lat: 0, lon: 180 }, 20_015.1],
    ["nowhere", { lat: 52, lon: 5 }, { lat: 52, lon: 5 }, 0],
  ])("%s", (_name, a, b, km) => expect(distanceKm(a, b)).toBeCloseTo(km, 0));

  test("has the city of the channel only where it has the centre of the channel's area", () => {
    const channel = { city: "Porto", lat: 41.15, lon: -8.61, radius_km: 300 };
    const at = (lat: number) => ({ lat, lon: -8.61, radius_km: 12 });
    expect(findCityOfCircle(at(41.15), channel)).toBe("Porto");
    expect(findCityOfCircle(at(41.155), channel)).toBe("Porto");
    expect(findCityOfCircle(at(41.25), channel)).toBe(null);
    expect(findCityOfCircle(at(41.15), { ...channel, city: null })).toBe(null);
    expect(findCityOfCircle(at(41.15), { ...channel, lat: null })).toBe(null);
    expect(findCityOfCircle(at(41.15), null)).toBe(null);
  });

  test("the largest circle contains every place, and the exact one every position in it", () =>
    fc.assert(
      fc.property(places, places, fc.double({ min: 0.001, max: 20_038, noNaN: true }), (a, b, radius_km) => {
        expect(isInCircle({ ...a, accuracy_m: 0 }, { ...b, radius_km: 20_038 })).toBe(true);
        const away = distanceKm(a, b);
        expect(isInCircle({ ...a, accuracy_m: 0 }, { ...b, radius_km })).toBe(away <= radius_km);
      }),
    ));

  test("a position that is too inexact for the border results in neither yes nor no", () => {
    const circle = { lat: 52, lon: 5, radius_km: 1 };
    const north = (km: number, accuracy_m: number) =>
      isInCircle({ lat: 52 + km / 111.195, lon: 5, accuracy_m }, circle);
    expect([north(0.5, 100), north(0.95, 100), north(1.05, 100), north(1.2, 100)]).toEqual([true, null, null, false]);
    expect(isInCircle(null, circle)).toBe(null);
    expect(isInCircle(null, { lat: null, lon: null, radius_km: null })).toBe(true);
  });
});

// rules#quiet-hours
describe("quiet hours", () => {
  const night = { from: "22:00", to: "07:00" };
  test.each([
    ["2026-01-10T21:59:59Z", "UTC", false],
    ["2026-01-10T22:00:00Z", "UTC", true],
    ["2026-01-10T00:00:00Z", "UTC", true],
    ["2026-01-10T06:59:59Z", "UTC", true],
    ["2026-01-10T07:00:00Z", "UTC", false],
    // The same time on two clocks, and in a zone of half hours.
    ["2026-01-10T21:30:00Z", "Europe/Berlin", true],
    ["2026-01-10T21:30:00Z", "America/New_York", false],
    ["2026-01-10T16:30:00Z", "Asia/Kolkata", true],
    ["2026-01-10T16:29:00Z", "Asia/Kolkata", false],
    // Summer time begins in Berlin on 29 March 2026 at 01:00 UTC, and ends on 25 October at 01:00 UTC.
    ["2026-03-29T04:59:00Z", "Europe/Berlin", true],
    ["2026-03-29T05:00:00Z", "Europe/Berlin", false],
    ["2026-10-25T05:59:00Z", "Europe/Berlin", true],
    ["2026-10-25T06:00:00Z", "Europe/Berlin", false],
  ])("%s in %s: %s", (instant, zone, quiet) =>
    expect(isWithinQuietHours(night, Date.parse(instant), zone)).toBe(quiet),
  );

  test("hours by day, no hours, and invalid hours", () => {
    const noon = Date.parse("2026-01-10T12:00:00Z");
    expect(isWithinQuietHours({ from: "11:00", to: "13:00" }, noon, "UTC")).toBe(true);
    expect(isWithinQuietHours({ from: "13:00", to: "14:00" }, noon, "UTC")).toBe(false);
    expect(isWithinQuietHours(null, noon, "UTC")).toBe(false);
    for (const hours of [
      { from: "12:00", to: "12:00" },
      { from: "24:00", to: "13:00" },
      { from: "", to: "" },
    ]) {
      expect(areValidQuietHours(hours)).toBe(false);
      expect(isWithinQuietHours(hours, noon, "UTC")).toBe(false);
    }
  });

  test("from-to and to-from share the day without a gap or an overlap", () => {
    const minute = fc
      .integer({ min: 0, max: 1439 })
      .map((m) => `${String(Math.floor(m / 60)).padStart(2, "0")}:${String(m % 60).padStart(2, "0")}`);
    const instants = fc.integer({ min: 0, max: 4e12 });
    const zones = fc.constantFrom("UTC", "Asia/Kathmandu", "America/St_Johns", "Australia/Lord_Howe");
    fc.assert(
      fc.property(minute, minute, instants, zones, (from, to, now, zone) => {
        fc.pre(from !== to);
        expect(isWithinQuietHours({ from, to }, now, zone)).toBe(
          !isWithinQuietHours({ from: to, to: from }, now, zone),
        );
      }),
    );
  });
});

const NOW = Date.parse("2026-11-22T12:00:00Z");
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString().replace("Z", "000Z");
const row = (id: string, minutes: number, fields: object = {}) => ({
  id,
  handle: "river",
  status: "sent",
  sent_at: ago(minutes),
  expires_at: null as string | null,
  priority: "normal",
  requires_ack: false,
  collapse_key: null as string | null,
  acked_at: null as string | null,
  ...fields,
});
type Row = ReturnType<typeof row>;
const shown = (rows: Row[], now = NOW) => {
  const { spotlight, history } = arrangeInbox(rows, now);
  return [spotlight.map(({ id }) => id), history.map(({ id }) => id)];
};

// rules#alert-expires-at rules#spotlight
describe("the spotlight", () => {
  test("an expired alert leaves the spotlight to the millisecond, and stays readable", () => {
    const rows = [row("a", 5, { expires_at: ago(-10) }), row("b", 3)];
    expect(shown(rows)).toEqual([["b", "a"], []]);
    expect(arrangeInbox(rows, NOW).next_change_at).toBe(NOW + 600_000);
    expect(shown(rows, NOW + 599_999)).toEqual([["b", "a"], []]);
    expect(shown(rows, NOW + 600_000)).toEqual([["b"], ["a"]]);
  });

  test("one without an end stays for a day, and for a week while it waits to be acknowledged", () => {
    const plain = row("a", 0);
    const waits = row("b", 0, { requires_ack: true });
    expect([getSpotlightEnd(plain) - NOW, getSpotlightEnd(waits) - NOW]).toEqual([SPOTLIGHT_MS, UNACKED_SPOTLIGHT_MS]);
    expect(shown([plain, waits], NOW + SPOTLIGHT_MS)).toEqual([["b"], ["a"]]);
    expect(shown([plain, waits], NOW + UNACKED_SPOTLIGHT_MS)).toEqual([[], ["b", "a"]]);
    expect(arrangeInbox([plain, waits], NOW + UNACKED_SPOTLIGHT_MS).next_change_at).toBe(null);
  });

  // rules#app-before-joining
  test("of alerts from before joining, those with an end stay", () => {
    const [plain, waits] = [row("a", 1, { before: true }), row("b", 1, { before: true, requires_ack: true })];
    const counts = row("c", 1, { before: true, expires_at: ago(-60) });
    expect(shown([plain, waits, counts])).toEqual([["c"], ["b", "a"]]);
  });

  // rules#app-marks-tell-nobody
  test("one that was put away leaves it, and replaces the older ones all the same", () => {
    const [old, put] = [row("a", 2, { collapse_key: "k" }), row("b", 1, { collapse_key: "k", dismissed: true })];
    expect(shown([old, put])).toEqual([[], ["b", "a"]]);
  });

  test("acknowledged and withdrawn ones leave it at once", () =>
    expect(shown([row("a", 1, { acked_at: ago(0) }), row("b", 2, { status: "cancelled" })])).toEqual([[], ["a", "b"]]));

  test("urgent ones are first, then the newest", () =>
    expect(
      shown([row("a", 9, { priority: "urgent" }), row("b", 8), row("c", 7, { priority: "important" }), row("d", 6)]),
    ).toEqual([["a", "c", "d", "b"], []]));
});

// rules#alert-collapse-key rules#spotlight
describe("collapsing", () => {
  const level = { collapse_key: "level" };
  test("the newest of a channel's key represents the others", () =>
    expect(shown([row("a", 3, level), row("b", 1, level), row("c", 2, level), row("d", 9)])).toEqual([
      ["b", "d"],
      ["c", "a"],
    ]));
  test("another channel's key is another one", () =>
    expect(shown([row("a", 3, level), row("b", 1, { ...level, handle: "bakery" })])).toEqual([["b", "a"], []]));
  test("once replaced it does not come back when the newer one is over", () => {
    expect(shown([row("a", 3, level), row("b", 1, { ...level, acked_at: ago(0) })])).toEqual([[], ["b", "a"]]);
    expect(shown([row("a", 3, level), row("b", 1, { ...level, expires_at: ago(0) })])).toEqual([[], ["b", "a"]]);
  });
  test("a withdrawn alert replaced nothing", () =>
    expect(shown([row("a", 3, level), row("b", 1, { ...level, status: "cancelled" })])).toEqual([["a"], ["b"]]));
});

describe("for any stored alerts", () => {
  const rows: fc.Arbitrary<Row[]> = fc.uniqueArray(
    fc
      .record({
        id: fc.integer({ min: 0, max: 30 }).map((n) => `alr_${String(n).padStart(2, "0")}`),
        handle: fc.constantFrom("river", "bakery"),
        minutes: fc.integer({ min: -5, max: 12_000 }),
        ends: fc.option(fc.integer({ min: -3000, max: 3000 })),
        priority: fc.constantFrom("normal", "important", "urgent", "unknown"),
        requires_ack: fc.boolean(),
        collapse_key: fc.constantFrom(null, "level", "gate"),
        acked_at: fc.constantFrom(null, null, ago(0)),
        status: fc.constantFrom("sent", "sent", "cancelled"),
      })
      .map(({ id, minutes, ends, ...rest }) =>
        row(id, minutes, { ...rest, expires_at: ends === null ? null : ago(ends) }),
      ),
    { selector: ({ id }) => id, maxLength: 15 },
  );

  test("each alert is in one of the two, in any order", () =>
    fc.assert(
      fc.property(rows, (held) => {
        const [spotlight, history] = shown(held);
        expect([...spotlight!, ...history!].sort()).toEqual(held.map(({ id }) => id).sort());
        expect(shown(held.toReversed())).toEqual([spotlight, history]);
        const keys = arrangeInbox(held, NOW)
          .spotlight.filter(({ collapse_key }) => collapse_key)
          .map(({ handle, collapse_key }) => `${handle} ${collapse_key}`);
        expect(new Set(keys).size).toBe(keys.length);
      }),
      { numRuns: 1000 },
    ));

  test("nothing changes before next_change_at, and something does at it", () =>
    fc.assert(
      fc.property(rows, (held) => {
        const next = arrangeInbox(held, NOW).next_change_at;
        const far = NOW + 30 * 86_400_000;
        expect(shown(held, (next ?? far) - 1)).toEqual(shown(held));
        if (next !== null) expect(shown(held, next)).not.toEqual(shown(held));
      }),
      { numRuns: 1000 },
    ));
});
