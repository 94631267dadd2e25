// The operator's actions in the audit log of their workspace.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { type IdKind, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { nullable, uuid } from "../../model/fields/sql_statement_types.ts";
import { createAuditLinePerActor, createOperatorActor, writeAudit } from "../../operation/audit_lines.ts";
import { createStatementDefiner, runStatement } from "../../store/db/statement.ts";
import { insertAdditionalAuditRecord } from "../../store/queries/audit_and_events.ts";

const defineStatement = createStatementDefiner("upkeep");

/** The workspace of a member, a key or a channel. */
const workspaceOfThing = defineStatement.reading("workspace_of_thing", {
  parameters: { member: nullable(uuid), key: nullable(uuid), pusher: nullable(uuid) },
  columns: { id: uuid },
  text: `select workspace_id as id from member
      where id = coalesce($member::uuid, (select member_id from api_key where id = $key::uuid))
    union all select workspace_id from pusher where id = $pusher::uuid`,
});

/** Writes the call down in the manager's transaction. `result` is what the operator is shown. */
export async function writeOperatorAudit(em: SqlEntityManager, name: string, result: unknown): Promise<void> {
  const shown = (result ?? {}) as Record<string, unknown>;
  const uuidOf = (kind: IdKind, id: unknown) => parseIdOrNull(kind, String(id));
  const named = uuidOf("wsp", shown.workspace_id) ?? uuidOf("wsp", shown.id);
  const [found] = named
    ? [{ id: named }]
    : await runStatement(em, workspaceOfThing, {
        member: uuidOf("mem", shown.member_id) ?? uuidOf("mem", shown.id),
        key: uuidOf("key", shown.id),
        pusher: uuidOf("psh", shown.id),
      });
  await writeAudit(em, createOperatorActor(found?.id ?? null), name, { member_id: shown.member_id }, result);
}

/** Records an import into a workspace, with its id on the wire. */
export async function writeImportAudit(
  em: SqlEntityManager,
  name: string,
  workspaceId: string,
  id: string,
): Promise<void> {
  for (const line of createAuditLinePerActor(createOperatorActor(workspaceId), name, {}, { id }))
    await runStatement(em, insertAdditionalAuditRecord, line);
}
