// The audit log of sign-in and account actions, in each workspace of the account, because their owners trust it. It
// contains no typed text and no network address. Failed attempts come from strangers, who must not fill the log. So for
// one account and kind, the 1st, 10th, 100th … attempt within a time writes a line with their number.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Kysely } from "kysely";
import { formatIdOrNull } from "../../model/domain/type_ids.ts";
import { LIMITS } from "../../model/limits.ts";
import {
  type AuditActor,
  createAuditLinePerActor,
  createUnnamedPersonActor,
  findPersonActorPerWorkspace,
  writeAuditAndEvents,
} from "../../operation/audit_lines.ts";
import { runStatement } from "../../store/db/statement.ts";
import type { Log } from "../../store/handler_context.ts";
import { findAccountOfSignInAttempt } from "../../store/queries/members_and_one_time_links.ts";
import type { RateLimiter, RateLimitPolicy } from "../../store/rate_limits/rate_limits.ts";

/** The acts by their names in the log. */
export type AccountAction =
  | "sign_in"
  | "sign_in_second_factor"
  | "sign_in_passkey"
  | "sign_in_oidc"
  | "join_oidc"
  | "connect_oidc"
  | "sign_out"
  | "ask_password_link"
  | "follow_link"
  | "claim_account"
  | "join_workspace"
  | "reset_password"
  | "reuse_refresh_token";

/** The account of an attempt, by one of these. */
type Tried = { email: string } | { credential_id: string };

/** It only counts, and refuses no call. */
const FAILED: RateLimitPolicy = {
  name: "failed-runs",
  max: 1_000_000,
  seconds: LIMITS.failed_runs_minutes * 60,
  countsLocally: true,
};
type Db = SqlEntityManager | Kysely<unknown>;

const isTold = (count: number) => /^10*$/.test(String(count));

/** An actor who did not prove to be the member. */
const unknown = (actor: AuditActor): AuditActor => ({ ...actor, actor_id: null, actor_name: null });

export type AccountAudit = ReturnType<typeof createAccountAudit>;

export function createAccountAudit({
  database,
  limits,
  log,
}: {
  database: Kysely<unknown>;
  limits: RateLimiter;
  log: Log;
}) {
  const actorsOf = async (db: Db, userId: string) =>
    [await findPersonActorPerWorkspace(db, userId, "console")].flat().filter((actor) => actor.workspace_id !== null);

  /** Lines about an unknown actor for the members of an account. */
  const linesOf = (act: AccountAction, actors: readonly AuditActor[], status: string | null, count: number | null) =>
    actors.flatMap((actor) =>
      createAuditLinePerActor(
        unknown(actor),
        act,
        { member_id: formatIdOrNull("mem", actor.member_id) },
        { status },
      ).map((line) => ({ ...line, count })),
    );

  const account = async (tried: Tried): Promise<string | null> => {
    const named = { email: null, credential_id: null, ...tried };
    return (await runStatement(database, findAccountOfSignInAttempt, named))[0]?.id ?? null;
  };

  /** It runs in the background, so a response takes equally long for an unknown address. */
  async function countFailed(act: AccountAction, subject: string, actors: () => Promise<readonly AuditActor[]>) {
    const { limit, remaining } = await limits.take(FAILED, `${act} ${subject}`);
    const count = limit - remaining;
    if (isTold(count)) await writeAuditAndEvents(database, linesOf(act, await actors(), "failed", count), []);
  }
  const beside = (work: Promise<unknown>) =>
    void work.catch((error) => log.error({ err: error }, "a failed attempt could not be recorded"));

  return {
    /**
     * The person of an account did it; last in the transaction of `db`, or after it where the library wrote the rows.
     * With `workspaceId` it concerns that one alone.
     */
    async done(
      act: AccountAction,
      userId: string,
      { db = database, workspaceId }: { db?: Db; workspaceId?: string } = {},
    ): Promise<void> {
      const actors = (await actorsOf(db, userId)).filter(
        (actor) => workspaceId === undefined || actor.workspace_id === workspaceId,
      );
      if (actors.length > 0) await writeAuditAndEvents(db, createAuditLinePerActor(actors, act, {}, {}), []);
    },

    /** The same where the account is known by what was shown. */
    async doneBy(act: AccountAction, shown: Tried): Promise<void> {
      const userId = await account(shown);
      if (userId !== null) await this.done(act, userId);
    },

    /** Records a request, which may not come from the person; the last step in the transaction of `db`. */
    async asked(act: AccountAction, userId: string, db: Db): Promise<void> {
      await writeAuditAndEvents(db, linesOf(act, await actorsOf(db, userId), null, null), []);
    },

    /** Records a failed attempt on an account; nothing without an account. */
    failed(act: AccountAction, tried: Tried): void {
      const subject = Object.values(tried).join();
      const actors = async () => {
        const userId = await account(tried);
        return userId === null ? [] : actorsOf(database, userId);
      };
      beside(countFailed(act, subject, actors));
    },

    /** A link that works no longer; the member that it was for may have no account. Ids are the rows'. */
    failedLink({ workspace_id, member_id }: { workspace_id: string; member_id: string }): void {
      const actor = { ...createUnnamedPersonActor("console"), workspace_id, member_id };
      beside(countFailed("follow_link", member_id, async () => [actor]));
    },
  };
}
