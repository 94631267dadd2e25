// The drafts of messages that other programs sent while they could not be published, for the adapters in src/api/ingest.

import type { Kysely } from "kysely";
import type { SavedDraft, SavedDrafts } from "../../api/ingest/saved_drafts.ts";
import { parseId, showId } from "../../model/domain/ids.ts";
import { toIsoMicros } from "../../model/fields/columns.ts";
import { LIMITS } from "../../model/limits.ts";
import type { Dispatcher } from "../../operation/dispatch.ts";
import type { Tool } from "../../operation/tool.ts";
import { run } from "../../store/db/statement.ts";
import { readAlert } from "../../store/queries/alerts.ts";
import { scope } from "../../store/queries/channels.ts";
import { draftedBy, uneditedDrafts } from "../../store/queries/repeats.ts";

type Kept = Pick<SavedDraft, "id" | "pusher_id" | "updated_at">;

/** `create` and `remove` are the operations create_alert and delete_alert. */
export function createSavedDrafts(
  db: Kysely<unknown>,
  dispatcher: Pick<Dispatcher, "keptAnswer" | "tool">,
  create: Tool,
  remove: Tool,
): SavedDrafts {
  return {
    async find(caller, key) {
      const kept = (await dispatcher.keptAnswer(create, caller, key)) as Kept | null;
      const id = kept && parseId("alr", kept.id);
      const channel = kept && parseId("psh", kept.pusher_id);
      if (!kept || !id || !channel) return null;
      const [alert] = await run(db, readAlert, { ...scope(channel, caller), id });
      if (!alert) return null;
      const isEdited = toIsoMicros(alert.updated_at) !== kept.updated_at;
      return { ...kept, status: alert.status, isEdited };
    },
    async findLike(caller, { pusher_id, title, collapse_key }) {
      const channel = parseId("psh", pusher_id);
      if (!channel) return [];
      const most = LIMITS.saved_drafts;
      const drafts = (await run(db, uneditedDrafts, { pusher_id: channel, title, collapse_key, most })).map(
        ({ id, updated_at }) => ({ id: showId("alr", id), pusher_id, updated_at: toIsoMicros(updated_at) }),
      );
      if (drafts.length === 0) return [];
      const subjects = drafts.map(({ id }) => id);
      const made = await run(db, draftedBy, { subjects, actor_id: caller.credential.id });
      const own = new Set(made.map(({ subject_id }) => subject_id));
      return drafts.filter(({ id }) => own.has(id)).map((draft) => ({ ...draft, status: "draft", isEdited: false }));
    },
    async remove(caller, { id, pusher_id, updated_at }, log) {
      const args = { pusher_id, alert_id: id, expected_updated_at: updated_at };
      await dispatcher.tool(remove, caller, { args, log });
    },
  };
}
