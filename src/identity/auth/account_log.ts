// What the audit log is told of the ways into an account: in each workspace that the account is a member of, since their
// owners trust it. Nothing that was typed, and no network address. Whoever fails is a stranger, and cannot fill the log: of
// one account and kind the 1st, 10th, 100th … failed run within a time leaves a line, which says how many there were.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Kysely } from "kysely";
import { showIdOrNull } from "../../model/domain/ids.ts";
import { LIMITS } from "../../model/limits.ts";
import { type Actor, auditLines, personActor, personActors, writeEnd } from "../../operation/audit.ts";
import type { Log } from "../../store/context.ts";
import { run } from "../../store/db/statement.ts";
import { accountTried } from "../../store/queries/people.ts";
import type { Policy, RateLimits } from "../../store/rate_limits/limits.ts";

/** The acts by their names in the log, and what pages call them. */
export const ACCOUNT_ACTS = {
  sign_in: "Sign in",
  sign_in_second_factor: "Sign in with a second factor",
  sign_in_passkey: "Sign in with a passkey",
  sign_out: "Sign out",
  ask_password_link: "Request a password reset",
  follow_link: "Use a one-time link",
  claim_account: "Create an account with a link",
  join_workspace: "Join the workspace with a link",
  reset_password: "Set a new password with a link",
  reuse_refresh_token: "Reuse a refresh token within one minute",
} as const;

/** The title and the badge on pages of an act with the status failed, where "failed" does not say enough. */
export const FAILED_ACTS: Readonly<Record<string, readonly [title: string, badge: string]>> = {
  reuse_refresh_token: ["Disconnect an assistant: old refresh token reused", "possible theft"],
};

export type AccountAct = keyof typeof ACCOUNT_ACTS;

/** How an account is named by who tries it; one of them. */
type Tried = { email: string } | { credential_id: string };

/** It counts and refuses nobody. */
const FAILED: Policy = {
  name: "failed-runs",
  max: 1_000_000,
  seconds: LIMITS.failed_runs_minutes * 60,
  keptAlone: true,
};
type Db = SqlEntityManager | Kysely<unknown>;

const isTold = (count: number) => /^10*$/.test(String(count));

/** Somebody, who showed nothing of being the member that the account is. */
const unknown = (actor: Actor): Actor => ({ ...actor, actor_id: null, actor_name: null });

export type AccountLog = ReturnType<typeof createAccountLog>;

export function createAccountLog({
  database,
  limits,
  log,
}: {
  database: Kysely<unknown>;
  limits: RateLimits;
  log: Log;
}) {
  const actorsOf = async (db: Db, userId: string) =>
    [await personActors(db, userId, "console")].flat().filter((actor) => actor.workspace_id !== null);

  /** Of somebody who is not known, about the members that an account is. */
  const linesOf = (act: AccountAct, actors: readonly Actor[], status: string | null, count: number | null) =>
    actors.flatMap((actor) =>
      auditLines(unknown(actor), act, { member_id: showIdOrNull("mem", actor.member_id) }, { status }).map((line) => ({
        ...line,
        count,
      })),
    );

  const account = async (tried: Tried): Promise<string | null> => {
    const named = { email: null, credential_id: null, ...tried };
    return (await run(database, accountTried, named))[0]?.id ?? null;
  };

  /** Nobody waits for it, so an answer takes as long for an address that is unknown. */
  async function countFailed(act: AccountAct, subject: string, actors: () => Promise<readonly Actor[]>) {
    const { limit, remaining } = await limits.take(FAILED, `${act} ${subject}`);
    const count = limit - remaining;
    if (isTold(count)) await writeEnd(database, linesOf(act, await actors(), "failed", count), []);
  }
  const beside = (work: Promise<unknown>) =>
    void work.catch((error) => log.error({ err: error }, "a failed attempt could not be recorded"));

  return {
    /**
     * The person of an account did it; last in the transaction of `db`, or after it where the library wrote the rows. With
     * `workspaceId` it concerns that one alone.
     */
    async done(
      act: AccountAct,
      userId: string,
      { db = database, workspaceId }: { db?: Db; workspaceId?: string } = {},
    ): Promise<void> {
      const actors = (await actorsOf(db, userId)).filter(
        (actor) => workspaceId === undefined || actor.workspace_id === workspaceId,
      );
      if (actors.length > 0) await writeEnd(db, auditLines(actors, act, {}, {}), []);
    },

    /** The same where the account is known by what was shown. */
    async doneBy(act: AccountAct, shown: Tried): Promise<void> {
      const userId = await account(shown);
      if (userId !== null) await this.done(act, userId);
    },

    /** Somebody asked for it, who need not be the person; last in the transaction of `db`. */
    async asked(act: AccountAct, userId: string, db: Db): Promise<void> {
      await writeEnd(db, linesOf(act, await actorsOf(db, userId), null, null), []);
    },

    /** A failed run on an account; where there is none, nothing is written. */
    failed(act: AccountAct, tried: Tried): void {
      const subject = Object.values(tried).join();
      const actors = async () => {
        const userId = await account(tried);
        return userId === null ? [] : actorsOf(database, userId);
      };
      beside(countFailed(act, subject, actors));
    },

    /** A link that works no longer; the member that it was for may have no account. Ids are the rows'. */
    failedLink({ workspace_id, member_id }: { workspace_id: string; member_id: string }): void {
      const actor = { ...personActor("console"), workspace_id, member_id };
      beside(countFailed("follow_link", member_id, async () => [actor]));
    },
  };
}
