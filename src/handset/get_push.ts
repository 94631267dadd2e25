import { z } from "zod";
import { PUSH_KINDS, PushEndpoint } from "../model/entities/handset.ts";
import { defineHandsetOperation } from "../operation/tool.ts";

export default defineHandsetOperation({
  name: "get_push",
  title: "Wake-ups",
  description:
    "Whether this server wakes handsets whose app is closed, the key to subscribe with at a push service (applicationServerKey of Web Push), and by which kind of push service this handset is woken: null for none. The address itself is never shown.",
  auth: "device",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/push", status: 200 },
  errors: ["unauthorized"],
  input: z.strictObject({}),
  output: z.object({
    enabled: z.boolean(),
    public_key: z.string().nullable(),
    kind: z.enum(PUSH_KINDS).nullable(),
  }),
  async handler(_, ctx) {
    const { publicKey } = ctx.services.push;
    const own = await ctx.em.findOne(PushEndpoint, { device: ctx.caller.id }, { fields: ["kind"] });
    return { enabled: publicKey !== null, public_key: publicKey, kind: own?.kind ?? null };
  },
});
