// The drafts of messages that other programs sent while they could not be published, for the adapters in
// src/api/ingest.

import type { Kysely } from "kysely";
import type { UnpublishedDraftStore, UnpublishedMessageDraft } from "../../api/ingest/delete_superseded_drafts.ts";
import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { getChannelScopeSqlParameters } from "../../operation/access_checks.ts";
import type { OwnerOperation } from "../../operation/define_operation.ts";
import type { Dispatcher } from "../../operation/dispatcher.ts";
import { runStatement } from "../../store/db/statement.ts";
import { readAlert } from "../../store/queries/alerts.ts";
import { filterDraftsCreatedByActor, findEqualUneditedDrafts } from "../../store/queries/equal_alerts.ts";

type StoredDraft = Pick<UnpublishedMessageDraft, "id" | "pusher_id" | "updated_at">;

/** `create` and `remove` are the operations create_alert and delete_alert. */
export function createUnpublishedDraftStore(
  db: Kysely<unknown>,
  dispatcher: Pick<Dispatcher, "findKeptAnswer" | "run">,
  create: OwnerOperation,
  remove: OwnerOperation,
): UnpublishedDraftStore {
  return {
    async find(caller, key) {
      const stored = (await dispatcher.findKeptAnswer(create, caller, key)) as StoredDraft | null;
      const id = stored && parseIdOrNull("alr", stored.id);
      const channel = stored && parseIdOrNull("psh", stored.pusher_id);
      if (!stored || !id || !channel) return null;
      const [alert] = await runStatement(db, readAlert, { ...getChannelScopeSqlParameters(channel, caller), id });
      if (!alert) return null;
      const isEdited = toIsoMicros(alert.updated_at) !== stored.updated_at;
      return { ...stored, status: alert.status, isEdited };
    },
    async findLike(caller, { pusher_id, title, collapse_key }) {
      const channel = parseIdOrNull("psh", pusher_id);
      if (!channel) return [];
      const most = LIMITS.saved_drafts;
      const drafts = (
        await runStatement(db, findEqualUneditedDrafts, { pusher_id: channel, title, collapse_key, most })
      ).map(({ id, updated_at }) => ({ id: formatId("alr", id), pusher_id, updated_at: toIsoMicros(updated_at) }));
      if (drafts.length === 0) return [];
      const subjects = drafts.map(({ id }) => id);
      const made = await runStatement(db, filterDraftsCreatedByActor, { subjects, actor_id: caller.credential.id });
      const own = new Set(made.map(({ subject_id }) => subject_id));
      return drafts.filter(({ id }) => own.has(id)).map((draft) => ({ ...draft, status: "draft", isEdited: false }));
    },
    async remove(caller, { id, pusher_id, updated_at }, log) {
      const args = { pusher_id, alert_id: id, expected_updated_at: updated_at };
      await dispatcher.run(remove, caller, { args, log });
    },
  };
}
