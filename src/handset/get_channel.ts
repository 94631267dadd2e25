import { z } from "zod";
import { notFound } from "../model/errors.ts";
import { text } from "../model/fields/accepts.ts";
import { LIMITS } from "../model/limits.ts";
import { defineHandsetOperation } from "../operation/tool.ts";
import { channelCard } from "../store/queries/handset.ts";
import { pathId } from "../store/shapes/fields.ts";
import { cardView, showCard } from "./shapes.ts";

export default defineHandsetOperation({
  name: "get_channel",
  title: "Channel card",
  description: "Show a channel's card. A private one answers 404 without a usable invite or a subscription.",
  auth: "device",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/channels/{handle}", status: 200 },
  errors: ["invalid_request", "unauthorized", "not_found"],
  input: z.strictObject({ handle: pathId("The channel's handle."), invite: text(1, LIMITS.code).optional() }),
  output: cardView,
  async handler({ handle, invite }, ctx) {
    const [card] = await ctx.sql(channelCard, { device_id: ctx.caller.id, handle, code: invite ?? null });
    if (!card) throw notFound("channel");
    return showCard(card, ctx.services.publicBase);
  },
});
