import { z } from "zod";
import { parseId, showId } from "../../model/domain/ids.ts";
import { nameProblem } from "../../model/domain/one_line.ts";
import { Pusher } from "../../model/entities/pusher.ts";
import { notFound } from "../../model/errors.ts";
import { PROGRAM_NAMES } from "../../model/fields/programs.ts";
import { need } from "../../model/need.ts";
import { isScope } from "../../model/scopes.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { createKey } from "../operator/accounts.ts";

const DAY = 24 * 3600;

/** How long a key may be good for, in seconds; null does not end. */
export const KEY_LIVES: Record<string, { label: string; seconds: number | null }> = {
  "7d": { label: "7 days", seconds: 7 * DAY },
  "30d": { label: "30 days", seconds: 30 * DAY },
  "90d": { label: "90 days", seconds: 90 * DAY },
  "365d": { label: "1 year", seconds: 365 * DAY },
  never: { label: "Until you revoke it", seconds: null },
};

export default defineSessionOperation({
  name: "create_key",
  title: "Make a key",
  description:
    "Make a key that acts for the caller's own member and can do no more than it. The answer is the only time that it is shown.",
  auth: "member",
  role: "admin",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({
    name: z.string(),
    scopes: z.array(z.string()),
    pusher_id: z.string().nullable().describe("The one channel that the key sees; null: the member's."),
    life: z.string().describe("One of KEY_LIVES."),
    made_for: z.enum(PROGRAM_NAMES).nullable().default(null).describe("The program that will speak with it."),
    asks_first: z.boolean().default(false).describe("A person decides before it publishes."),
  }),
  output: z.object({ id: z.string(), name: z.string(), key: z.string() }),
  fieldProblems: ({ name, scopes, life }) => ({
    name: nameProblem(name, "The key's name"),
    life: !Object.hasOwn(KEY_LIVES, life) && "Choose how long the key works.",
    scopes: (scopes.length === 0 || !scopes.every(isScope)) && "Tick at least one thing that the key may do.",
  }),
  async handler({ name, scopes, pusher_id, life, asks_first, made_for }, { em, caller, now }) {
    if (pusher_id !== null) {
      const id = parseId("psh", pusher_id);
      if (!id || !(await em.findOne(Pusher, { id }))) throw notFound("channel");
    }
    const { seconds } = need(KEY_LIVES[life], "the form's problems were refused before");
    const wish = {
      member: showId("mem", caller.member.id),
      workspace: showId("wsp", caller.workspace.id),
      name,
      scopes: scopes.join(","),
      asks_first,
      made_for,
      ...(pusher_id === null ? {} : { pusher: pusher_id }),
      ...(seconds === null ? {} : { expires_in: seconds }),
    };
    return createKey(em, wish, now());
  },
});
