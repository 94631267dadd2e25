import { randomBytes } from "node:crypto";
import { LockMode } from "@mikro-orm/core";
import { z } from "zod";
import { defaultGradient, deriveInitials } from "../../model/domain/avatar.ts";
import { newUuid, showId } from "../../model/domain/ids.ts";
import { Invite } from "../../model/entities/invite.ts";
import { Pusher } from "../../model/entities/pusher.ts";
import { Workspace } from "../../model/entities/workspace.ts";
import { forbidden } from "../../model/errors.ts";
import { INVITE } from "../../model/fields/invite.ts";
import { PUSHER } from "../../model/fields/pusher.ts";
import { blanksOf } from "../../model/fields/record.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { searchText } from "../../store/shapes/pusher.ts";

export default defineSessionOperation({
  name: "open_reviews",
  title: "Hear of drafts that wait",
  description:
    "Open the workspace's private channel that tells of drafts which wait for a review, with an invite for the phones that shall hear it. Where there is one, that one is the answer.",
  auth: "member",
  role: "admin",
  writes: "rows",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({}),
  output: z.object({ id: z.string() }),
  async handler(_input, { em, caller }) {
    if (caller.pusherIds !== null) throw forbidden("Who sees certain channels only cannot open others.");
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    const workspace = await em.findOneOrFail(Workspace, { id: caller.workspace.id }, lock);
    const { reviews_id } = workspace;
    if (reviews_id && (await em.findOne(Pusher, { id: reviews_id })))
      return { id: showId("psh", reviews_id) };
    const handle = `reviews-${randomBytes(5).toString("hex")}`;
    const { from, to } = defaultGradient(handle);
    const named = { name: "Reviews", tags: [] as string[] };
    const channel = em.create(Pusher, {
      id: newUuid(),
      workspace: workspace.id,
      ...blanksOf(PUSHER),
      ...named,
      handle,
      category: "ai",
      description: `Drafts of ${workspace.name} that wait for somebody to decide.`,
      requested_perms: ["notify", "sound", "vibrate"],
      is_public: false,
      search: searchText(named),
      gradient_from: from,
      gradient_to: to,
      initials: deriveInitials(named.name),
    });
    em.create(Invite, {
      id: newUuid(),
      pusher: channel.id,
      ...blanksOf(INVITE),
      code: randomBytes(24).toString("base64url"),
      label: "Phones of whoever decides",
    });
    workspace.reviews_id = channel.id;
    await em.flush();
    return { id: showId("psh", channel.id) };
  },
});
