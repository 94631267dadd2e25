import { z } from "zod";
import { defineHandsetOperation } from "../operation/tool.ts";
import { limit } from "../store/shapes/fields.ts";
import { view } from "./inbox_page.ts";

export default defineHandsetOperation({
  name: "follow_inbox",
  title: "Follow the inbox",
  description:
    "Server-sent events that tell what changes in the inbox: `alert` with a card, `removed` with ids, `look` for poll now, `ended` with a reason. Open it with the ETag of the last poll as Last-Event-ID, and with the same limit and view; the id of an event is the ETag that the handset then holds. Nothing depends on it: after any gap the handset polls.",
  writes: "nothing",
  streams: true,
  http: { method: "GET", path: "/handset/v1/inbox/stream", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({ limit: limit(), view }),
  output: z.string(),
  // What follows is told on the connection (see program/boot/polls.ts); where none can stay, this is all.
  handler: async () => "event: look\ndata: {}\n\n",
});
