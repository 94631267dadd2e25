// What an operator may ask for by name, as the server's socket and the command line both run it. Only reads the arguments
// and hands them on; what the operations mean stands in accounts.ts.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { z } from "zod";
import { newLink } from "../auth/links.ts";
import { showId } from "../domain/ids.ts";
import { Workspace } from "../entities/workspace.ts";
import { invalidRequest } from "../errors.ts";
import { invalidInput } from "../problems.ts";
import {
  addMember,
  createKey,
  createWorkspace,
  listKeys,
  listMembers,
  listWorkspaces,
  memberOf,
  revokeKey,
  setSuspended,
} from "./accounts.ts";
import { doctor } from "./doctor.ts";
import { rotateSecret } from "./rotate_secret.ts";

export interface OperatorRequest {
  operation: OperatorOperation;
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
    if (!result.success) throw invalidInput(result.error, input);
    return run(em, result.data, now);
  };
}

const within = z.strictObject({ workspace: z.string().optional() });
const channel = z.strictObject({ handle: z.string() });

export const OPERATOR_OPERATIONS = {
  /** The server brings its database up before it opens the socket, so nothing is ever left to do. */
  migrate: operation(z.strictObject({}), async () => ({ migrations: [] })),
  doctor: operation(z.strictObject({ mend: z.boolean().optional() }), doctor),
  rotate_secret: operation(z.strictObject({ from: z.string(), to: z.string() }), (em, args) =>
    em.transactional((inside) => rotateSecret(inside as Em, args)),
  ),
  create_workspace: operation(z.strictObject({ name: z.string() }), createWorkspace),
  list_workspaces: operation(z.strictObject({}), listWorkspaces),
  add_member: operation(
    z.strictObject({
      workspace: z.string().optional(),
      email: z.string(),
      role: z.string(),
      pushers: z.array(z.string()).optional(),
    }),
    addMember,
  ),
  list_members: operation(within, listMembers),
  /** The path of a one-time link; who asks knows under which address the service is reached, and whether mail is sent. */
  link_member: operation(
    within.extend({ member: z.string().optional(), email: z.string().optional() }),
    async (em, which) => {
      const member = await memberOf(em, which);
      const workspace = await em.findOneOrFail(Workspace, { id: member.workspace.id });
      return {
        member_id: showId("mem", member.id),
        email: member.email,
        workspace_name: workspace.name,
        joined: member.user_id != null,
        path: await newLink(em, "", member.id, "operator"),
      };
    },
  ),
  create_key: operation(
    z.strictObject({
      workspace: z.string().optional(),
      member: z.string().optional(),
      scopes: z.string(),
      pusher: z.string().optional(),
      expires_in: z.int().positive().optional(),
      name: z.string().optional(),
    }),
    createKey,
  ),
  list_keys: operation(within, listKeys),
  revoke_key: operation(z.strictObject({ key: z.string() }), (em, { key }) => revokeKey(em, key)),
  suspend_channel: operation(channel, (em, { handle }) => setSuspended(em, handle, true)),
  restore_channel: operation(channel, (em, { handle }) => setSuspended(em, handle, false)),
} satisfies Record<string, Run>;

export type OperatorOperation = keyof typeof OPERATOR_OPERATIONS;

/** True for a name in the table. */
export function isOperatorOperation(name: unknown): name is OperatorOperation {
  return typeof name === "string" && Object.hasOwn(OPERATOR_OPERATIONS, name);
}

/** Runs one of them. @throws ApiError, or what the database said. */
export async function runOperation(
  em: Em,
  { operation, args }: { operation?: unknown; args?: unknown },
  now: Date,
): Promise<unknown> {
  if (!isOperatorOperation(operation))
    throw invalidRequest(
      "The server does not know this operation; it is of another version than the command.",
    );
  return OPERATOR_OPERATIONS[operation](em, args, now);
}
