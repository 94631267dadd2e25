import { z } from "zod";
import { hashToken, looksLikeToken, OWN_DEVICE_PREFIX } from "../identity/auth/tokens.ts";
import { newUuid } from "../model/domain/ids.ts";
import { ApiError, unauthorized } from "../model/errors.ts";
import { text } from "../model/fields/accepts.ts";
import { LIMITS } from "../model/limits.ts";
import { defineHandsetOperation, MAX_BODY } from "../operation/tool.ts";
import { linkOwnDevice, takeOwnLink } from "../store/queries/own_devices.ts";
import { ownerView } from "./shapes.ts";

/** The same for a code of nobody, one that was used or replaced, and one that is too old. */
const noSuchCode = () =>
  new ApiError(
    "not_found",
    `This code links nothing: it works once, within ${LIMITS.own_device_minutes} minutes. Make a new one in the console, on the page of your account.`,
  );

export default defineHandsetOperation({
  name: "link_owner",
  title: "Link to an account",
  description:
    "Make this handset one of a person's own, by the code that the console made for that person: tests of their drafts are shown on it from then on, of channels that it follows. Ask first: whoever made the code decides what is shown. Channels and other members learn nothing of it.",
  auth: "device",
  writes: "rows",
  http: { method: "PUT", path: "/handset/v1/devices/me/owner", status: 200, maxBody: MAX_BODY.handset },
  limit: {
    name: "device-links",
    per: "address",
    max: LIMITS.takeovers,
    seconds: LIMITS.window_seconds,
    attempts: true,
  },
  errors: ["invalid_request", "unauthorized", "not_found", "rate_limited"],
  input: z.strictObject({ code: text(1, LIMITS.code) }),
  output: ownerView,
  async handler({ code }, ctx) {
    const { id: device_id, address } = ctx.caller;
    await ctx.countAgainstLimit(address);
    if (!looksLikeToken(OWN_DEVICE_PREFIX, code)) throw noSuchCode();
    const [taken] = await ctx.sql(takeOwnLink, { code_hash: hashToken(code) });
    if (!taken) throw noSuchCode();
    const [linked] = await ctx.sql(linkOwnDevice, { id: newUuid(), user_id: taken.user_id, device_id });
    if (!linked) throw unauthorized();
    return { name: taken.name };
  },
});
