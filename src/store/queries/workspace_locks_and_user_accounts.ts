// SQL for workspaces: the lock on one, and a person's own workspaces: the effect of leaving each, creating one, and
// leaving.

import { sqlIsPlanned } from "../../model/domain/alert_transitions.ts";
import { boolean, int, nullable, text, textEnum, timestamptz, uuid } from "../../model/fields/sql_statement_types.ts";
import { ROLES } from "../../model/tables/member.ts";
import { createStatementDefiner } from "../db/statement.ts";

const defineStatement = createStatementDefiner("library");
const defineLock = createStatementDefiner("locks");
const defineList = createStatementDefiner("lists");
const defineUpkeep = createStatementDefiner("upkeep");

/** Locks a workspace until the end of the transaction, so limited rows are counted and inserted one after another. */
export const lockWorkspace = defineLock("lock_workspace", {
  parameters: { id: uuid },
  columns: { id: uuid },
  text: "select id from workspace where id = $id for no key update",
});

/** Each waits for its turn; always in the same order, so that no two wait for each other. */
export const lockWorkspacesOfUser = defineLock("lock_workspaces_of_user", {
  parameters: { user_id: text },
  columns: { id: uuid },
  text: `select id from workspace where id in (select workspace_id from member where user_id = $user_id)
    order by id for no key update`,
});

/** `workspace_id` null: all of them, the oldest membership first. */
export const listWorkspacesOfUser = defineList.reading("list_workspaces_of_user", {
  parameters: { user_id: text, workspace_id: nullable(uuid) },
  columns: {
    id: uuid,
    member_id: uuid,
    name: text,
    role: textEnum(ROLES),
    last_owner: boolean,
    others: int,
    channels: int,
    files: int,
    /** Alerts that are scheduled and appear all the same. */
    planned: int,
    wants_draft_emails: boolean,
    created_at: timestamptz,
  },
  text: `select w.id, m.id as member_id, w.name, m.role, m.wants_draft_emails, m.created_at,
      m.role = 'owner' and not exists (select 1 from member o
        where o.workspace_id = w.id and o.role = 'owner' and o.id <> m.id) as last_owner,
      (select count(*)::int from member o where o.workspace_id = w.id and o.id <> m.id) as others,
      (select count(*)::int from pusher p where p.workspace_id = w.id) as channels,
      (select count(*)::int from asset a where a.workspace_id = w.id) as files,
      (select count(*)::int from alert a join pusher p on p.id = a.pusher_id
        where p.workspace_id = w.id and ${sqlIsPlanned("a")}) as planned
    from member m join workspace w on w.id = m.workspace_id
    where m.user_id = $user_id and ($workspace_id::uuid is null or w.id = $workspace_id)
    order by m.created_at`,
});

/** All channels of a workspace, each locked as by `lockChannel`, always in the same order. */
export const lockWorkspaceChannels = defineLock("lock_workspace_channels", {
  parameters: { workspace_id: uuid },
  columns: { pusher_id: uuid },
  text: `select c.pusher_id from channel_state c join pusher p on p.id = c.pusher_id
    where p.workspace_id = $workspace_id order by c.pusher_id for update of c`,
});

/** Those that were active. A suspended channel stays so. */
export const pauseWorkspaceChannels = defineUpkeep("pause_workspace_channels", {
  parameters: { workspace_id: uuid, at: timestamptz },
  columns: { id: uuid },
  text: `update pusher set status = 'paused', updated_at = $at
    where workspace_id = $workspace_id and status = 'active' returning id`,
});

/** The name and address of a person in a workspace. */
export const readAccount = defineStatement.reading("read_account", {
  parameters: { user_id: text },
  columns: { email: text, name: text },
  text: `select email, name from auth."user" where id = $user_id`,
});

/** Renames the person in the account and in each workspace. */
export const renameUserInAllWorkspaces = defineStatement("rename_person", {
  parameters: { user_id: text, name: text },
  text: `with account as (update auth."user" set name = $name, "updatedAt" = now() where id = $user_id)
    update member set name = $name where user_id = $user_id`,
});

/** Also deletes sessions, passkeys, the second factor, test devices and credentials of assistants. */
export const removeAccount = defineStatement("remove_account", {
  parameters: { user_id: text },
  text: `with own as (delete from test_device where user_id = $user_id) delete from auth."user" where id = $user_id`,
});
