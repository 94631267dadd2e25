// TypeIDs: the vectors of their specification, both ways for any uuid, and nothing else is an id.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newUuid, parseId, showId } from "../../src/domain/ids.ts";

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
    expect(showId("psh", uuid)).toBe(`psh_${digits}`);
    expect(parseId("psh", `psh_${digits}`)).toBe(uuid);
  });

  test.each([
    ["another kind", "alr_01h455vb4pex5vsknk084sn02q"],
    ["more than 128 bits", "psh_8zzzzzzzzzzzzzzzzzzzzzzzzz"],
    ["capitals", "psh_01H455VB4PEX5VSKNK084SN02Q"],
    ["letters that are no digits", "psh_01h455vb4pex5vsknk084sn0uo"],
    ["a letter beyond ASCII", "psh_01h455vb4pex5vsknk084sn02é"],
    ["a dash", "psh_01h455vb4pex5vsknk084sn02-"],
    ["another separator", "psh-01h455vb4pex5vsknk084sn02q"],
    ["one digit less", "psh_01h455vb4pex5vsknk084sn02"],
    ["one digit more", "psh_01h455vb4pex5vsknk084sn02qq"],
    ["a uuid", "01890a5d-ac96-774b-bcce-b302099a8057"],
    ["nothing", ""],
  ])("%s is no id", (_, text) => expect(parseId("psh", text)).toBeNull());
});

test("any uuid comes back", () => {
  fc.assert(fc.property(fc.uuid(), (uuid) => parseId("alr", showId("alr", uuid)) === uuid));
});

test("ids sort as they were made", () => {
  const ids = Array.from({ length: 1000 }, () => showId("alr", newUuid()));
  expect(ids.toSorted()).toEqual(ids);
});
