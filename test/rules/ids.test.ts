// TypeIDs: the vectors of their specification, both ways for any uuid, and nothing else is an id.

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { buildUuid, formatId, newUuid, parseIdOrNull } from "../../src/model/domain/type_ids.ts";

describe("the specification's vectors", () => {
  test.each([
    ["00000000000000000000000000", "00000000-0000-0000-0000-000000000000"],
    ["00000000000000000000000001", "00000000-0000-0000-0000-000000000001"],
    ["0000000000000000000000000g", "00000000-0000-0000-0000-000000000010"],
    ["00000000000000000000000010", "00000000-0000-0000-0000-000000000020"],
    ["0123456789abcdefghjkmnpqrs", "0110c853-1d09-52d8-d73e-1194e95b5f19"],
    ["01h455vb4pex5vsknk084sn02q", "01890a5d-ac96-774b-bcce-b302099a8057"],
    ["7zzzzzzzzzzzzzzzzzzzzzzzzz", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
  ])("%s", (digits, uuid) => {
    expect(formatId("psh", uuid)).toBe(`psh_${digits}`);
    expect(parseIdOrNull("psh", `psh_${digits}`)).toBe(uuid);
  });

  test.each([
    ["another kind", "alr_01h455vb4pex5vsknk084sn02q"],
    ["more than 128 bits", "psh_8zzzzzzzzzzzzzzzzzzzzzzzzz"],
    ["capitals", "psh_01H455VB4PEX5VSKNK084SN02Q"],
    ["letters that are not digits", "psh_01h455vb4pex5vsknk084sn0uo"],
    ["a letter beyond ASCII", "psh_01h455vb4pex5vsknk084sn02é"],
    ["a dash", "psh_01h455vb4pex5vsknk084sn02-"],
    ["another separator", "psh-01h455vb4pex5vsknk084sn02q"],
    ["one digit less", "psh_01h455vb4pex5vsknk084sn02"],
    ["one digit more", "psh_01h455vb4pex5vsknk084sn02qq"],
    ["a uuid", "01890a5d-ac96-774b-bcce-b302099a8057"],
    ["nothing", ""],
  ])("%s is not an id", (_, text) => expect(parseIdOrNull("psh", text)).toBeNull());
});

test("any uuid comes back", () => {
  fc.assert(fc.property(fc.uuid(), (uuid) => parseIdOrNull("alr", formatId("alr", uuid)) === uuid));
});

test("a new uuid is one of version 7, as the RFC's own example", () => {
  // RFC 9562, appendix A.6: 2022-02-22 19:22:22 UTC.
  const chance = "00000000-0000-4000-98c4-dc0c0c07398f";
  expect(buildUuid(1_645_557_742_000, 0xcc3, chance)).toBe("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
  expect(buildUuid(1, 0, chance)).toBe("00000000-0001-7000-98c4-dc0c0c07398f");
  const before = Date.now();
  const made = newUuid();
  expect(made).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const ms = Number.parseInt(made.slice(0, 8) + made.slice(9, 13), 16);
  expect(ms - before).toBeGreaterThanOrEqual(0);
  expect(ms - before).toBeLessThan(60_000);
});

test("ids sort as they were made, more in a millisecond than it has room for, and with the clock set back", () => {
  const now = vi.spyOn(Date, "now").mockReturnValue(Date.now());
  const ids = Array.from({ length: 10_000 }, newUuid);
  now.mockReturnValue(1);
  ids.push(newUuid());
  now.mockRestore();
  ids.push(newUuid());
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test("ids sort as they were made", () => {
  const ids = Array.from({ length: 1000 }, () => formatId("alr", newUuid()));
  expect(ids.toSorted()).toEqual(ids);
});
