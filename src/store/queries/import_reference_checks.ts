// Checks of the references of imported rows: none may refer to another workspace.

import { int, jsonb } from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner } from "../db/statement.ts";

const defineStatement = createStatementDefiner("upkeep");

export interface ImportedRowReference {
  /** The position of the row in the input. */
  at: number;
  /** The kind of row that it refers to; the three kinds of files count as kinds of their own. */
  what: "member" | "channel" | "invite" | "alert" | "image" | "audio" | "html";
  id: string;
  /** The row by which its workspace is known. */
  of: "workspace" | "member" | "channel";
  owner: string;
  /** The reference must exist. Otherwise its target may be deleted, like a key's channel. */
  must: boolean;
}

/** Returns the references to a row of another workspace, or to a missing row that must exist. */
export const findInvalidImportReferences = defineStatement.reading("foreign_references", {
  parameters: { references: jsonb<readonly ImportedRowReference[]>() },
  columns: { at: int },
  text: `select r.at
    from jsonb_to_recordset($references) as r(at int, what text, id uuid, "of" text, owner uuid, must boolean)
      cross join lateral (select case r."of"
        when 'workspace' then r.owner
        when 'member' then (select m.workspace_id from member m where m.id = r.owner)
        else (select p.workspace_id from pusher p where p.id = r.owner) end as workspace) o
      cross join lateral (select case r.what
        when 'member' then (select m.workspace_id from member m where m.id = r.id)
        when 'channel' then (select p.workspace_id from pusher p where p.id = r.id)
        when 'invite' then (select p.workspace_id from invite i join pusher p on p.id = i.pusher_id where i.id = r.id)
        when 'alert' then (select p.workspace_id from alert a join pusher p on p.id = a.pusher_id where a.id = r.id)
        else (select f.workspace_id from asset f where f.id = r.id and f.kind = r.what) end as workspace) f
    where f.workspace is distinct from o.workspace and (r.must or f.workspace is not null)
    order by r.at limit 1`,
});
