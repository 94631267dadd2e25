// A finding of `belfry doctor`, with its state and the action to take.

import { getErrorCode } from "../../model/connection_error_messages.ts";

/**
 * `wrong`: it must be fixed, and the command exits with 1. `skipped`: it could not be checked, or is not configured.
 */
export type FindingState = "ok" | "warning" | "wrong" | "skipped";

export interface HealthFinding {
  check: string;
  state: FindingState;
  says: string;
  /** The action to take, or null. */
  way_out: string | null;
}

/** A finding of this check, by its state. */
export const createFindingBuilder = (check: string) => {
  const withState =
    (state: FindingState) =>
    (says: string, way_out: string | null = null): HealthFinding => ({ check, state, says, way_out });
  return {
    ok: withState("ok"),
    warning: withState("warning"),
    wrong: withState("wrong"),
    skipped: withState("skipped"),
  };
};

/** Returns only the code of a system's error, because its text may quote private values. */
export function getErrorReason(error: unknown): string {
  return getErrorCode(error) ?? (error instanceof Error && error.name !== "Error" ? error.name : "no response");
}
