// What a check of `belfry doctor` finds, and how it is said.

import type { Diagnosis } from "./doctor.ts";

/** `wrong`: it must be mended, and the command ends with 1. `skipped`: it could not be looked at, or is not set. */
export type State = "ok" | "warning" | "wrong" | "skipped";

export interface Finding {
  check: string;
  state: State;
  says: string;
  /** What to do; null where nothing needs to be done. */
  way_out: string | null;
}

export interface Checkup {
  findings: Finding[];
  /** Counters that were counted again, as ever. */
  checks: Diagnosis["checks"];
}

export const finding = (
  check: string,
  state: State,
  says: string,
  way_out: string | null = null,
): Finding => ({
  check,
  state,
  says,
  way_out,
});

/** Only the code of what a system said, since its words may quote what nobody should read here. */
export function reasonOf(error: unknown): string {
  for (let at = error as { code?: unknown; cause?: unknown } | undefined; at; at = at.cause as typeof at)
    if (typeof at.code === "string" && /^\w{1,32}$/.test(at.code)) return at.code;
  return error instanceof Error && error.name !== "Error" ? error.name : "no answer";
}
