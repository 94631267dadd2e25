// The operator's operations for the command line. This file only parses the arguments;
// workspaces_members_and_keys.ts has the logic.

import { randomUUID } from "node:crypto";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { z } from "zod";
import { conflict } from "../../model/api_error.ts";
import { formatId } from "../../model/domain/type_ids.ts";
import { Workspace } from "../../model/tables/member.ts";
import { createValidationError } from "../../operation/validation_errors.ts";
import { runStatement } from "../../store/db/statement.ts";
import { renewDatabaseEpoch } from "../../store/queries/database_epoch.ts";
import { deleteSecondFactor } from "../../store/queries/members_and_one_time_links.ts";
import { createMemberLink } from "../auth/one_time_links.ts";
import { checkDatabaseConsistency } from "./consistency_checks.ts";
import { writeOperatorAudit } from "./operator_audit.ts";
import { rotateServerSecret } from "./rotate_secret.ts";
import {
  addWorkspaceMember,
  createEmptyWorkspace,
  createKey,
  findMemberOrFirstOwner,
  listKeys,
  listMembers,
  listWorkspaces,
  revokeKey,
  setChannelSuspended,
} from "./workspaces_members_and_keys.ts";

interface OperatorRequest {
  operation: OperatorOperationName;
  args: Record<string, unknown>;
}

type Em = SqlEntityManager;
type Run = (em: Em, args: unknown, now: Date) => Promise<unknown>;

function operation<S extends z.ZodObject>(
  input: S,
  run: (em: Em, args: z.output<S>, now: Date) => Promise<unknown>,
): Run {
  return async (em, args, now) => {
    const result = input.safeParse(args, { reportInput: true });
    if (!result.success) throw createValidationError(result.error, input);
    return run(em, result.data, now);
  };
}

/** The same, written down in the audit log: in one transaction, or in that of the server that runs it. */
function audited<S extends z.ZodObject>(
  name: string,
  input: S,
  run: (em: Em, args: z.output<S>, now: Date) => Promise<unknown>,
): Run {
  return operation(input, (em, args, now) =>
    em.transactional(async (inside) => {
      const result = await run(inside as Em, args, now);
      await writeOperatorAudit(inside as Em, name, result);
      return result;
    }),
  );
}

const within = z.strictObject({ workspace: z.string().optional() });
const channel = z.strictObject({ handle: z.string() });

const OPERATOR_OPERATIONS = {
  doctor: operation(z.strictObject({ repair: z.boolean().optional() }), checkDatabaseConsistency),
  rotate_secret: audited("rotate_secret", z.strictObject({ from: z.string(), to: z.string() }), rotateServerSecret),
  database_promoted: operation(z.strictObject({}), async (em) => {
    await runStatement(em, renewDatabaseEpoch, { epoch: randomUUID() });
    return { inboxes: "reloaded" };
  }),
  create_workspace: audited("create_workspace", z.strictObject({ name: z.string() }), createEmptyWorkspace),
  list_workspaces: operation(z.strictObject({}), listWorkspaces),
  add_member: audited(
    "add_member",
    z.strictObject({
      workspace: z.string().optional(),
      email: z.string(),
      role: z.string(),
      pushers: z.array(z.string()).optional(),
    }),
    addWorkspaceMember,
  ),
  list_members: operation(within, listMembers),
  /** Returns the path of a one-time link; the caller knows the service's URL and if e-mail is sent. */
  link_member: audited(
    "link_member",
    within.extend({ member: z.string().optional(), email: z.string().optional() }),
    async (em, which) => {
      const member = await findMemberOrFirstOwner(em, which);
      const workspace = await em.findOneOrFail(Workspace, { id: member.workspace.id });
      return {
        member_id: formatId("mem", member.id),
        email: member.email,
        workspace_name: workspace.name,
        joined: member.user_id != null,
        path: await createMemberLink(em, "", member.id, "operator"),
      };
    },
  ),
  end_second_factor: audited(
    "end_second_factor",
    within.extend({ member: z.string().optional(), email: z.string().optional() }),
    async (em, which) => {
      const member = await findMemberOrFirstOwner(em, which);
      const [ended] =
        member.user_id == null ? [] : await runStatement(em, deleteSecondFactor, { user_id: member.user_id });
      if (!ended) throw conflict("wrong_state", "Two-factor authentication is already off for this person.");
      return { member_id: formatId("mem", member.id), email: member.email, second_factor: false };
    },
  ),
  create_key: audited(
    "create_key",
    z.strictObject({
      workspace: z.string().optional(),
      member: z.string().optional(),
      scopes: z.string(),
      pusher: z.string().optional(),
      expires_in: z.int().positive().optional(),
      requires_approval: z.boolean().optional(),
      name: z.string().optional(),
    }),
    createKey,
  ),
  list_keys: operation(within, listKeys),
  revoke_key: audited(
    "revoke_key",
    z.strictObject({ key: z.string(), end_webhooks: z.boolean().optional() }),
    revokeKey,
  ),
  suspend_channel: audited("suspend_channel", channel, (em, { handle }) => setChannelSuspended(em, handle, true)),
  restore_channel: audited("restore_channel", channel, (em, { handle }) => setChannelSuspended(em, handle, false)),
} satisfies Record<string, Run>;

export type OperatorOperationName = keyof typeof OPERATOR_OPERATIONS;

/**
 * Runs an operation.
 * @throws ApiError, or the error of the database
 */
export async function runOperatorOperation(em: Em, { operation, args }: OperatorRequest, now: Date): Promise<unknown> {
  return OPERATOR_OPERATIONS[operation](em, args, now);
}
