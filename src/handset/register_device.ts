import { randomBytes } from "node:crypto";
import { z } from "zod";
import { DEVICE_PREFIX, mintToken } from "../identity/auth/tokens.ts";
import { Device } from "../model/entities/handset.ts";
import { DEVICE } from "../model/fields/device.ts";
import { argumentsOf } from "../model/fields/record.ts";
import { LIMITS } from "../model/limits.ts";
import { defineHandsetOperation, MAX_BODY } from "../operation/tool.ts";

export default defineHandsetOperation({
  name: "register_device",
  title: "Register handset",
  description: "Register a handset and receive its token, once. No account, no name, no address book.",
  auth: "nothing",
  writes: "rows",
  http: { method: "POST", path: "/handset/v1/devices", status: 201, maxBody: MAX_BODY.handset },
  limit: {
    name: "device-registrations",
    per: "address",
    max: LIMITS.registrations,
    seconds: LIMITS.window_seconds,
  },
  errors: ["invalid_request", "rate_limited"],
  input: z.strictObject(argumentsOf(DEVICE)),
  output: z.object({ id: z.string(), token: z.string() }),
  async handler(facts, ctx) {
    // 63 random bits, so that a sample by device id is uniform.
    const id = (randomBytes(8).readBigUInt64BE() >> 1n).toString();
    const { token, hash } = mintToken(DEVICE_PREFIX);
    await ctx.em.insert(Device, { id, token_hash: hash, ...facts });
    await ctx.countAgainstLimit(ctx.caller.address);
    return { id, token };
  },
});
