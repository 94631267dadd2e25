import { z } from "zod";
import { parseId, showId } from "../../model/domain/ids.ts";
import { notFound } from "../../model/errors.ts";
import { ALERT } from "../../model/fields/alert.ts";
import { toIsoMicros } from "../../model/fields/columns.ts";
import { argumentsOf } from "../../model/fields/record.ts";
import { attachAssets } from "../../operation/alerts/attach.ts";
import { compose } from "../../operation/alerts/compose.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { equalSend } from "../../store/queries/alerts.ts";
import { scope } from "../../store/queries/channels.ts";

export default defineSessionOperation({
  name: "find_equal_send",
  title: "Find equal send",
  description:
    "The newest alert of a channel that was sent in the last minutes and reads as these fields do, so that a person is asked before it is sent twice.",
  auth: "member",
  role: "editor",
  writes: "nothing",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({
    pusher_id: z.string(),
    once: z.string().nullable().describe("The key of a form. What that form made is no second alert."),
    fields: z.strictObject(argumentsOf(ALERT)),
  }),
  output: z.object({ alert: z.object({ id: z.string(), sent_at: z.string() }).nullable() }),
  async handler({ pusher_id, once, fields: given }, ctx) {
    const pusherId = parseId("psh", pusher_id);
    if (!pusherId) throw notFound("channel");
    const { sent, text } = await attachAssets(given, null, ctx);
    const { fields } = compose(sent, null, text);
    const credential_id = ctx.caller.credential.id;
    const [found] = await ctx.sql(equalSend, {
      ...scope(pusherId, ctx.caller),
      credential_id,
      once,
      ...fields,
    });
    if (!found) throw notFound("channel");
    const { id, sent_at } = found;
    return { alert: id && sent_at ? { id: showId("alr", id), sent_at: toIsoMicros(sent_at) } : null };
  },
});
